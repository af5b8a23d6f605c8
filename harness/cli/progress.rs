//! What is being done, while it is done: on a terminal only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line on standard error with the fixture that is being measured; nothing when it is no terminal.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(fixtures: usize) -> Self {
        let bar = ProgressBar::new(fixtures as u64);
        let style = ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} ({elapsed})");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Names what is being done now.
    pub(crate) fn now(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// One more fixture is done.
    pub(crate) fn done(&self) {
        self.0.inc(1);
    }

    /// Prints without tearing the line apart.
    pub(crate) fn print(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }

    /// Takes the line away.
    pub(crate) fn finish(self) {
        self.0.finish_and_clear();
    }
}

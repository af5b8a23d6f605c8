//! Keeps the words and the place of a panic, for the record.

use std::panic::PanicHookInfo;
use std::sync::Mutex;

use highwater_tracker::Section;

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Installs a hook that keeps each panic's message and place, and still prints it as usual.
pub(crate) fn keep() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // A UDF may catch its panics and go on; what is kept here is not its memory.
        let _harness = Section::harness();
        let text = text(info);
        if let Ok(mut last) = LAST.lock() {
            *last = Some(text);
        }
        usual(info);
    }));
}

/// The last panic's message and place.
pub(crate) fn last() -> Option<String> {
    LAST.lock().ok().and_then(|mut last| last.take())
}

fn text(info: &PanicHookInfo<'_>) -> String {
    let message = info
        .payload()
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| info.payload().downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a value that is no text");
    match info.location() {
        Some(place) => format!("{message} ({}:{})", place.file(), place.line()),
        None => message.to_owned(),
    }
}

//! Why the preloaded tracker is not in a worker.

use crate::serve::exit;
use crate::supervise::Ending;

/// What the dynamic linker prints before it goes on without a library.
const IGNORED: &str = "ERROR: ld.so: object";

/// `message` and what the dynamic linker said of the library, if it said anything.
pub(crate) fn reason(message: &str, output: &str) -> String {
    let Some(line) = output.lines().find(|line| line.starts_with(IGNORED)) else {
        return message.to_owned();
    };
    let (what, hint) = message.split_once('\n').unwrap_or((message, ""));
    let said = line.trim_start_matches("ERROR: ").trim_end_matches('.');
    let lines = [what, &format!("the dynamic linker said: {said}"), hint];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Why a Python worker that left no record was not under the tracker; `None` when it ended for
/// another reason.
pub(crate) fn missing(ending: &Ending, last_words: Option<&str>) -> Option<String> {
    let code = ending.status.code()?;
    if code == i32::from(exit::NOT_ATTACHED) {
        let words = last_words.unwrap_or("the tracker is not attached");
        return Some(reason(words, &ending.output));
    }
    // The assignment travels as the preload does, and did not arrive either.
    (code == i32::from(exit::NO_ASSIGNMENT)).then(|| {
        "the tracker is not attached: the worker's environment did not reach the interpreter\n\
         hint: look for a wrapper script that clears it, and give the interpreter behind it with \
         `--python`"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linker_s_words_stand_before_the_hint() {
        let output = "ERROR: ld.so: object '/x.so' from LD_PRELOAD cannot be preloaded (wrong ELF \
                      class: ELFCLASS32): ignored.\nhighwater worker: ...";
        assert_eq!(
            reason("not attached\nhint: look", output),
            "not attached\nthe dynamic linker said: ld.so: object '/x.so' from LD_PRELOAD cannot be \
             preloaded (wrong ELF class: ELFCLASS32): ignored\nhint: look"
        );
        assert_eq!(reason("not attached\nhint: look", "printed"), "not attached\nhint: look");
    }
}

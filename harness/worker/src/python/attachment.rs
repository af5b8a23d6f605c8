//! Why the preloaded tracker is not in a worker.

use std::fs::File;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

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

/// Why a worker in the interpreter at `program` that left no record was not under the tracker; `None`
/// when it ended for another reason.
pub(crate) fn missing(program: &Path, ending: &Ending, last_words: Option<&str>) -> Option<String> {
    let code = ending.status.code()?;
    let obstacle = Obstacle::of(program).ok().flatten();
    let tells = [exit::NOT_ATTACHED, exit::NO_ASSIGNMENT].map(i32::from).contains(&code);
    // A static program never has the tracker in it, whatever it says.
    if let Some(obstacle) = obstacle.filter(|it| tells || *it == Obstacle::Static) {
        return Some(obstacle.reason(program));
    }
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

/// What keeps the dynamic linker from preloading anything into a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    /// There is no dynamic linker in it.
    Static,
    /// It runs with other rights than its caller's, whose variables are not trusted.
    OtherRights,
}

impl Obstacle {
    /// Looks at a program's file; a script has no obstacle of its own.
    fn of(program: &Path) -> std::io::Result<Option<Self>> {
        // Set-user-ID and set-group-ID.
        if std::fs::metadata(program)?.mode() & 0o6000 != 0 {
            return Ok(Some(Self::OtherRights));
        }
        // The offsets are those of a 64-bit ELF header and its program headers.
        const INTERPRETER: u32 = 3;
        let file = File::open(program)?;
        let mut header = [0; 64];
        file.read_exact_at(&mut header, 0)?;
        if !header.starts_with(b"\x7fELF\x02\x01") {
            return Ok(None);
        }
        let number = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let mut start = [0; 8];
        start.copy_from_slice(&header[32..40]);
        let (start, size, count) = (u64::from_le_bytes(start), number(54), number(56));
        for index in 0..count {
            let mut kind = [0; 4];
            file.read_exact_at(&mut kind, start + index * size)?;
            if u32::from_le_bytes(kind) == INTERPRETER {
                return Ok(None);
            }
        }
        Ok(Some(Self::Static))
    }

    fn reason(self, program: &Path) -> String {
        let (is, hint) = match self {
            Self::Static => (
                "is a static program, into which nothing can be preloaded",
                "choose another Python with `--python`",
            ),
            Self::OtherRights => (
                "is a setuid or setgid program, into which the dynamic linker preloads nothing",
                "choose a Python without that bit with `--python`",
            ),
        };
        format!("the tracker is not attached: {} {is}\nhint: {hint}", program.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_without_a_dynamic_linker_is_static() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = std::env::current_exe().expect("this program");
        assert_eq!(Obstacle::of(&own).expect("it is read"), None);
        let script = folder.path().join("script");
        std::fs::write(&script, format!("#!/bin/sh\n{}", "#".repeat(64))).expect("it is written");
        assert_eq!(Obstacle::of(&script).expect("it is read"), None);
        // No program headers at all, so none of them names a dynamic linker.
        let bare = folder.path().join("static");
        std::fs::write(&bare, [b"\x7fELF\x02\x01".as_slice(), &[0; 58]].concat())
            .expect("it is written");
        assert_eq!(Obstacle::of(&bare).expect("it is read"), Some(Obstacle::Static));
    }

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

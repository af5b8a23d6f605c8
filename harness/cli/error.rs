//! Why a command could not do what was asked.

use std::path::PathBuf;

use highwater::ConfidenceFailed;
use highwater::guard::Refused;
use highwater_core::exit_code;
use highwater_fixture::ManifestError;
use highwater_fixture::manifest::UnknownFixture;
use highwater_tracker::record::RecordError;
use highwater_worker::{MeasureError, PythonError};

use crate::worker::BuildError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    UnknownFixture(#[from] UnknownFixture),
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Confidence(#[from] ConfidenceFailed),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error(transparent)]
    Python(#[from] PythonError),
    #[error("`{text}` names no UDF\nhint: name the class or function in it, as `{text}:Name`")]
    NoName { text: String },
    #[error("{why}")]
    NoUdf { why: String },
    #[error("{what} {} is no file\nhint: check the path", path.display())]
    NoFile { what: &'static str, path: PathBuf },
    #[error("`{switch}` is for Python UDFs, and `{name}` is none\nhint: leave it away")]
    PythonOnly { switch: &'static str, name: String },
    #[error(
        "`--input` is for a UDF in a file, and `{name}` is a fixture\n\
         hint: leave it away, or change `input` in the manifest"
    )]
    InputOfFixture { name: String },
    #[error(
        "`--max-batches {most}` is less than the {batches} batches of the run\n\
         hint: give as many for a run of fixed length, or fewer `--batches`"
    )]
    TooFewAtMost { most: u32, batches: u32 },
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
}

impl CliError {
    pub(crate) fn exit_code(&self) -> i32 {
        match self {
            Self::Manifest(_) | Self::UnknownFixture(_) | Self::Refused(_) => exit_code::USAGE,
            Self::Build(_) | Self::Unreadable { .. } => exit_code::USAGE,
            Self::NoName { .. } | Self::NoFile { .. } | Self::NoUdf { .. } => exit_code::USAGE,
            Self::PythonOnly { .. } | Self::InputOfFixture { .. } => exit_code::USAGE,
            Self::TooFewAtMost { .. } => exit_code::USAGE,
            Self::Python(PythonError::Unwritable { .. } | PythonError::VenvFailed { .. }) => {
                exit_code::INVALID
            }
            Self::Python(_) => exit_code::USAGE,
            Self::Confidence(failed) => failed.exit_code(),
            Self::Measure(_) | Self::Record(_) => exit_code::INVALID,
        }
    }
}

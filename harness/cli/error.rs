//! Why a command could not do what was asked.

use std::path::PathBuf;

use highwater::ConfidenceFailed;
use highwater::guard::Refused;
use highwater_core::exit_code;
use highwater_fixture::ManifestError;
use highwater_fixture::manifest::UnknownFixture;
use highwater_tracker::record::RecordError;
use highwater_worker::MeasureError;

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
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
}

impl CliError {
    pub(crate) fn exit_code(&self) -> i32 {
        match self {
            Self::Manifest(_) | Self::UnknownFixture(_) | Self::Refused(_) => exit_code::USAGE,
            Self::Build(_) | Self::Unreadable { .. } => exit_code::USAGE,
            Self::Confidence(failed) => failed.exit_code(),
            Self::Measure(_) | Self::Record(_) => exit_code::INVALID,
        }
    }
}

//! What was measured of one fixture, before any baseline is looked at.

use highwater_core::{
    ArrowBooks, Explanation, Finding, Made, Pattern, Production, ProductionFinding, Recommendation,
    analyse, analyse_production, explain, headline, recommend,
};
use highwater_fixture::{FixtureSpec, Runtime};
use highwater_worker::{Measurement, Outcome};

use crate::remedies::{Remedy, best};
use crate::rows::BadRows;

/// A fixture that was measured, before any baseline is looked at.
#[derive(Debug)]
pub struct Measured {
    /// What was run.
    pub spec: FixtureSpec,
    /// What became of it.
    pub measurement: Measurement,
    /// What the analysis says; `None` when the run did not finish.
    pub finding: Option<Finding>,
    /// The other run of a Python fixture, for the figures of resident memory alone: no baseline, no
    /// limit and no pattern of the gate comes from it. `None` for Rust fixtures.
    pub production: Option<ProductionRun>,
    /// What [`Gate::explain`](crate::Gate::explain) found out by further runs.
    pub explained: Explained,
}

/// What further runs told of a fixture.
#[derive(Debug, Default)]
pub struct Explained {
    /// The rows of the batch that stands out; `None` where none does, or nobody looked.
    pub rows: Option<BadRows>,
    /// What was tried against retention; empty where none is suspected, or nobody tried.
    pub remedies: Vec<Remedy>,
    /// Why some of it could not be found out.
    pub failed: Option<String>,
}

impl Explained {
    /// The remedy that saved most, when one saved a tenth of resident memory or more.
    #[must_use]
    pub fn best_remedy(&self) -> Option<&Remedy> {
        best(&self.remedies)
    }
}

/// The run of a Python fixture with the allocators, threads and collector of production.
#[derive(Debug)]
pub struct ProductionRun {
    /// What became of it.
    pub measurement: Measurement,
    /// Its run with what its figures need to be understood; `None` when it did not finish.
    pub production: Option<Production>,
    /// What the analysis says of it; `None` when it, or the exact run, did not finish.
    pub finding: Option<ProductionFinding>,
}

impl Measured {
    /// The pattern to list the fixture under, see [`highwater_core::headline`].
    #[must_use]
    pub fn headline(&self) -> Option<Pattern> {
        let production = self.production.as_ref().and_then(|it| it.finding.as_ref());
        self.finding.as_ref().and_then(|exact| headline(exact, production))
    }

    /// The finding in one sentence: that of the run which shows the [headline](Self::headline).
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let exact = self.finding.as_ref()?;
        let production = self.production.as_ref().and_then(|it| it.finding.as_ref());
        match production {
            Some(production) if self.headline() != exact.pattern() => {
                Some(format!("{}; in production {}", exact.sentence(), production.sentence()))
            }
            _ => Some(exact.sentence()),
        }
    }

    /// The memory to ask for, if the runs tell.
    #[must_use]
    pub fn recommendation(&self) -> Option<Recommendation> {
        let Outcome::Finished(run) = &self.measurement.outcome else { return None };
        let production = self.production.as_ref();
        let production = production.and_then(|it| it.production.as_ref().zip(it.finding.as_ref()));
        recommend(run, self.finding.as_ref()?, production, self.spec.planned_batches)
    }

    /// What the finding took, how sure it is, what was tried, and what to do next.
    #[must_use]
    pub fn explanation(&self) -> Option<Explanation> {
        let Outcome::Finished(run) = &self.measurement.outcome else { return None };
        let production = self.production.as_ref().and_then(|it| it.finding.as_ref());
        let experiments = match production {
            Some(production) => production.experiments.as_ref(),
            None => run.experiments.as_ref(),
        };
        let made = match self.spec.runtime {
            Runtime::Python => Made::All,
            Runtime::Rust => Made::TrimAndDrop,
        };
        let experiments = experiments.map(|gave_back| (gave_back, made));
        self.finding.as_ref().map(|finding| explain(finding, production, experiments))
    }
}

impl ProductionRun {
    pub(crate) fn new(
        measurement: Measurement,
        arrow: ArrowBooks,
        exact: Option<&Finding>,
    ) -> Self {
        let production = match &measurement.outcome {
            Outcome::Finished(run) => Some(Production { run: run.clone(), arrow }),
            Outcome::Invalid(_) | Outcome::NotAttached(_) => None,
        };
        let finding = exact
            .zip(production.as_ref())
            .map(|(exact, production)| analyse_production(exact, production));
        Self { measurement, production, finding }
    }
}

/// What the analysis says of a run, if that finished.
pub(crate) fn finding(measurement: &Measurement) -> Option<Finding> {
    match &measurement.outcome {
        Outcome::Finished(run) => Some(analyse(run)),
        Outcome::Invalid(_) | Outcome::NotAttached(_) => None,
    }
}

use highwater::{ArrayRef, Fixture, RecordBatch, Tracker, Udf, UdfError, gate};

#[global_allocator]
static TRACKER: Tracker = Tracker::new();

#[derive(Default)]
struct Enrich {
    rows: usize,
}

impl Udf for Enrich {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        self.rows += batch.num_rows();
        Ok(batch.column(0).clone())
    }
}

#[test]
fn enrich_keeps_nothing() {
    gate!(Fixture::new("enrich", Enrich::default).batches(200).rows(300));
}

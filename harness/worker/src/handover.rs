//! Hands a batch to the UDF so that the reader and the UDF share nothing.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::{MemoryPool, TrackingMemoryPool};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use highwater_fixture::compact::compact;
use highwater_tracker::Section;

/// Makes the copies that the UDF gets, and knows how much of all copies is still alive.
///
/// What the reader allocated is freed in the harness's account and what the UDF was given in the
/// UDF's, so nothing may belong to both: not the buffers (a [`compact`] copy), and not the schema
/// or the types of nested columns either, which Arrow shares by reference count. The copies of
/// all batches share one schema, as batches of one reader do; it belongs to the harness.
#[derive(Debug, Default)]
pub(crate) struct Handover {
    schema: Option<SchemaRef>,
    pool: TrackingMemoryPool,
}

impl Handover {
    /// A copy of `source` in the UDF's account; call it outside a harness section.
    pub(crate) fn hand_over(&mut self, source: &RecordBatch) -> RecordBatch {
        let schema = self.schema_of(source);
        let copy = compact(source);
        let columns: Vec<ArrayRef> = copy
            .columns()
            .iter()
            .zip(schema.fields())
            .map(|(column, field)| retyped(column, field.data_type()))
            .collect();
        for column in &columns {
            column.claim(&self.pool);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(copy.num_rows()));
        RecordBatch::try_new_with_options(schema, columns, &options)
            .expect("the copy has the schema's types")
    }

    /// Bytes in the buffers of all copies that are still alive: 0 once nobody keeps one.
    pub(crate) fn live_bytes(&self) -> usize {
        self.pool.used()
    }

    fn schema_of(&mut self, source: &RecordBatch) -> SchemaRef {
        let own = self.schema.take().filter(|own| own.as_ref() == source.schema().as_ref());
        let own = own.unwrap_or_else(|| {
            let _harness = Section::harness();
            let fields: Fields = source.schema().fields().iter().map(|field| deep(field)).collect();
            Arc::new(Schema::new_with_metadata(fields, source.schema().metadata().clone()))
        });
        Arc::clone(self.schema.insert(own))
    }
}

/// A copy of a field that shares no nested field with it.
fn deep(field: &Field) -> Field {
    field.clone().with_data_type(deep_type(field.data_type()))
}

fn deep_type(data_type: &DataType) -> DataType {
    let one = |field: &Arc<Field>| Arc::new(deep(field));
    match data_type {
        DataType::List(item) => DataType::List(one(item)),
        DataType::LargeList(item) => DataType::LargeList(one(item)),
        DataType::ListView(item) => DataType::ListView(one(item)),
        DataType::LargeListView(item) => DataType::LargeListView(one(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(one(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(one(entries), *sorted),
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(one(ends), one(values)),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|item| deep(item)).collect())
        }
        DataType::Dictionary(key, value) => {
            DataType::Dictionary(key.clone(), Box::new(deep_type(value)))
        }
        DataType::Union(fields, mode) => {
            DataType::Union(fields.iter().map(|(id, item)| (id, one(item))).collect(), *mode)
        }
        DataType::Timestamp(unit, Some(zone)) => {
            DataType::Timestamp(*unit, Some(Arc::from(zone.as_ref())))
        }
        plain => plain.clone(),
    }
}

/// `array` with the types of `data_type`, which is equal to its own and shares nothing with it.
fn retyped(array: &ArrayRef, data_type: &DataType) -> ArrayRef {
    if !data_type.is_nested() && !matches!(data_type, DataType::Timestamp(_, Some(_))) {
        return Arc::clone(array);
    }
    make_array(retyped_data(array.to_data(), data_type))
}

fn retyped_data(data: ArrayData, data_type: &DataType) -> ArrayData {
    let children: Vec<ArrayData> = data
        .child_data()
        .iter()
        .zip(children_of(data_type))
        .map(|(child, data_type)| retyped_data(child.clone(), &data_type))
        .collect();
    data.into_builder()
        .data_type(data_type.clone())
        .child_data(children)
        .build()
        .expect("an equal type fits as well")
}

/// The types of an array's children, in the order of the Arrow format.
fn children_of(data_type: &DataType) -> Vec<DataType> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.data_type().clone()],
        DataType::RunEndEncoded(ends, values) => {
            vec![ends.data_type().clone(), values.data_type().clone()]
        }
        DataType::Struct(fields) => fields.iter().map(|item| item.data_type().clone()).collect(),
        DataType::Union(fields, _) => {
            fields.iter().map(|(_, item)| item.data_type().clone()).collect()
        }
        DataType::Dictionary(_, value) => vec![value.as_ref().clone()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, Int64Array, ListArray, StructArray};

    use super::*;

    fn nested() -> RecordBatch {
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([
            Some(vec![Some(1), None]),
            None,
            Some(vec![Some(3)]),
        ]);
        let words: DictionaryArray<Int32Type> = ["a", "b", "a"].into_iter().collect();
        let field = Arc::new(Field::new("n", DataType::Int64, false));
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
        RecordBatch::try_from_iter([
            ("list", Arc::new(list) as ArrayRef),
            ("words", Arc::new(words)),
            ("pair", Arc::new(StructArray::from(vec![(field, numbers)]))),
        ])
        .unwrap()
    }

    #[test]
    fn the_copy_is_equal_and_shares_neither_schema_nor_nested_fields() {
        let source = nested();
        let mut handover = Handover::default();
        let copy = handover.hand_over(&source);
        assert_eq!(copy, source);
        assert!(!Arc::ptr_eq(&copy.schema(), &source.schema()));
        let item = |batch: &RecordBatch| match batch.column(0).data_type() {
            DataType::List(item) => Arc::clone(item),
            other => panic!("not a list: {other}"),
        };
        assert!(!Arc::ptr_eq(&item(&copy), &item(&source)));
        let again = handover.hand_over(&source);
        assert!(Arc::ptr_eq(&copy.schema(), &again.schema()), "one schema for all copies");
    }

    #[test]
    fn knows_which_copies_are_alive() {
        let mut handover = Handover::default();
        let copy = handover.hand_over(&nested());
        let whole = handover.live_bytes();
        assert!(whole > 0);
        let kept = copy.column(2).slice(1, 1);
        drop(copy);
        assert!((24..whole).contains(&handover.live_bytes()), "a slice keeps its column only");
        drop(kept);
        assert_eq!(handover.live_bytes(), 0);
    }
}

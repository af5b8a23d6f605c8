"""Model state that grows: an autograd graph that is kept, and inference without one.

What
    A model scores each batch and its losses are added up, as tensors. A tensor that needs gradients
    remembers what it was computed from; a sum of such tensors remembers all of it.
Pattern
    :class:`KeptGraph` is a ``heap_leak``: inputs and activations of every batch stay alive behind
    one scalar. :class:`InferenceOnly` is ``healthy``.
Fix
    ``with torch.inference_mode():`` around the call and ``model.eval()`` in ``setup``; where a
    gradient is wanted, ``loss.item()`` before adding up.

Needs PyTorch. Without it, importing this file fails, and the fixture is reported as not run.

Columns: ``dep_delay``, ``distance``, ``hour``.
"""

from __future__ import annotations

import pyarrow as pa
import torch

FEATURES = ("dep_delay", "distance", "hour")


class KeptGraph:
    """Adds up losses with their history."""

    def setup(self) -> None:
        """Builds a small model, the same each time."""
        torch.manual_seed(7)
        torch.set_num_threads(1)
        self.model = torch.nn.Sequential(
            torch.nn.Linear(len(FEATURES), 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)
        )
        self.loss = torch.zeros(())

    def score(self, rows: torch.Tensor) -> torch.Tensor:
        """Scores, and adds their loss to the sum."""
        scores = self.model(rows).squeeze(1)
        self.loss = self.loss + scores.pow(2).mean()
        return scores

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """One score per row."""
        return pa.array(self.score(features(batch)).detach().tolist(), pa.float64())


class InferenceOnly(KeptGraph):
    """The same model without a graph."""

    def setup(self) -> None:
        """Builds the model and says that it will not be trained."""
        super().setup()
        self.model.eval()

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """One score per row."""
        with torch.inference_mode():
            return super().__call__(batch)


def features(batch: pa.RecordBatch) -> torch.Tensor:
    """The numeric columns, missing values as zero."""
    columns = [batch.column(name).to_pylist() for name in FEATURES]
    return torch.tensor([[float(v or 0) for v in row] for row in zip(*columns)])

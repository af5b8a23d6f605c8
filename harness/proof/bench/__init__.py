"""What the tracker costs, beside its peers: ``python -m bench``."""

"""The tracker and the runner on other CPythons and other C libraries: ``python -m pythons``."""

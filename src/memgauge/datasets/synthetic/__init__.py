"""A generated benchmark of our own wording, whose truth is known."""

from memgauge.datasets.synthetic.world import KIND

__all__ = ["KIND"]

"""Every product that is known, by its methods; the first that fits is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.watch.shapes.mem0 import MEM0
from memgauge.watch.shapes.own import OWN
from memgauge.watch.shapes.stores import MANAGER, STORE

if TYPE_CHECKING:
    from memgauge.watch.calls import ProductShape

SHAPES: Final = (OWN, MEM0, MANAGER, STORE)


def shape_of(memory: object) -> ProductShape | None:
    """Recognise *memory* by its methods; ``None`` if it is nothing that is known."""
    return next((shape for shape in SHAPES if shape.fits(memory)), None)

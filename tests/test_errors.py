"""The tree of exceptions and how their messages read."""

from __future__ import annotations

import inspect
import re

import pytest

from memgauge import errors

LEVEL = {"*": 0, "x": 1, "-": 2, ".": 3}
LINE = re.compile(r"^ *([*x\-.]) (\w+)", re.MULTILINE)


def documented_tree() -> dict[str, str]:
    """Read each class and its parent from the module's docstring."""
    parents: dict[str, str] = {}
    path = ["Exception"]
    for bullet, name in LINE.findall(errors.__doc__ or ""):
        path = [*path[: LEVEL[bullet] + 1], name]
        parents[name] = path[-2]
    return parents


def class_tree() -> dict[str, str]:
    """Read each class and its parent from the code."""
    classes = inspect.getmembers(errors, lambda item: inspect.isclass(item) and item.__module__ == errors.__name__)
    return {name: cls.__bases__[0].__name__ for name, cls in classes}


def test_the_docstring_shows_the_classes_as_they_are() -> None:
    """The tree in the docstring and the tree of classes are one and the same."""
    assert documented_tree() == class_tree()


@pytest.mark.parametrize("name", sorted(class_tree()))
def test_every_error_is_caught_by_the_base(name: str) -> None:
    """One ``except MemgaugeError`` catches whatever memgauge raises on purpose."""
    assert issubclass(getattr(errors, name), errors.MemgaugeError)


def test_a_user_error_says_what_happened_and_what_to_do() -> None:
    """The message is the mistake followed by its remedy, and both can be had apart."""
    error = errors.ConfigError("k must be positive, not 0.", "Write k=10.")
    assert (str(error), error.what, error.remedy) == (
        "k must be positive, not 0. Write k=10.",
        "k must be positive, not 0.",
        "Write k=10.",
    )


def test_a_user_error_without_a_remedy_ends_after_the_mistake() -> None:
    """No remedy leaves no trailing space."""
    assert str(errors.DataError("The file is empty.")) == "The file is empty."

"""YAML and TOML of strangers: whatever is wrong with a text is one kind of error, which knows the place.

The libraries let more through than their own errors: a number of ten thousand digits, lists ten thousand deep,
aliases that unfold to more than any memory holds, tags whose value does not fit. JSON is read by its own module.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.text.jsons import DEPTH, deeper

if TYPE_CHECKING:
    from pathlib import Path

    from yaml import Node

LARGEST: Final = 16 << 20
"""Characters of a file that people write by hand: the libraries read some hundred thousand a second."""
DOTS: Final = 1000
"""Points in one line of TOML; the library takes time in the square of the parts of a name."""
DIGITS: Final = 100
"""Characters of a number or a date; the library reads ``1:2:3…`` in time in the square of its length."""
UNFOLDED: Final = 1_000_000
"""How many values a YAML file may mean once its aliases are unfolded."""


_TOO_LONG: Final = f"a value does not fit its tag: no number has more than {DIGITS} characters"
_BRIEF: Final = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "timestamp"))


def text_file(path: Path, remedy: str = "Name a text file.") -> str:
    """Read a file of text.

    Raises:
        DataNotFoundError: It cannot be opened.
        MalformedDataError: It is no UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataNotFoundError(f"Cannot read {path}: {error.strerror}.", remedy) from error
    except UnicodeDecodeError as error:
        raise MalformedDataError(f"{path} is no UTF-8 text ({error.reason}).", remedy) from error


def toml_of(text: str) -> dict[str, Any]:
    """Read TOML.

    Raises:
        tomllib.TOMLDecodeError: It is none, lies too deep, or holds a number with too many digits.
    """
    if len(text) > LARGEST:
        raise tomllib.TOMLDecodeError(f"it is larger than {LARGEST >> 20} MiB")
    if any(line.count(".") > DOTS for line in text.splitlines()):
        raise tomllib.TOMLDecodeError("it lies too deep")
    try:
        value = tomllib.loads(text)
        repr(value)  # a number of base 16 is read whatever its length, and can then not be said
    except tomllib.TOMLDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        deep = isinstance(error, RecursionError)
        reason = "it lies too deep" if deep else "a number has too many digits"
        raise tomllib.TOMLDecodeError(reason) from None
    if deeper(value):
        raise tomllib.TOMLDecodeError("it lies too deep")
    return value


def yaml_of(raw: str | bytes) -> tuple[Node | None, Any]:
    """Read YAML with the safe loader, as a tree with places and as values.

    Raises:
        yaml.YAMLError: It is none, lies too deep, holds itself, unfolds to too much, a tag does not fit, or a key
            stands twice, of which the library would keep the last.
    """
    import yaml

    if len(raw) > LARGEST:
        raise yaml.MarkedYAMLError(problem=f"it is larger than {LARGEST >> 20} MiB")
    try:
        _shallow(raw)
        return _composed(getattr(yaml, "CSafeLoader", yaml.SafeLoader)(raw))
    except (ValueError, KeyError, AttributeError, TypeError, OverflowError, IndexError) as error:
        # What the library's constructors raise for a number or a tagged value that does not fit.
        raise yaml.MarkedYAMLError(problem=f"a value does not fit its tag: {str(error)[:100]}") from error


def _composed(loader: Any) -> tuple[Node | None, Any]:
    """Read a document as a tree, and make its values of that tree: to read it again takes half as long again."""
    try:
        node = loader.get_single_node()
        if node is None:
            return None, None
        _unfolded(node, 0, {})
        return node, loader.construct_document(node)
    finally:
        loader.dispose()


def _shallow(raw: str | bytes) -> None:
    """Refuse what lies too deep before it is composed: the library's composer would overflow the stack.

    Raises:
        yaml.YAMLError: It does, or is no YAML up to there.
    """
    import yaml

    depth = 0
    for event in yaml.parse(raw, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH:
            mark: Any = event.start_mark  # either parser has its own kind
            raise yaml.MarkedYAMLError(problem=f"it lies more than {DEPTH} deep", problem_mark=mark)


def _unfolded(node: Node, depth: int, sizes: dict[int, int | None]) -> int:
    """Count what *node* means without its aliases; what is open in *sizes* holds itself.

    Raises:
        yaml.YAMLError: It holds itself, lies too deep, or is too much.
    """
    import yaml

    if not isinstance(node, yaml.CollectionNode):
        if node.tag in _BRIEF and len(node.value) > DIGITS:
            raise yaml.MarkedYAMLError(problem=_TOO_LONG, problem_mark=node.start_mark)
        return 1
    known_size = sizes.get(id(node), -1)
    if known_size is None or depth > DEPTH:
        problem = "an alias holds itself" if known_size is None else f"it lies more than {DEPTH} deep"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
    if known_size >= 0:
        return known_size
    sizes[id(node)] = None
    if isinstance(node, yaml.MappingNode):
        _distinct(node)
    parts = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
    size = 1 + sum(_unfolded(part, depth + 1, sizes) for part in parts)
    if size > UNFOLDED:
        raise yaml.MarkedYAMLError(problem="its aliases unfold to too much", problem_mark=node.start_mark)
    sizes[id(node)] = size
    return size


def _distinct(node: Node) -> None:
    """Refuse a mapping in which a key stands twice.

    Raises:
        yaml.YAMLError: One does.
    """
    import yaml

    seen = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode):
            if (key.tag, key.value) in seen:
                problem = f"the key {key.value[:60]!r} stands twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add((key.tag, key.value))

"""What the catalogue knows of a benchmark before any file is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.registry import Ref, require_known, unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.datasets.files import FileSpec


@dataclass(frozen=True)
class Option:
    """One parameter of a benchmark that changes what is yielded."""

    default: str
    help: str
    read: Callable[[str], str] = str
    """Checks a value and returns its one canonical spelling; raises a UserError."""

    @classmethod
    def among(cls, kind: str, about: str, meanings: Mapping[str, str]) -> Option:
        """Take one of *meanings*, the first by default; *kind* is what an error calls them."""

        def read(text: str) -> str:
            if text not in meanings:
                raise unknown_name(kind, text, meanings)
            return text

        named = "; ".join(f"{name} ({meaning})" for name, meaning in meanings.items())
        return cls(next(iter(meanings)), f"{about}: {named}", read)


def read_flag(text: str) -> str:
    """Read true or false.

    Raises:
        ConfigError: It is neither.
    """
    value = text.casefold()
    if value not in {"true", "false"}:
        raise ConfigError(f"Option value {text!r} is neither true nor false.")
    return value


CAPTIONS: Final = Option(
    "true", "Whether the caption of a shared image is appended to the text of its turn.", read_flag
)
"""Of benchmarks whose turns share images."""


def read_whole_number(text: str) -> str:
    """Read a whole number.

    Raises:
        ConfigError: It is not one.
    """
    try:
        return str(int(text))
    except ValueError as error:
        raise ConfigError(f"Option value {text!r} is not a whole number.") from error


@dataclass(frozen=True)
class DatasetRequest:
    """A checked wish: which variant, every option, and where files may lie."""

    ref: str
    """The canonical text: variant and options that differ from their defaults."""
    variant: str
    options: Mapping[str, str]
    """Every option, defaults included."""
    root: Path | None = None
    """Look for files only here; ``None`` looks in the usual places."""
    allow_unpinned: bool = False


@dataclass(frozen=True)
class DatasetKind:
    """A benchmark by name: what it is, which files it needs, and how to open it."""

    name: str
    summary: str
    """One line."""
    licence: str
    homepage: str
    opener: Callable[[DatasetRequest], Dataset]
    files: tuple[FileSpec, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    variants: Mapping[str, str] = field(default_factory=dict)
    """What each variant is; the first one is the default."""
    paths: bool = False
    """Whether the variant may also be the path of a file."""

    def open(self, ref: Ref, *, root: Path | None = None, allow_unpinned: bool = False) -> Dataset:
        """Check *ref* against the variants and options of this benchmark and open it.

        Raises:
            UnknownNameError: A variant or an option that does not exist.
            ConfigError: The value of an option does not fit.
            DataError: A file is missing, is not the published one, or is broken.
        """
        return self.opener(self.request(ref, root=root, allow_unpinned=allow_unpinned))

    def request(self, ref: Ref, *, root: Path | None = None, allow_unpinned: bool = False) -> DatasetRequest:
        """Check *ref* against the variants and options of this benchmark.

        Raises:
            UnknownNameError: A variant or an option that does not exist.
            ConfigError: The value of an option does not fit.
        """
        variant = self._variant(ref.variant)
        require_known(f"option of {self.name}", ref.params, self.options)
        options = {name: o.read(ref.params.get(name, o.default)) for name, o in self.options.items()}
        changed = {name: value for name, value in options.items() if value != self.options[name].default}
        canonical = str(Ref(self.name, variant, changed))
        return DatasetRequest(canonical, variant, options, root, allow_unpinned)

    def _variant(self, wanted: str) -> str:
        if not wanted:
            return next(iter(self.variants), "")
        if wanted in self.variants or (self.paths and _looks_like_a_path(wanted)):
            return wanted
        raise unknown_name(f"variant of {self.name}", wanted, self.variants)


def _looks_like_a_path(text: str) -> bool:
    return "/" in text or "\\" in text or text.endswith((".json", ".jsonl")) or Path(text).exists()

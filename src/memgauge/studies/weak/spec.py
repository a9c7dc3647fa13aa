"""Which lanes there are, as data: products that ask a model while they write, and our own users of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field

from memgauge.registry import unknown_name
from memgauge.studies.checkout import read_spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FILE: Final = "weak.toml"
MODEL, CHECKOUTS, URL, FOLDER = "{model}", "{checkouts}", "{url}", "{folder}"
"""Where a reference or a command names the model, the folder of checkouts, the model's address, its own folder."""


class _WeakPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WeakProduct(_WeakPart):
    """A product in the lane in which it asks a model."""

    key: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    system: str
    """Its reference."""
    note: str = ""
    """What a reader should know of its lane."""


class WeakStep(_WeakPart):
    """One command."""

    name: str
    command: str
    """Behind ``memgauge``."""
    counted: dict[str, str] = Field(default_factory=dict)
    """Where its data says what it counted: names joined by dots, ``*`` for every item of a list, whose numbers are
    added up."""


class WeakUser(_WeakPart):
    """Commands of ours that ask a model, one after the other."""

    key: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    steps: tuple[WeakStep, ...] = Field(alias="step", min_length=1)


class WeakSpec(_WeakPart):
    """The study before anything is played."""

    title: str
    dataset: str
    turns: int = Field(ge=1)
    """Of the first conversation: so many, from its beginning."""
    model: str
    cap: int = Field(ge=1)
    """Tokens that the server gives a reply."""
    limit: float = Field(gt=0)
    """Seconds that the server gives a reply."""
    timeout: float = Field(gt=0)
    """Seconds that the harness gives a call."""
    products: tuple[WeakProduct, ...] = Field(alias="product", min_length=1)
    users: tuple[WeakUser, ...] = Field(default=(), alias="user")

    @property
    def keys(self) -> tuple[str, ...]:
        """Name all lanes, products first."""
        return (*(lane.key for lane in self.products), *(lane.key for lane in self.users))

    def naming(self, lanes: Sequence[str]) -> WeakSpec:
        """Return the same, all of whose *lanes* it has.

        Raises:
            UnknownNameError: It has no such lane.
        """
        for lane in lanes:
            if lane not in self.keys:
                raise unknown_name("lane", lane, self.keys)
        return self

    @classmethod
    def read(cls, folder: Path) -> WeakSpec:
        """Read the study that *folder* describes.

        Raises:
            DataNotFoundError: It describes none.
            ConfigError: What it says does not fit.
        """
        return read_spec(cls, folder / FILE, "study")

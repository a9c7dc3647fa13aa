"""Claims: numbers that somebody published of a product, with all that is stated of how they were measured."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from memgauge.submissions.sheets.base import Day, Line, Sheet, SheetPart, Slug
from memgauge.submissions.sheets.registry import RightOfReply

NOT_STATED: Final = "not stated"
"""What a source does not say is never guessed."""
WORDS: Final = 25
"""Of a quotation: enough to find the place."""

Figure = Annotated[str, StringConstraints(pattern=r"^-?\d{1,12}(\.\d{1,17})?$")]
"""A number as it is printed: its digits say how it was rounded."""
MOST: Final = 1_000_000_000
"""Questions; no benchmark comes near, and a sum of them is exact."""
Questions = Annotated[int, Field(ge=1, le=MOST)]
Counted = Literal["judged-answers", "matched-answers", "evidence-found", "rubric-score", "word-overlap", "other"]
"""What is counted: answers that a judge accepted, answers that match by rule, evidence among what was returned."""


class ClaimSource(SheetPart):
    """Who published a number, and where."""

    by: Line
    relation: Literal["vendor", "competitor", "third-party", "not stated"]
    """To the product: the vendor speaks of its own, a competitor of another's."""
    where: Line
    """``owner/repository#thread``, or ``owner/repository@commit: path, table``."""
    url: str = ""
    """Of what the source names as the place, where that is publicly documented."""
    on: Day | Literal["not stated"] = NOT_STATED
    seen: Literal["source", "copy", "reference"]
    """``source``: read there. ``copy``: in a document that quotes it. ``reference``: in notes of this project."""
    quote: str = ""
    """The setting in the source's own words."""

    @model_validator(mode="after")
    def _quotes_little(self) -> Self:
        words = len(self.quote.split())
        if words > WORDS:
            raise ValueError(f"quote has {words} words, and {WORDS} are enough to find the place")
        if self.url and not self.url.startswith("https://"):
            raise ValueError(f"url {self.url!r} is no address that begins with https://")
        return self


class ClaimSetting(SheetPart):
    """The contract behind a number, as far as it is stated."""

    dataset: Slug
    subset: Line = NOT_STATED
    questions: Questions | Literal["not stated"] = NOT_STATED
    """In the denominator."""
    left_out: Line = NOT_STATED
    """Categories and questions that are not in the denominator."""
    k: Line = NOT_STATED
    judge: Line = NOT_STATED
    answerer: Line = NOT_STATED
    prompt: Line = NOT_STATED


class ClaimRow(SheetPart):
    """One published row below a number: a category, a conversation, a run."""

    name: Line
    questions: Questions
    right: int | None = Field(default=None, ge=0)
    share: Figure | None = None
    """In the unit of the number, where no count is published."""
    unscored: int = Field(default=0, ge=0, le=MOST)
    """Questions that failed or were skipped, and that *questions* leaves out."""

    @model_validator(mode="after")
    def _is_counted_once(self) -> Self:
        if (self.right is None) == (self.share is None):
            raise ValueError("a row has either right or share")
        if self.right is not None and self.right > self.questions:
            raise ValueError(f"right is {self.right}, of {self.questions} questions")
        return self


class ClaimRows(SheetPart):
    """Rows from which a number can be computed again."""

    kind: Literal["categories", "conversations", "runs", "total"]
    """``runs`` ask the same questions again, ``total`` is one count; the others part the questions among them."""
    where: Line
    """Of the rows, and of their counts where these lie elsewhere."""
    sizes: Literal["stated", "of the dataset"] = "stated"
    """Whether the source says how many questions each category holds, or only the dataset does, by its names."""
    repeats: int = Field(default=1, ge=1, le=100)
    """How often each answer was judged; a share is the mean."""
    each: tuple[ClaimRow, ...] = Field(min_length=1)


class ClaimedNumber(SheetPart):
    """One published number."""

    name: Slug
    setting: Slug
    measure: Line
    """As the source calls it."""
    counts: Counted
    value: Figure
    unit: Literal["percent", "share"]
    rows: ClaimRows | None = None

    @property
    def scale(self) -> float:
        """Return what one is in the unit."""
        return 100.0 if self.unit == "percent" else 1.0

    @property
    def published(self) -> float:
        """Return the number as a share."""
        return float(self.value) / self.scale

    @property
    def rounding(self) -> float:
        """Return by how much printing may have moved it, as a share."""
        return rounding_of(self.value) / self.scale


def rounding_of(figure: str) -> float:
    """Return half a unit of the last digit of a printed number; one with ten digits or more is not rounded."""
    digits = len(figure.partition(".")[2])
    return 0.0 if digits >= 10 else 0.5 * 10.0**-digits


class ClaimSheet(Sheet):
    """What one source says of one product. Nothing in it is verified."""

    SCHEMA: ClassVar[str] = "memgauge.claim/1"

    product: Slug
    title: Line
    version: Line = NOT_STATED
    standing: Literal["not verified"] = "not verified"
    source: ClaimSource
    settings: dict[Slug, ClaimSetting] = Field(min_length=1)
    numbers: tuple[ClaimedNumber, ...] = Field(min_length=1)
    reply: RightOfReply = RightOfReply()

    @model_validator(mode="after")
    def _names_what_it_has(self) -> Self:
        names = [number.name for number in self.numbers]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two numbers are called {twice[0]!r}")
        unknown = sorted({number.setting for number in self.numbers} - set(self.settings))
        if unknown:
            raise ValueError(f"a number names the setting {unknown[0]!r}, which is not in settings")
        return self

    def setting_of(self, number: ClaimedNumber) -> ClaimSetting:
        """Return the contract of a number."""
        return self.settings[number.setting]

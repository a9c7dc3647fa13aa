"""What does not fit is named by place and reason."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError, field_validator

from memgauge.misfits import first_misfit


class _Inner(BaseModel):
    """One number."""

    n: int

    @field_validator("n")
    @classmethod
    def _even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value


class _Outer(BaseModel):
    """Several of them."""

    rows: list[_Inner]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"rows": [{"n": 2}, {"n": 3}]}', "rows.1.n: must be even"),
        ('{"rows": [{}]}', "rows.0.n: Field required"),
        ("[", "the file: Invalid JSON"),
    ],
)
def test_the_first_misfit_is_named(text: str, sentence: str) -> None:
    """Its place is written with points; a reader's own refusal is told in its own words, without a prefix."""
    with pytest.raises(ValidationError) as caught:
        _Outer.model_validate_json(text)
    assert str(first_misfit(caught.value, "the file")).startswith(sentence)
    assert str(first_misfit(caught.value)).startswith(sentence.removeprefix("the file: "))

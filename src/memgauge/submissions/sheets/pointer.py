"""A pointer: where a bundle lies that is too large for the folder, or lies there once already."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from memgauge.submissions.sheets.base import Digest, Sheet


class PointerSheet(Sheet):
    """Names a bundle by its digest, and where it lies: below the registry's root, or at an address."""

    SCHEMA: ClassVar[str] = "memgauge.pointer/1"

    path: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?(/[A-Za-z0-9][A-Za-z0-9._-]*)*$")
    """Below the root of the registry."""
    url: str = Field(default="", pattern=r"^(https://\S+)?$")
    sha256: Digest
    bytes: int = Field(ge=1)

    @model_validator(mode="after")
    def _points_once(self) -> Self:
        if bool(self.path) == bool(self.url):
            raise ValueError("a pointer has either a path or a url")
        return self

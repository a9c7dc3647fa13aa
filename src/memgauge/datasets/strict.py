"""What every record of somebody else's file is: frozen, and of exactly the types that are written down."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StrictEntry(BaseModel):
    """A record whose values are not converted; fields that nobody reads may stand beside."""

    model_config = ConfigDict(strict=True, frozen=True)

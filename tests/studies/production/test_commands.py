"""The commands, as people type them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.cli import run_cli

if TYPE_CHECKING:
    from pathlib import Path

"""How a submission lies on a disk: its files, and which of them there must be."""

from __future__ import annotations

from typing import Final

SHEET: Final = "submission.toml"
BUNDLES: Final = "bundles"
POINTER: Final = ".pointer.toml"
PLAN: Final = "plan.json"
CARD: Final = "card.json"
PRODUCT: Final = "product.toml"
LOCK: Final = "lock.txt"
CONFIG: Final = "config.toml"
ENVIRONMENT: Final = "environment.json"
COST: Final = "cost.json"
GRADES: Final = "grades.json"
STATEMENT: Final = "STATEMENT.md"
ALWAYS: Final = (SHEET, CONFIG, ENVIRONMENT, COST, STATEMENT)
"""Every submission has these; a plan belongs to Closed, card and lock to products, grades to judged answers."""
KNOWN: Final = (*ALWAYS, PLAN, CARD, PRODUCT, LOCK, GRADES)

"""Where every page and feed of the site lies, below its root."""

from __future__ import annotations

from posixpath import dirname, relpath
from typing import Final
from urllib.parse import quote

HOME: Final = "index.html"
BOARDS: Final = "boards/index.html"
PRODUCTS: Final = "products/index.html"
DATASETS: Final = "datasets/index.html"
CLAIMS: Final = "claims.html"
HISTORY: Final = "history.html"
RULES: Final = "rules.html"
STYLE: Final = "style.css"
FEED: Final = "feed.json"
LEDGER: Final = "ledger.parquet"
MENU: Final = (
    ("Home", HOME),
    ("Boards", BOARDS),
    ("Products", PRODUCTS),
    ("Datasets", DATASETS),
    ("Claims", CLAIMS),
    ("History", HISTORY),
    ("Rules", RULES),
)


def board_place(name: str, kind: str = "html") -> str:
    """Return where a board lies, as a page or as a feed."""
    return f"boards/{name}.{kind}"


def product_place(name: str) -> str:
    """Return where a product's page lies."""
    return f"products/{name}.html"


def dataset_place(name: str) -> str:
    """Return where a dataset's page lies."""
    return f"datasets/{name}.html"


def submission_place(submission: str, product: str, version: str) -> str:
    """Return where a submission's page lies."""
    return f"submissions/{product}/{version}/{submission.partition('/')[2]}.html"


def from_page(page: str, leads: str) -> str:
    """Spell a link from one page to another."""
    place, mark, fragment = leads.partition("#")
    return quote(relpath(place, dirname(page) or ".")) + mark + fragment

"""The page: self-contained, escaped, of bounded size."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

from memgauge.report.board import documents
from memgauge.report.html import render_html
from memgauge.show.safety import LONGEST, shorten
from report.boards import board, entry, second, stories

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """What a page holds, by tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect a tag."""
        self.tags.append((tag, dict(attrs)))

    def values(self, attribute: str) -> list[str]:
        """Return every value of one attribute."""
        return [value for _, attrs in self.tags if (value := attrs.get(attribute)) is not None]


@cache
def page(n: int = 12, limit: int = 5_000_000) -> str:
    """Render both boards with *n* stories, once for all tests that look at the same page."""
    return render_html(
        documents([board(), second()], title="Four memories"),
        {"locomo": stories(n)},
        identity={"seed": "7"},
        limit=limit,
    )


def test_nothing_comes_from_elsewhere() -> None:
    """No source, no style sheet, no form target and no link leads out of the file."""
    made = Page(page())
    assert made.values("src") == []
    assert not {"link", "img", "iframe", "object", "base"} & {tag for tag, _ in made.tags}
    assert all(h.startswith("#") for h in made.values("href"))


def test_ids_are_unique_and_links_lead_somewhere() -> None:
    """Every id occurs once and every reference finds one."""
    made = Page(page())
    ids = made.values("id")
    assert len(ids) == len(set(ids))
    named = {part for v in made.values("aria-labelledby") for part in v.split()}
    assert {h[1:] for h in made.values("href")} | named <= set(ids)


def test_policy_allows_only_the_style_and_script_of_the_page() -> None:
    """The policy names hashes, and there is no inline style or handler that would need more."""
    made = Page(page())
    policy = next(a["content"] for tag, a in made.tags if tag == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not [name for _, attrs in made.tags for name in attrs if name == "style" or name.startswith("on")]


def test_data_is_text_wherever_it_appears() -> None:
    """Markup in labels, notes, reasons, questions, answers and hits stays text."""
    hit = replace(stories(1)[0].systems[0].hits[0], text=EVIL, memory=EVIL, sources=(EVIL,), lineage=EVIL)
    answer = replace(stories(1)[0].systems[0], label=EVIL, outcome=EVIL, reason=EVIL, hits=(hit,))
    told = replace(
        stories(1)[0], question=EVIL, text=EVIL, category=EVIL, answers=(EVIL,), evidence=((EVIL, EVIL),),
        erratum=EVIL, excluded=EVIL, why=EVIL, systems=(answer,),
    )  # fmt: skip
    dataset = replace(board().dataset, ref=EVIL, name=EVIL)
    hostile = replace(entry("bm25"), label=EVIL, system=EVIL, version=EVIL, notes=(EVIL,))
    made = render_html(
        documents([replace(board(), dataset=dataset, entries=(hostile,), notes=(EVIL,))], title=EVIL),
        {EVIL: (told,)},
        identity={EVIL: EVIL},
    )
    tags = [tag for tag, _ in Page(made).tags]
    assert tags.count("script") == 1
    assert "img" not in tags


def test_the_page_says_what_was_measured() -> None:
    """Dataset, hash, contract, counts, verdict and power are written out."""
    made = page()
    for text in ("79fa87e90f04", "1,986 questions in 10 conversations", "cannot tell them apart", "80 % chance"):
        assert text in made
    assert "NOT known to be the published file" in made
    assert "every search failed" in made


def test_stories_are_trimmed_to_the_limit_and_the_page_says_so() -> None:
    """Too many stories are cut from the end, and the page counts them."""
    made = page(40, limit=350_000)
    assert len(made.encode()) <= 350_000
    shown = sum("data-category" in attrs for _, attrs in Page(made).tags)
    assert 0 < shown < 40
    assert f"{shown} of 40 questions are shown" in made
    assert "memgauge runs show RUN QUESTION" in made


def test_a_page_without_stories_has_no_search() -> None:
    """Boards alone make a page."""
    made = render_html(documents([board()], title="Alone"), {}, identity={})
    assert "form" not in {tag for tag, _ in Page(made).tags}
    assert "nav" not in {tag for tag, _ in Page(made).tags}


def test_gold_far_down_is_shown_and_the_rest_counted() -> None:
    """Hits beyond the third are left out unless they are gold."""
    answer = next(
        a for s in stories(40) for a in s.systems if a.hits and any(h.rank == 14 and h.credited for h in a.hits)
    )
    made = render_html(
        documents([board()], title="x"), {"locomo": (replace(stories(1)[0], systems=(answer,)),)}, identity={}
    )
    assert "14. " in made
    assert "16 further hits without gold not shown" in made
    assert "everybody finds gold" in made


def test_what_is_not_said_first_is_behind_a_title() -> None:
    """A native element folds the rules, what is more, and the questions: no script is needed to open them."""
    made = Page(page())
    folded = {
        attrs["id"] for tag, attrs in made.tags if tag == "details" and "id" in attrs and "open" not in attrs
    }
    assert {"board-1-contract", "board-1-more", "board-2-contract", "questions-1"} <= folded


def test_rendering_is_deterministic() -> None:
    """The same values give the same bytes."""
    assert page.__wrapped__() == page.__wrapped__()


def test_long_texts_are_cut_with_a_count() -> None:
    """A cut text says how much is missing, and a short one is left alone."""
    assert shorten("x" * (LONGEST + 5)).endswith("… (and 5 characters more)")
    assert shorten("short") == "short"


def test_everybody_nobody_and_single_finders_are_named() -> None:
    """Each story says who finds gold."""
    assert "hybrid and oracle find gold" in page()
    lone = replace(stories(1)[0], systems=(replace(stories(1)[0].systems[0], hits=()),))
    assert "nobody finds gold" in render_html(documents([board()], title="x"), {"locomo": (lone,)}, identity={})

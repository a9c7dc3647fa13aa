"""A world reworded by a model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.base import HasTruth
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.own.lines import MANIFEST
from memgauge.datasets.synthetic.writing import WorldOrder, write_world
from memgauge.errors import ModelError
from memgauge.llm.access import Access
from memgauge.llm.scripted import Scripted
from memgauge.records import Fact, Turn
from memgauge.studies.quality.paraphrase import Paraphraser, check, paraphrase, requests, wanted_of

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.llm.messages import Request

TURN = Turn("t1", "Ann", "Update: I am away in Rome until 3 May 2024.", "s1")
FACTS = (
    Fact("f1", "u", "user", "trip", "Rome", ("t1",)),
    Fact("f2", "u", "user", "employer", "Acme", ("t2",)),
    Fact("f3", "u", "user", "running", "2024-05-01", ("t3",)),
)
(WANTED,) = wanted_of([TURN, Turn("t3", "Ann", "I ran yesterday.", "s1")], FACTS)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Write the tiny world."""
    write_world(tmp_path / "world", WorldOrder("tiny"))
    return tmp_path / "world"


def shown(request: Request, part: str) -> str:
    """Read one fenced part of a prompt."""
    found = re.search(rf"<{part}-(\w+)>\n(.*?)\n</{part}-\1>", request.messages[1].text, re.DOTALL)
    assert found
    return found[2]


def reword(request: Request) -> str:
    """Say it with a preface, which keeps every span."""
    return json.dumps({"text": f"Listen, I mean it: {shown(request, 'turn')}"})


def test_what_has_to_stay_is_named() -> None:
    """Spans are the values that stand in the turn; what is reckoned only is not reworded at all."""
    assert (WANTED.turn, WANTED.spans) == (TURN, ("Rome",))
    assert WANTED.foreign == {"trip", "Acme", "employer", "running"} | {"2024-05-01"}


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("You'll find me in Rome up to 3 May 2024, by the way.", None),
        ("You'll find me in Romeo up to 3 May 2024.", "a value is missing"),
        ("You'll find me in Rome for now.", "another day, number or identifier"),
        ("You'll find me in Rome until 4 May 2024.", "another day, number or identifier"),
        ("Acme keeps me in Rome until 3 May 2024.", "another value or its slot"),
        ("My trip to Rome ends on 3 May 2024.", "another value or its slot"),
        (TURN.text, "the same words"),
        ("Rome\n3 May 2024", "empty or too long"),
        ("", "empty or too long"),
        ("Rome, 3 May 2024. " * 20, "empty or too long"),
    ],
)
def test_a_rewording_is_taken_only_if_it_says_the_same(text: str, refused: str | None) -> None:
    """The value stays, no other comes in, days and numbers are the same."""
    assert check(WANTED, text) == refused


def test_words_change_and_nothing_else(world: Path, tmp_path: Path) -> None:
    """Questions and truth keep their bytes, ids and times stay, and what changed states its facts."""
    made = paraphrase(world, Paraphraser(Scripted(reword, name="m")), tmp_path / "out")
    for name in ("questions.jsonl", "truth.jsonl"):
        assert (world / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
    old, new = (open_dataset(f"own:{folder}") for folder in (world, tmp_path / "out"))
    assert isinstance(old, HasTruth)
    stating = {(fact.conversation, key) for fact in old.truth() for key in fact.turns}
    changed = 0
    for before, after in zip(old.cases(), new.cases(), strict=True):
        for one, other in zip(before.conversation.turns(), after.conversation.turns(), strict=True):
            assert (one.id, one.at, one.speaker, one.role) == (other.id, other.at, other.speaker, other.role)
            if one.text != other.text:
                assert (before.conversation.id, one.id) in stating
                changed += 1
    told = made["paraphrase"]
    assert (told["accepted"], told["kept"], told["asked"]) == (changed, {}, changed)
    assert (told["model"], told["prompt"], told["of"]) == ("m", "paraphrase-turn-1", old.identity.sha256)
    assert made == json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert (made["seed"], made["name"], "measured" in made) == (0, "synthetic", True)


def test_what_is_refused_stays_and_is_counted(world: Path, tmp_path: Path) -> None:
    """Failed calls, unreadable replies and wrong ones leave the turn as it was."""

    def fails(request: Request) -> str:
        match int(request.key, 16) % 4:
            case 0:
                raise ModelError("down")
            case 1:
                return "as you like"
            case 2:
                return json.dumps({"text": "Something."})
            case _:
                return reword(request)

    made = paraphrase(world, Paraphraser(Scripted(fails, name="m")), tmp_path / "out")["paraphrase"]
    assert set(made["kept"]) == {"a value is missing", "no reply that can be read"}
    assert made["accepted"] + sum(made["kept"].values()) == made["asked"]
    assert made["accepted"] > 0


def test_a_record_makes_it_again_without_a_model(world: Path, tmp_path: Path) -> None:
    """Replayed, the same bytes come out and nothing is asked, whatever the number of workers."""
    cassette = tmp_path / "replies.sqlite"
    asked = Scripted(reword, name="m")
    first = paraphrase(world, Paraphraser(Access(asked, cassette=cassette)), tmp_path / "one", workers=3)
    silent = Scripted([], name="m")
    access = Access(silent, cassette=cassette, mode="replay")
    assert paraphrase(world, Paraphraser(access), tmp_path / "two", workers=1) == first
    assert (len(asked.asked), silent.asked) == (first["paraphrase"]["asked"], [])
    assert (tmp_path / "one" / "turns.jsonl").read_bytes() == (tmp_path / "two" / "turns.jsonl").read_bytes()


def test_nothing_but_the_turn_and_its_spans_is_shown(world: Path) -> None:
    """No prompt holds a question of the world, and assistants and tools are not reworded."""
    prompts = list(requests(world, Paraphraser(Scripted([], name="m"))))
    questions = [question.text for case in open_dataset(f"own:{world}").cases() for question in case.questions]
    assert prompts
    assert not any(question in prompt.messages[1].text for question in questions for prompt in prompts)
    texts = {t.text: t.role for c in open_dataset(f"own:{world}").cases() for t in c.conversation.turns()}
    assert {texts[shown(prompt, "turn")] for prompt in prompts} == {"user"}

"""Other names and figures: everywhere alike, of the same length, and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.changed.entry import CaseWithGold
from memgauge.datasets.changed.kind import changed_ref
from memgauge.datasets.changed.values import RenamedValues, Renaming
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn
from memgauge.text.tokens import tokenize

SAID = (
    ("Caroline", "Hey Mel! Annual reports are due, so I met Ann in Porto on 12 May 2023 at 10:30."),
    ("Melanie", "Caroline, that's great. Did ANN bring Ann's 24 maps? I will ask Will. Will that do?"),
    ("Caroline", "Yes, we paid $1,250 for 24 of them, and the porter kept 3. Room 482137, then 482173."),
    ("user", "i went to porto with anna-lena once; it's the 8th time in 2019."),
)
ASKED = (
    ("Who met Ann in Porto?", ("Caroline",)),
    ("How much was paid in all?", ("$1,250",)),
    ("How far?", ("999",)),
)


def entry(said: tuple[tuple[str, str], ...] = SAID) -> CaseWithGold:
    """Make a conversation of what is *said*, and ask."""
    turns = tuple(Turn(f"t{n}", speaker, text, "s1") for n, (speaker, text) in enumerate(said))
    questions = tuple(Question(f"q{n}", "c", text, "any") for n, (text, _) in enumerate(ASKED))
    evidence = tuple(Evidence(turn.id, exact=True, turns=(turn.id,)) for turn in turns[2:3])
    golds = tuple(Gold(f"q{n}", evidence, answers, answers[0]) for n, (_, answers) in enumerate(ASKED))
    return CaseWithGold(Case(Conversation("c", (Session("s1", None, turns),)), questions), golds)


def texts(changed: CaseWithGold) -> list[str]:
    """List what is said."""
    return [turn.text for turn in changed.conversation.turns()]


def test_names_are_others_in_every_place_and_form() -> None:
    """A name is renamed with its case and its possessive, and not inside of another word."""
    new = Renaming.of(entry(), 1)
    ann, porto, caroline = (new.names[name] for name in ("ann", "porto", "caroline"))
    first, second, third, _ = texts(RenamedValues(1).entry(entry()))
    assert f"met {ann.title()} in {porto.title()} on" in first
    assert "Annual reports" in first
    assert f"Did {ann.upper()} bring {ann.title()}'s" in second
    assert second.startswith(f"{caroline.title()}, that's great.")
    assert "I will ask Will. Will that do?" in second
    assert "the porter kept 3" in third


def test_a_short_name_becomes_the_short_form_of_the_new_name() -> None:
    """Mel goes on being short for Melanie."""
    new = Renaming.of(entry(), 3)
    assert new.names["melanie"].startswith(new.names["mel"])
    assert new.names["mel"] != "mel"


def test_figures_keep_their_length_dates_stay_and_likeness_stays() -> None:
    """Money and codes become others, days, times, years, ordinals and counts do not."""
    first, second, third, fourth = texts(RenamedValues(1).entry(entry()))
    assert "on 12 May 2023 at 10:30" in first
    assert "the 8th time in 2019" in fourth
    figures = Renaming.of(entry(), 1).figures
    turned = {text: text.translate(figures) for text in ("24", "1,250", "482137", "482173")}
    assert f"{turned['24']} maps" in second
    assert f"${turned['1,250']} for {turned['24']} of them" in third
    assert f"Room {turned['482137']}, then {turned['482173']}." in third
    assert sorted(turned["482137"]) == sorted(turned["482173"])
    assert all(new != old and len(new) == len(old) for old, new in turned.items())


def test_gold_and_speakers_change_alike_and_reckoned_answers_are_left_out() -> None:
    """An answer is renamed as what it was said in; one that nobody said has none any more."""
    renaming = Renaming.of(entry(), 1)
    changed = RenamedValues(1).entry(entry())
    speakers = [turn.speaker for turn in changed.conversation.turns()]
    assert speakers[0] == speakers[2] == renaming.names["caroline"].title()
    assert speakers[3] == "user"
    who, paid, far = changed.golds
    assert who.answers == (renaming.names["caroline"].title(),) == (who.raw_answer,)
    assert paid.answers == (f"${'1,250'.translate(renaming.figures)}",)
    assert (far.answers, far.raw_answer) == ((), None)


_WORDS = st.lists(
    st.sampled_from(["Ann", "annual", "Porto", "porto", "24", "2400", "07", "12", "met", "in", "don't"]),
    max_size=12,
)


@given(said=st.lists(_WORDS, min_size=1, max_size=6), seed=st.integers(min_value=0, max_value=5))
def test_renaming_loses_no_distinction_and_no_length(said: list[list[str]], seed: int) -> None:
    """Words that were the same are the same, words that were others are others, and every text is as long."""
    old = entry(tuple(("Ada", " ".join(words)) for words in said))
    new = RenamedValues(seed).entry(old)
    became: dict[str, str] = {}
    for before, after in zip(texts(old), texts(new), strict=True):
        assert len(before) == len(after)
        for one, other in zip(tokenize(before), tokenize(after), strict=True):
            assert became.setdefault(one, other) == other
    assert len(set(became.values())) == len(became)


def test_the_changed_world_holds_no_old_name() -> None:
    """Made-up values of the synthetic world that stand inside sentences are said nowhere in the renamed one."""
    old, new = (
        open_dataset("synthetic:tiny"),
        open_dataset(changed_ref("renamed-values", "synthetic:tiny", seed=3)),
    )
    for before, after in zip(old.cases(), new.cases(), strict=True):
        golds = [gold for gold in old.gold() if gold.question.startswith(before.conversation.id)]
        names = Renaming.of(CaseWithGold(before, tuple(golds)), 3).names
        words = {word for turn in after.conversation.turns() for word in tokenize(turn.text)}
        assert names
        assert words.isdisjoint(names)

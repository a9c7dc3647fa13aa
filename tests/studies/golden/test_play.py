"""Playing: what every step does to a memory, to the clock and to the ledger."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.records import Hit, Memory, Ranking, Receipt, Scope, Verdict
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.play import Play
from memgauge.studies.golden.runner import Options, run_scenario
from memgauge.studies.golden.scenario import LAYERS, Scenario
from memgauge.studies.golden.scene import EPOCH, span
from memgauge.studies.golden.steps.telling import _with_value
from memgauge.studies.golden.summary import ABSENT
from memgauge.systems.protocol import Capabilities, Consistency
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.named import REFERENCES
from support.wire import speaking

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.records import Turn
    from memgauge.studies.golden.runner import ScenarioResult
    from memgauge.systems.protocol import AuditEntry
    from memgauge.systems.reference.ideal import IdealEntry

VET = {"say": "My vet is {vet}.", "sets": {"vet": "vet"}}
WHO = {"ask": "Who is my vet?", "about": "vet"}


class Diary:
    """Keeps turns as they come, and returns those of the scope, the latest first."""

    name = "diary"
    version = "1"

    def __init__(self) -> None:
        self.turns: list[tuple[Scope, Turn]] = []

    def capabilities(self) -> Capabilities:
        """Declare nothing."""
        return Capabilities()

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep."""
        self.turns += [(scope, turn) for turn in turns]
        return Receipt()

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Do nothing."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return turns."""
        return Ranking(tuple(Hit(memory) for memory in reversed(self.dump(scope)))[:k])

    def dump(self, scope: Scope) -> list[Memory]:
        """List turns."""
        return [Memory(str(n), turn.text) for n, (owner, turn) in enumerate(self.turns) if owner == scope]

    def reset(self) -> None:
        """Forget."""
        self.turns.clear()


class Restless(Diary):
    """Returns the same in another order every time."""

    flips = 0

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return turns, turned round at every second call."""
        self.flips += 1
        hits = super().search(query, scope, k).hits
        return Ranking(hits[:: 1 if self.flips % 2 else -1])


class Generous(Diary):
    """Returns everything."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Ignore the limit."""
        return super().search(query, scope, 100)


class Strict(Diary):
    """Refuses odd users, and says in its refusal what it knows."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Refuse nobody but nobody."""
        if not scope.user:
            raise ValueError(f"no user, but {self.turns[0][1].text}")
        return super().search(query, scope, k)


def scenario(*steps: Any, **more: Any) -> Scenario:
    """Read a scenario with these steps."""
    return Scenario.model_validate({"id": "a.b", "title": "A case", "family": "a", "steps": [*steps], **more})


def played(*steps: Any, on: Any = None, seed: str = "0", **more: Any) -> tuple[Play, Any]:
    """Play steps on a diary, or on another memory; return the play and the memory."""
    memory = on or Diary()
    driver = Driver(memory)
    try:
        play = Play(scenario(*steps, **more), driver, seed, LAYERS)
        play.run()
    finally:
        driver.close()
    return play, memory


def ended(*steps: Any, on: type[Any] = Ideal, **more: Any) -> ScenarioResult:
    """Run steps on a fresh memory."""
    return run_scenario(scenario(*steps, **more), on, Options())


def texts(memory: Diary) -> list[str]:
    """Return what was said, in the order in which it arrived."""
    return [turn.text for _, turn in memory.turns]


def test_a_turn_says_who_spoke_when_and_where() -> None:
    """Users speak for themselves, other channels by their name; a minute passes with everything that is said."""
    _, diary = played(
        {"user": "bob", "tenant": "acme", "agent": "helper"},
        {"session": "s1"},
        VET,
        {"advance": "2d"},
        {"say": "Noted.", "channel": "assistant", "id": "reply"},
        {"say": "Old news.", "at": "-3d"},
        WHO,
    )
    scopes, turns = zip(*diary.turns, strict=True)
    assert set(scopes) == {Scope("bob", "acme", "helper")}
    assert [(turn.speaker, turn.role, turn.session) for turn in turns] == [
        ("bob", "user", "s1"),
        ("assistant", "assistant", "s1"),
        ("bob", "user", "s1"),
    ]
    minute, two_days = timedelta(minutes=1), timedelta(days=2)
    assert [turn.at - EPOCH for turn in turns] == [
        minute,
        two_days + 2 * minute,
        two_days + 3 * minute - timedelta(days=3),
    ]
    assert turns[1].id == "reply"
    assert len({turn.id for turn in turns}) == 3


def test_days_in_a_text_are_counted_from_the_sentence() -> None:
    """``{@5d}`` is the day five days after what is said or asked."""
    _, diary = played({"say": "Until {@5d}, since {@-5d}."}, {"say": "On {@0d}.", "at": "-10d"}, WHO)
    assert texts(diary) == ["Until 10 January 2026, since 31 December 2025.", "On 26 December 2025."]


def test_what_is_said_often_has_a_value_each_time() -> None:
    """Copies of a sentence have tokens and turns of their own."""
    play, diary = played({"say": "I met {who}.", "times": 30, "adds": {"met": "who"}}, WHO)
    assert len(set(texts(diary))) == len({turn.id for _, turn in diary.turns}) == 30
    assert len({write.token for write in play.ledger}) == 30


def test_the_seed_decides_tokens_and_lanes() -> None:
    """A run can be repeated to the letter, and another seed has another one."""
    lanes = [[{"say": f"{name}{n}"} for n in range(4)] for name in "ab"]
    steps = [VET, {"concurrent": lanes}, WHO]
    first, again, other = (texts(played(*steps, seed=seed)[1]) for seed in ("1", "1", "2"))
    assert first == again != other
    assert sorted(first[1:]) == sorted(other[1:])
    assert [text for text in first if text[0] == "a"] == ["a0", "a1", "a2", "a3"]


ASIDE = {"session": "aside", "confined": True}


class Roomless(Diary):
    """Says that it keeps no session to itself."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep what belongs to no session."""
        if scope.session is not None:
            raise NotImplementedError("there are no sessions here")
        return super().ingest(turns, scope)


class Careless(Diary):
    """Takes a session that keeps to itself for any other."""

    def dump(self, scope: Scope) -> list[Memory]:
        """List turns of the user."""
        return [
            Memory(str(n), turn.text) for n, (owner, turn) in enumerate(self.turns) if owner.user == scope.user
        ]


def test_a_session_that_keeps_to_itself_is_named_by_the_scope() -> None:
    """Until the next session begins, whoever speaks; a session that does not keep to itself is in no scope."""
    _, diary = played(
        {"session": "one"}, VET, ASIDE, {"say": "a"}, {"user": "bob", "agent": "helper"}, {"say": "b"},
        {"session": "one"}, {"say": "c"}, {"user": "alice"}, WHO,
    )  # fmt: skip
    assert [(scope, turn.session) for scope, turn in diary.turns] == [
        (Scope("alice"), "one"),
        (Scope("alice", session="aside"), "aside"),
        (Scope("bob", agent="helper", session="aside"), "aside"),
        (Scope("bob", agent="helper"), "one"),
    ]


def test_a_memory_that_ignores_sessions_fails_and_one_that_has_none_does_not_apply() -> None:
    """What is said aside must not be known outside, and the other way round; an honest refusal is no failure."""
    steps = [VET, WHO, ASIDE, {"say": "My cat is {cat}.", "sets": {"cat": "cat"}}, WHO]
    assert ended(*steps).anomalies == ()
    result = ended(*steps, on=Careless)
    assert result.anomalies == (Anomaly.CROSS_SESSION_LEAK,)
    assert "alice in session aside was shown it" in result.detail
    refused = ended(*steps, on=Roomless)
    assert (refused.verdict, refused.blocks) == (Verdict.UNSUPPORTED, False)
    assert refused.detail == "step 4 needs a memory that keeps a session to itself"


class Waiting(Diary):
    """Keeps what is said in a queue until it is asked to settle, and says so."""

    def __init__(self, *, drops: bool = False) -> None:
        super().__init__()
        self.queue: list[tuple[Scope, Turn]] = []
        self.drops = drops
        """Whether an erasure empties the queue, too."""

    def capabilities(self) -> Capabilities:
        """Declare that it settles on request."""
        return Capabilities(consistency=Consistency.FLUSH)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Queue."""
        self.queue += [(scope, turn) for turn in turns]
        return Receipt()

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Keep what this user said."""
        self.turns += [each for each in self.queue if each[0] == scope]
        self.queue = [each for each in self.queue if each[0] != scope]

    def erase(self, scope: Scope) -> None:
        """Forget what is kept."""
        self.turns = [each for each in self.turns if each[0] != scope]
        self.queue = [each for each in self.queue if not (self.drops and each[0] == scope)]


def test_what_needs_time_settles_before_anybody_looks() -> None:
    """Several say something first, and all of it is there; an erasure does not wait for what is queued."""
    unsettled = {**VET, "flush": False}
    play, _ = played(unsettled, {"user": "bob"}, unsettled, WHO, {"user": "alice"}, WHO, on=Waiting())
    assert (play.positive, play.findings) == (2, [])
    erased = [unsettled, {"erase": "user"}, WHO]
    seen = [
        {finding.anomaly for finding in played(*erased, on=Waiting(drops=drops))[0].findings}
        for drops in (True, False)
    ]
    assert seen == [set(), {Anomaly.ERASED_READ}]


def test_an_update_puts_a_longer_day_in_the_place_of_a_shorter_one() -> None:
    """A day is found in more than one spelling and is replaced once."""
    assert _with_value("budget: 3 May 2041", "3 May 2041", "12 January 2041") == "budget: 12 January 2041"


def test_what_is_said_in_one_minute_is_of_that_minute() -> None:
    """The clock stands still, and the later of two holds."""
    again = {"say": "My vet is {other}.", "sets": {"vet": "other"}, "same_minute": True}
    play, _ = played(VET, again, WHO, on=Ideal())
    assert (len({turn.at for turn in (handed.turn for handed in play.turns)}), play.findings) == (1, [])


class Plain(Ideal):
    """Takes users of plain ids."""

    def _plain(self, scope: Scope) -> None:
        if not (scope.user or "").replace("-", "").isalnum():
            raise ValueError("no such user can be")

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Refuse others."""
        self._plain(scope)
        return super().ingest(turns, scope)

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """Refuse others."""
        self._plain(scope)
        return super().dump(scope)

    def erase(self, scope: Scope) -> None:
        """Refuse others."""
        self._plain(scope)
        super().erase(scope)


def test_to_erase_nobody_may_be_refused() -> None:
    """A memory that takes no odd ids has nothing to erase of them, and races name users whom nobody refuses."""
    erased = [VET, WHO, {"user": "../alice"}, {"erase": "user"}, {"user": "alice"}, WHO]
    assert ended(*erased, on=Plain).verdict == Verdict.PASS
    assert ended(VET, WHO, {"user": "../al"}, VET, on=Plain).verdict == Verdict.UNSUPPORTED
    assert ended({"race": ["same"], "rounds": 1}, VET, WHO, on=Plain).verdict == Verdict.PASS


def test_an_odd_id_may_be_refused_inside_other_steps() -> None:
    """What is refused first in a lane or in a round is not tried, as it is outside of them."""
    for holder in ({"concurrent": [[VET], [WHO]]}, {"repeat": 2, "steps": [VET]}):
        refused = ended({"user": "../al"}, holder, on=Plain)
        assert (refused.verdict, refused.detail) == (
            Verdict.UNSUPPORTED,
            "step 2 needs a memory that takes odd ids",
        )


def test_a_refusal_is_heard_through_a_wire() -> None:
    """A memory in a process of its own says it in the message of its error."""
    body = """
        said = {"code": -32000, "message": "NotImplementedError: there are no sessions here"}
        if ((params or {}).get("scope") or {}).get("session"):
            print(json.dumps({"jsonrpc": "2.0", "id": id, "error": said}), flush=True)
        else:
            say({})
    """
    result = run_scenario(scenario(ASIDE, VET, WHO), lambda: speaking(body), Options())
    assert (result.verdict, result.detail) == (
        Verdict.UNSUPPORTED,
        "step 2 needs a memory that keeps a session to itself",
    )


def test_what_is_not_implemented_elsewhere_is_an_error() -> None:
    """Only a scope that names a session can be refused so."""

    class Unfinished(Diary):
        def flush(self, scope: Scope, timeout_s: float) -> None:
            raise NotImplementedError

    assert ended(VET, WHO, on=Unfinished).verdict == Verdict.ERROR

    class Broken(Diary):
        def flush(self, scope: Scope, timeout_s: float) -> None:
            raise OSError(scope.session)

    assert ended(ASIDE, VET, WHO, on=Broken).verdict == Verdict.ERROR


def test_a_probe_stays_in_the_session() -> None:
    """Whoever is asked as is asked as in the session that keeps to itself."""
    steps = [VET, WHO, ASIDE, {"probe": ["vet"], "as_users": ["alice"], "surfaces": ["list"]}]
    assert ended(*steps, on=Careless).anomalies == (Anomaly.CROSS_SESSION_LEAK,)
    assert ended(*steps, on=Diary).anomalies == ()


def test_a_session_that_keeps_to_itself_is_replayed_into_itself() -> None:
    """Whoever asks for it outside; another user's is left alone."""
    _, diary = played(
        ASIDE, VET, {"user": "bob"}, {"say": "Mine."}, {"user": "alice"}, {"session": "two"},
        {"reingest": "aside"}, WHO,
    )  # fmt: skip
    assert [(scope.user, scope.session) for scope, _ in diary.turns] == [
        *(("alice", "aside"), ("bob", "aside"), ("alice", "aside")),
    ]
    assert diary.turns[2] == diary.turns[0]


def test_an_erasure_keeps_to_the_session() -> None:
    """Everything of a user, in a session that keeps to itself, is everything of that session."""
    outside = [{"session": "two"}, WHO]
    assert ended(VET, ASIDE, VET, {"erase": "user"}, WHO, *outside).verdict == Verdict.PASS
    assert ended(ASIDE, VET, *outside[:1], VET, {"erase": "user"}, ASIDE, WHO).verdict == Verdict.PASS


def test_days_of_a_run_are_never_the_same() -> None:
    """There are few days, and many sentences: one that is taken is passed over."""
    play, _ = played({"say": "On {day}.", "times": 400, "adds": {"day": "day"}}, WHO, vars={"day": "date"})
    assert len({write.token for write in play.ledger}) == 400


def test_every_lane_goes_on_as_whoever_it_began_as() -> None:
    """A lane that changes user and session changes nobody else's."""
    lane = [{"user": "bob"}, {"session": "b"}, {"say": "b1"}, {"say": "b2"}]
    _, diary = played({"concurrent": [lane, [{"say": "a1"}, {"say": "a2"}]]}, {"say": "a3"}, WHO)
    said = {(scope.user, turn.session, turn.text[0]) for scope, turn in diary.turns if turn.text != "a3"}
    assert said == {("bob", "b", "b"), ("alice", "s0", "a")}


def test_a_retry_delivers_the_next_write_twice() -> None:
    """The same turn arrives again, and the one after it once."""
    _, diary = played({"fault": "retry"}, VET, {"say": "Bye."}, WHO)
    assert [turn.id for _, turn in diary.turns].count(diary.turns[0][1].id) == 2
    assert texts(diary)[2:] == ["Bye."]


def test_a_session_is_handed_over_once_more() -> None:
    """A replay repeats the turns of one session of one user, and means nothing new."""
    play, diary = played(
        {"session": "one"}, VET, {"user": "bob"}, {"say": "Mine."}, {"user": "alice"}, {"session": "two"},
        {"say": "Bye."}, {"reingest": "one"}, WHO,
    )  # fmt: skip
    assert texts(diary)[3:] == texts(diary)[:1]
    assert len(list(play.ledger)) == 1


@pytest.mark.parametrize(
    ("meaning", "moods"),
    [
        ({"sets": {"vet": "vet"}}, [("fact", True, True)]),
        ({"adds": {"vet": "vet"}}, [("fact", False, True)]),
        ({"was": {"vet": "vet"}, "until": "-2d"}, [("fact", True, False)]),
        ({"supposes": {"vet": "vet"}}, [("supposed", True, True)]),
        ({"plants": {"vet": "vet"}, "channel": "web"}, [("planted", True, True)]),
        ({}, []),
    ],
)
def test_the_ledger_notes_what_is_meant(meaning: dict[str, Any], moods: list[tuple[str, bool, bool]]) -> None:
    """Every meaning is one write, with its mood, its kind and its beginning."""
    play, _ = played({"say": "It is {vet}.", **meaning}, WHO)
    assert [(str(w.mood), w.functional, w.valid_from is not None) for w in play.ledger] == moods


def test_what_holds_until_a_day_holds_on_it() -> None:
    """The end is the midnight after the last day."""
    play, _ = played({**VET, "until": "3d"}, WHO)
    (write,) = play.ledger
    assert write.valid_to == datetime(2026, 1, 9)  # noqa: DTZ001 - scenarios live in naive local time


@pytest.mark.parametrize(
    ("step", "needs"),
    [
        ({"restart": "crash"}, "durable"),
        ({"erase": "user"}, "erasable"),
        ({"erase": "vet"}, "mutable"),
        ({"assert": {"audit": "erasure"}}, "auditable"),
        ({"assert": {"audit": "history", "about": "vet"}}, "auditable"),
    ],
)
def test_what_a_memory_does_not_offer_is_unsupported(step: dict[str, Any], needs: str) -> None:
    """A step that cannot be played is never a pass."""
    result = ended(VET, step, WHO, on=Diary)
    assert (result.verdict, result.detail) == (Verdict.UNSUPPORTED, f"step 2 needs a memory that is {needs}")
    assert ended(VET, WHO, step, {"ask": "Hm?", "about": "x"}).verdict == Verdict.PASS
    named = ended(VET, WHO, on=Diary, requires=[needs])
    assert (named.verdict, named.detail) == (Verdict.UNSUPPORTED, f"the memory offers no {needs}")


def test_the_same_question_has_the_same_answer() -> None:
    """Where nothing changed, a search finds the same again; a write in between may change it."""
    more = {"say": "My cat is {cat}.", "sets": {"cat": "cat"}}
    assert ended(VET, more, WHO, WHO, on=Diary).anomalies == ()
    assert ended(VET, more, WHO, WHO, on=Restless).anomalies == (Anomaly.UNSTABLE,)
    assert ended(VET, more, WHO, {"say": "Well."}, WHO, on=Restless).anomalies == ()
    assert ended(VET, more, WHO, {"advance": "1d"}, WHO, on=Restless).anomalies == ()


def test_a_search_keeps_to_its_limit() -> None:
    """More than was asked for is too much."""
    steps = [{"say": "Hi."}, VET, {**WHO, "k": 1}]
    assert ended(*steps, on=Diary).anomalies == ()
    assert ended(*steps, on=Generous).anomalies == (Anomaly.OVER_LIMIT,)


def test_a_refusal_shows_nothing_but_its_words() -> None:
    """A memory may refuse a strange id, and must not say in its refusal what it knows."""
    probe = {"probe": ["vet", "*"], "as_users": [None, "bob"], "surfaces": ["search", "list", "context"]}
    result = ended(VET, WHO, probe, on=Strict)
    assert result.anomalies == (Anomaly.CROSS_USER_LEAK,)
    play, _ = played(VET, WHO, probe)
    assert (play.probes, play.findings) == (2 * 5, [])


def test_without_a_control_nothing_is_proven() -> None:
    """A scenario in which only the absence of something is checked is vacuous."""
    other = [VET, {"user": "bob"}, WHO]
    assert ended(*other).verdict == Verdict.VACUOUS
    assert ended(VET, WHO, *other[1:]).verdict == Verdict.PASS


def test_what_nobody_looked_at_is_no_pass() -> None:
    """Questions at a layer that is not there are unsupported, a scenario without any check is vacuous."""
    asked = run_scenario(scenario(VET, WHO), Diary, Options(layers=("answer",)))
    assert (asked.verdict, asked.positive, asked.negative) == (Verdict.UNSUPPORTED, 0, 0)
    assert "asks at recall, context and answer" in asked.detail
    assert ended({"say": "Good morning."}, {"assert": {"listed": "vet"}}, on=Diary).verdict == Verdict.VACUOUS
    counted = scenario(VET, {"erase": "vet", "counted": True}, WHO)
    assert run_scenario(counted, Ideal, Options(layers=("store",))).verdict == Verdict.PASS


@pytest.mark.parametrize(
    ("words", "anomaly"),
    [
        ("My vet is", None),
        ("My vet is not", Anomaly.NEGATED),
        ("bob's vet is", Anomaly.MISATTRIBUTED),
    ],
)
def test_a_list_says_what_holds_as_it_is(words: str, anomaly: Anomaly | None) -> None:
    """What holds stands in the list of what is stored, is not denied there, and is told of whose it is."""

    class Twisted(Diary):
        def dump(self, scope: Scope) -> list[Memory]:
            return [
                replace(memory, text=memory.text.replace("My vet is", words)) for memory in super().dump(scope)
            ]

        def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
            return Ranking(tuple(Hit(memory) for memory in super().dump(scope)))

    car = {"say": "My car is {car}.", "sets": {"car": "car"}}
    steps = [{"user": "bob"}, car, {"user": "alice"}, VET, WHO, {"assert": {"listed": "vet"}}]
    assert ended(*steps, on=Twisted).anomalies == ((anomaly,) if anomaly else ())


def test_what_was_erased_is_shown_to_no_stranger() -> None:
    """Who looks for what is left looks as a stranger too, at whatever is returned or raised."""

    class Blabbing(Ideal):
        def context(self, query: str, scope: Scope, budget: int) -> str:
            if scope.user == "mallory":
                raise PermissionError(f"not yours: {self.heard}")
            return super().context(query, scope, budget)

        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            self.heard = turns[0].text
            return super().ingest(turns, scope)

    steps = [{"say": "Hello."}, VET, WHO, {"erase": "vet"}, {"assert": {"residue": True}}]
    assert ended(*steps, on=Blabbing).verdict == Verdict.FAIL
    assert ended(*steps, on=Ideal).verdict == Verdict.PASS


def test_what_is_kept_of_a_turn_without_words_has_a_source() -> None:
    """A memory that keeps such turns, handed over among others, is not blamed for naming them."""

    class Sourced(Diary):
        def dump(self, scope: Scope) -> list[Memory]:
            return [Memory(turn.id, turn.text, sources=(turn.id,)) for owner, turn in self.turns if owner == scope]

    blanks = {**VET, "together": True, "imported": "with blanks"}
    assert ended(blanks, WHO, {"assert": {"listed": "vet"}}, on=Sourced).anomalies == ()


def test_a_probe_looks_wherever_a_memory_shows_something() -> None:
    """Where a scenario names no surface, histories and contexts are looked at as well as searches and lists."""

    class Talkative(Ideal):
        def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
            return super().history(memory, replace(scope, user="alice"))

    probe = {"probe": ["vet"], "as_users": ["bob"]}
    assert ended(VET, WHO, probe, on=Talkative).anomalies == (Anomaly.CROSS_USER_LEAK,)
    assert ended(VET, WHO, {**probe, "surfaces": ["search", "list"]}, on=Talkative).anomalies == ()
    assert ended(VET, WHO, probe, on=Ideal).anomalies == ()


def test_what_is_stored_twice_is_a_duplicate() -> None:
    """The same words twice are one too many."""
    once = {"assert": {"once": "vet"}}
    assert ended({"fault": "retry"}, VET, WHO, once, on=Diary).anomalies == (Anomaly.DUPLICATE,)
    assert ended({"fault": "retry"}, VET, WHO, once).anomalies == ()


def test_what_is_planted_must_lie_apart() -> None:
    """What is stored of an untrusted channel says that it is not believed."""
    plant = {"say": "P.S. {vet}", "channel": "web", "plants": {"vet": "vet"}}
    kept = {"assert": {"quarantined": True}}
    assert ended(plant, kept, on=Diary).anomalies == (Anomaly.POISON_ACTIVE,)
    assert ended(plant, kept).anomalies == ()


def test_an_erasure_is_checked_in_store_audit_and_files() -> None:
    """What was erased leaves the list and the files, and a trace without its words; a second one finds nothing."""
    result = ended(
        VET,
        WHO,
        {"erase": "vet"},
        {"erase": "vet", "again": True},
        {"assert": {"residue": True, "audit": "erasure"}},
        WHO,
    )
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert result.negative > 3


def test_the_layers_that_are_asked_are_those_that_are_there() -> None:
    """A memory that only searches is only searched; of the past there is no context."""
    assert played(VET, WHO)[0].positive == 1
    assert played(VET, WHO, on=Ideal())[0].positive == 3
    assert played(VET, {**WHO, "layers": ["answer"]}, on=Ideal())[0].positive == 1
    assert played(VET, {"advance": "2d"}, {**WHO, "as_of": "-1d"}, on=Ideal())[0].positive == 2


class Timeless(Ideal):
    """Learns the time from turns and sweeps alone, and not from what it is asked."""

    def __init__(self, *, late: bool = False) -> None:
        """Know no time yet; *late* stays at the time of the first turn."""
        super().__init__()
        self.late = late
        self.told: datetime | None = None

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Note what time it is."""
        self.told = self.told if self.late and self.told else turns[-1].at
        return super().ingest(turns, scope)

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Note what time it is."""
        self.told = turn.at
        return super().ingest_expiring(turn, scope, expires_at)

    def _now(self) -> datetime | None:
        return self.told


class NeverOnTime(Timeless):
    """Stays at the time of the first turn."""

    def __init__(self) -> None:
        """Know no time yet."""
        super().__init__(late=True)


SOON: Any = {"say": "From {@4d} on, my vet is {new}.", "sets": {"vet": "new"}, "starts": "4d"}
COLOUR: Any = {"say": "My colour is {colour}.", "sets": {"colour": "colour"}}
IN_CONTEXT: Any = {**WHO, "layers": ["context"]}


@pytest.mark.parametrize(
    "change",
    [SOON, {"say": "For a day my vet is {new}.", "sets": {"vet": "new"}, "expires_in": "1d"}],
    ids=["begins", "ends"],
)
def test_a_context_is_judged_by_the_time_that_the_memory_was_told(change: Any) -> None:
    """What began or ended by itself since the last turn, a memory that is asked without a time cannot know."""
    silent = [VET, change, WHO, {"advance": "5d"}, WHO]
    assert ended(*silent, on=Timeless).verdict == Verdict.PASS
    assert ended(*silent, on=Ideal).verdict == Verdict.PASS
    told = [VET, change, IN_CONTEXT, {"advance": "5d"}, COLOUR, WHO]
    assert ended(*told, on=Timeless).verdict == Verdict.PASS
    assert ended(*told, on=NeverOnTime).verdict == Verdict.FAIL


def test_what_was_may_be_named_as_of_a_time_before_it_was_told_and_need_not() -> None:
    """Some memories take as-of for what was known then; none may name the present one there."""
    once = {"say": "Until {@-9d} my vet was {old}.", "was": {"vet": "old"}, "until": "-9d"}
    then = {**WHO, "as_of": "-12d", "layers": ["recall"]}

    class Knowing(Ideal):
        """Takes as-of for what was known then."""

        def _found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:
            entries = super()._found(query, scope, as_of)
            return [entry for entry in entries if as_of is None or entry.at is None or entry.at <= as_of]

    class Present(Ideal):
        """Knows no past."""

        def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
            return super().search(query, scope, k, None)

    assert ended(VET, once, then, WHO).verdict == Verdict.PASS
    assert ended(VET, once, then, WHO, on=Knowing).verdict == Verdict.PASS
    assert ended(VET, once, then, WHO, on=Present).verdict == Verdict.FAIL


def test_a_history_goes_on_as_time_does_in_every_life_of_an_id() -> None:
    """What is told late of a slot that was erased begins anew under its id; within a life times stand in order."""

    class Backwards(Ideal):
        def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
            return super().history(memory, scope)[::-1]

    anew = [{"erase": "vet"}, {**VET, "say": "My vet is {late}.", "sets": {"vet": "late"}, "at": "-2d"}]
    steps = [VET, *anew, {"update": "vet", "to": "new"}, {"assert": {"audit": "history", "about": "vet"}}, WHO]
    memories: list[Any] = [Ideal, *REFERENCES.values()]
    for memory in memories:
        assert ended(*steps, on=memory).verdict == Verdict.PASS
    assert ended(*steps, on=Backwards).anomalies == (Anomaly.UNAUDITED,)


def test_an_id_is_refused_as_what_it_is_an_id_of() -> None:
    """Who takes a tenant of an odd name may refuse an agent or a session of that name."""

    class NoBlanks(Ideal):
        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            if " " in (scope.agent or "") or " " in (scope.session or ""):
                raise ValueError("agents and sessions have no blanks")
            return super().ingest(turns, scope)

    tenant = {"user": "ada", "tenant": "a a"}
    for refused in ({"user": "ada", "agent": "a a"}, {"session": "a a", "confined": True}):
        assert ended(tenant, VET, WHO, refused, VET, WHO, on=NoBlanks).verdict == Verdict.UNSUPPORTED
        assert ended(refused, VET, WHO, on=Ideal).verdict == Verdict.PASS
    assert ended({"session": "aa", "confined": True}, VET, WHO, on=Roomless).verdict == Verdict.UNSUPPORTED


@pytest.mark.parametrize(("text", "seconds"), [("2d", 172_800), ("-12h", -43_200), ("30m", 1_800), ("0s", 0)])
def test_spans_are_read(text: str, seconds: int) -> None:
    """Days, hours, minutes and seconds, forwards and backwards; nothing is no distance."""
    assert span(text) == timedelta(seconds=seconds)
    assert span(None) == timedelta()
    with pytest.raises(ValueError, match="no distance in time"):
        span(f"{text} ")


class Showing(Diary):
    """Shows everybody's turns to whoever lists."""

    def dump(self, scope: Scope) -> list[Memory]:
        """List what everybody said."""
        return [Memory(str(n), turn.text) for n, (_, turn) in enumerate(self.turns)]


def test_what_came_back_was_looked_for() -> None:
    """Of values that came back there are never more than of those that were looked for."""
    car = {"say": "My car is {car}.", "sets": {"car": "car"}}
    shown = ended(VET, {"user": "bob"}, car, {"assert": {"listed": "car"}}, on=Showing)
    violated = [finding for finding in shown.findings if finding.anomaly not in ABSENT]
    assert 0 < len(violated) <= shown.negative

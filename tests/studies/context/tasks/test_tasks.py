"""The laws of every generator, and what each task is about."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import UnknownNameError
from memgauge.studies.context.sample import Type, place
from memgauge.studies.context.tasks import EVERY_TYPE, NAMES, TASKS, sample, samples
from memgauge.text.values import days

numbers = st.integers(0, 20_000)


def said(task: str, number: int) -> list[str]:
    """List the pieces of a sample in the order of the text."""
    one = sample(task, number)
    return [piece.text for piece in sorted(one.pieces, key=lambda piece: piece.at)]


@given(st.sampled_from(NAMES), numbers, st.integers(0, 9))
def test_a_sample_is_made_from_its_number_alone(task: str, number: int, seed: int) -> None:
    """The same seed, task and number give the same; another number or seed gives another."""
    assert sample(task, number, seed) == sample(task, number, seed)
    assert len({sample(task, number, seed).key, sample(task, number + 1, seed).key}) == 2
    assert sample(task, number, seed).pieces != sample(task, number, seed + 1).pieces


@pytest.mark.parametrize("task", NAMES)
def test_positions_differ_between_samples(task: str) -> None:
    """Evidence stands elsewhere in every sample: of 100, at least 60 have it where no other has."""
    begun = [place(one, 3_000).offsets for one in samples(task, 100)]
    assert len(set(begun)) >= 60
    assert len({placed[0] for placed in begun}) >= 40


@pytest.mark.parametrize("task", NAMES)
def test_positions_cover_the_prompt(task: str) -> None:
    """Left at their own places, pieces stand in every fifth of a prompt."""
    stands = [offset for one in samples(task, 100) for offset in place(one, 2_000).offsets]
    assert {min(int(offset * 5), 4) for offset in stands} == {0, 1, 2, 3, 4}


@given(st.sampled_from(NAMES), numbers)
def test_values_are_unambiguous(task: str, number: int) -> None:
    """Right values are different from each other and from wrong ones."""
    one = sample(task, number)
    assert len({value.lower() for value in one.candidates}) == len(one.candidates)
    assert one.gold


@given(st.sampled_from([name for name in NAMES if name not in {"count", "sum", "constraint"}]), numbers)
def test_the_right_values_stand_in_the_evidence(task: str, number: int) -> None:
    """What has to be named stands in the pieces that are moved."""
    one = sample(task, number)
    text = " ".join(piece.text for piece in one.evidence)
    assert [value for value in one.gold if value not in text] == []


def test_there_is_a_task_for_every_type() -> None:
    """The default tasks take all five types, and so do all tasks."""
    assert {sample(name, 0).type for name in EVERY_TYPE} == set(Type)
    assert {sample(name, 0).type for name in NAMES} == set(Type)


def test_a_task_that_does_not_exist_is_suggested() -> None:
    """A slip is answered by the nearest name."""
    with pytest.raises(UnknownNameError, match="Did you mean latent"):
        sample("latet", 0)
    assert "latent" in TASKS


def test_latent_evidence_shares_hardly_a_word_with_its_question() -> None:
    """The measured overlap is small where nothing literal is to be found, and large where something is."""
    overlap = {
        name: sum(one.overlap for one in samples(name, 200)) / 200 for name in ("latent", "needle-dialogue", "kv")
    }
    assert overlap["latent"] <= 0.1
    assert min(overlap["needle-dialogue"], overlap["kv"]) >= 0.5


@given(numbers)
def test_the_value_of_a_key_stands_beside_it(number: int) -> None:
    """Exactly one record holds the key that is asked for."""
    one = sample("kv", number)
    key = re.findall(r'"(.+)"', one.question)[0]
    assert [line for line in said("kv", number) if key in line] == [f'"{key}": "{one.gold[0]}",']


@given(numbers)
def test_a_value_reaches_the_variables_of_its_chain(number: int) -> None:
    """Following the assignments from the value that is asked for gives the right variables, and no other."""
    one = sample("variables", number)
    value = re.findall(r"\d+", one.question)[0]
    held = dict(line.removeprefix("VAR ").split(" = ") for line in said("variables", number))

    def ends(name: str) -> str:
        given = held[name]
        return ends(given.removeprefix("VAR ")) if given.startswith("VAR ") else given

    assert {name for name in held if ends(name) == value} == set(one.gold)


@given(numbers)
def test_a_chain_leads_over_an_employer_to_one_town(number: int) -> None:
    """Two pieces, and no fewer, lead from the person who is asked for to the town."""
    one = sample("chain", number)
    person = one.question.removeprefix("In which town does ").removesuffix(" work?")
    lines = said("chain", number)
    (firm,) = [line.split(" at ")[1].rstrip(".") for line in lines if line.startswith(f"User: {person} ")]
    (town,) = [
        line.split(" in ")[1].rstrip(".") for line in lines if line.startswith(f"User: The offices of {firm} ")
    ]
    assert (town,) == one.gold
    assert not any(person in line and town in line for line in lines)


def replayed(events: list[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Follow the events of a world by hand: the rooms that every thing was in, and who is where."""
    rooms: dict[str, list[str]] = {}
    where: dict[str, str] = {}
    held: dict[str, str] = {}
    for event in events:
        words = event.rstrip(".").split()
        if " went to the " in event:
            where[words[0]] = words[4]
            for thing in [thing for thing, person in held.items() if person == words[0]]:
                rooms.setdefault(thing, []).append(words[4])
        elif " took the " in event:
            held[words[-1]] = words[0]
            rooms.setdefault(words[-1], []).append(where[words[0]])
        elif " gave the " in event:
            thing, receiver = words[3], words[-1]
            assert held[thing] == words[0]
            assert where[words[0]] == where[receiver]
            held[thing] = receiver
        else:
            assert held.pop(words[3]) == words[0]
    return rooms, where


@given(numbers)
def test_the_small_world_is_consistent(number: int) -> None:
    """Replayed by hand, the events lead to the room that is right; hands reach no further than a room."""
    one = sample("world", number)
    rooms, _ = replayed([piece.text for piece in one.pieces])
    (thing,) = [thing for thing in rooms if f"the {thing} " in one.question]
    stops = [room for room, before in zip(rooms[thing], ["", *rooms[thing]], strict=False) if room != before]
    assert one.gold == (stops[-2] if number % 2 else stops[-1],)


@given(numbers)
def test_counts_and_sums_are_those_of_the_events(number: int) -> None:
    """The number that is right is counted, or added up, from the events of the place that is asked for."""
    one = sample("count", number)
    pool = one.question.removeprefix("How many times did I swim at the ").removesuffix(" pool?")
    assert one.gold == (str(sum(f"the {pool} pool" in line for line in said("count", number))),)
    one = sample("sum", number)
    shop = one.question.removeprefix("How many euros did I pay at ").removesuffix(" in all?")
    paid = [int(re.findall(r"\d+", line)[0]) for line in said("sum", number) if line.endswith(f"at {shop}.")]
    assert one.gold == (str(sum(paid)),)


@given(numbers)
def test_a_set_is_who_joined_the_choir_that_is_asked_for(number: int) -> None:
    """Members of other choirs are wrong."""
    one = sample("set", number)
    choir = one.question.removeprefix("Who joined the ").partition(" choir")[0]
    inside = {line.split()[1] for line in said("set", number) if f"the {choir} choir" in line}
    assert inside == set(one.gold)
    assert len(said("set", number)) == len(one.candidates)


@given(numbers)
def test_frequent_words_are_the_most_frequent_of_the_text(number: int) -> None:
    """Counted over the whole text, the four right words lead by far, in another order in every sample."""
    one = sample("frequent", number)
    words = place(one, 2_000).text.split()
    common = sorted(set(words), key=words.count, reverse=True)[:5]
    assert set(common[:4]) == set(one.gold)
    assert words.count(common[3]) >= 3 * words.count(common[4])
    assert said("frequent", number) != said("frequent", number + 1)


@given(numbers)
def test_one_offer_alone_keeps_every_constraint(number: int) -> None:
    """A predicate on the pieces and the question, written here, picks the right offer; each rule is needed."""
    one = sample("constraint", number)
    mine = " ".join(piece.text for piece in one.evidence)
    (food,), (limit,), (day,) = (
        re.findall(pattern, mine)
        for pattern in (r"I am allergic to (\w+)", r"My limit .+? is (\d+)", r"I can only go out on a (\w+)")
    )
    offers = re.findall(r"(\w+) \(serves (\w+), (\d+) euros, closed on (\w+)\)", one.question)
    rules = (lambda o: o[1] != food, lambda o: int(o[2]) <= int(limit), lambda o: o[3] != day)
    assert [o[0] for o in offers if all(rule(o) for rule in rules)] == list(one.gold)
    for left_out in rules:
        kept = [o for o in offers if all(rule(o) for rule in rules if rule is not left_out)]
        assert len(kept) > 1
    assert {o[0] for o in offers} == set(one.candidates)


@given(st.sampled_from(["update", "update-as-of"]), numbers)
def test_the_version_that_is_asked_for_is_right(task: str, number: int) -> None:
    """Versions are told in the order of their days; the newest one on the day that is asked for is right."""
    one = sample(task, number)
    told = [(days(piece.text)[0].readings[0], piece.text.split()[-1].rstrip(".")) for piece in one.evidence]
    dated = [(date(day.year or 0, day.month or 0, day.day or 0), value) for day, value in told]
    assert all(first < second for (first, _), (second, _) in pairwise(dated))
    asked = days(one.question)
    until = date.max
    if asked:
        day = asked[0].readings[0]
        until = date(day.year or 0, day.month or 0, day.day or 0)
    assert [value for when, value in dated if when <= until][-1] == one.gold[0]

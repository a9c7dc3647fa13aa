from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.building.iban import LENGTHS, is_iban
from memgauge.datasets.building.names import MADE_UP, invent, words_of
from memgauge.datasets.building.patterns import FORMS, STAND_INS, IdentifierKind, found, kinds_in, luhn, stand_in
from memgauge.datasets.building.scrub import Scrubbed, scrub
from memgauge.errors import ConfigError
from memgauge.records import Conversation, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable

KEY = "a secret"


def _said(*texts: str, speaker: str = "user") -> tuple[Conversation, ...]:
    turns = tuple(Turn(f"s001:t{n:02d}", speaker, text, "s001") for n, text in enumerate(texts, 1))
    return (Conversation("u001", (Session("s001", None, turns),)),)


def _texts(scrubbed: Scrubbed) -> list[str]:
    return [turn.text for one in scrubbed.conversations for turn in one.turns()]


def _scrub(*texts: str, names: Iterable[str] = (), speaker: str = "user", key: str = KEY) -> list[str]:
    return _texts(scrub(_said(*texts, speaker=speaker), key=key, names=names))


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("Write to Ann.Lee+x@mail.co.uk, please.", "Write to person1@example.org, please."),
        ("(https://a.b/c?d=e#f). www.foo.xy/z!", "(https://site1.example.org). https://site2.example.org!"),
        ("ann.dev/x, ann.dev, not node.js", "https://site1.example.org, https://site2.example.org, not node.js"),
        ("Call +49 (0)170 123-4567 now", "Call +00 000 0001 now"),
        ("Call 0049 170 1234567.", "Call +00 000 0001."),
        ("(555) 123-4567, 555.123.4567, 1-555-123-4567", "+00 000 0001, +00 000 0001, +00 000 0002"),
        ("Call 555-0199", "Call +00 000 0001"),
        ("Call 030 / 12 34 56", "Call +00 000 0001"),
        ("Card 4111 1111 1111 1111 123, or 4111-1111-1111-1111", "Card CARD-000001 123, or CARD-000001"),
        ("IBAN DE89 3704 0044 0532 0130 00 THANKS", "IBAN IBAN-000001 THANKS"),
        ("iban gb82west12345698765432", "iban IBAN-000001"),
        ("Not one: GB82 WEST 1234 5698 7654 33", "Not one: GB82 WEST 1234 5698 7654 33"),
        ("At 192.168.0.1 or fe80::1 or 1::", "At 240.0.0.1 or 2001:db8::2 or 2001:db8::3"),
        ("Passport 123456789, SSN 123-45-6789", "Passport ID-000001, SSN ID-000001"),
        ("Member 4111 1111 1111 1112", "Member ID-000001"),
        ("I live at 12b Old Mill Road, not 12 roads", "I live at 1 Example Street, not 12 roads"),
        ("Hauptstraße 5a, 3 rue de la Paix", "1 Example Street, 2 Example Street"),
    ],
)  # fmt: skip
def test_values_are_found_by_their_form(text: str, scrubbed: str) -> None:
    """Each form gets its stand-in, and what stands around it stays."""
    assert _scrub(text) == [scrubbed]


@pytest.mark.parametrize(
    "text",
    [
        "On 2023-05-08 at 10:15:30, or 08/05/2023, or 01.02.2023.",
        "It cost 1,000,000 or 1 000 000, about 3.14159265 times 1234567.",
        "Version 1.2.3, room 101, years 2019 2020 2021, x :: Int, std::vector.",
        "He said at last that e.g. this. and that",
        "999.1.1.1 is no address, and 1.2.3.4.5 is none.",
        "On 00 1-05-08-2023",
    ],
)
def test_what_has_no_such_form_stays(text: str) -> None:
    """Dates, amounts, versions and code are left alone."""
    assert _scrub(text) == [text]
    assert kinds_in(text) == ()


def test_names_are_replaced_word_by_word() -> None:
    """Full names, first names, any case, possessives and hyphens; equal words have equal stand-ins."""
    text = "Ann-Marie O\u2019Neil asked ANN about ann's cat and O'Neil. Annex, Ann2, ann_x"
    (done,) = _scrub(text, names=["Ann-Marie O'Neil"])
    made = re.findall(r"\b[a-z]{6}x(?![a-z])|\b[a-z]{6}x(?=[\d_])", done.casefold())
    ann, marie, oneil = made[:3]
    expected = f"{ann}-{marie} {oneil} asked {ann.upper()} about {ann}'s cat and {oneil}. Annex, {ann}2, {ann}_x"
    assert done.casefold() == expected.casefold()
    assert done.startswith(ann.capitalize())
    assert ann.upper() in done
    assert len({ann, marie, oneil}) == 3


def test_names_that_are_words_need_a_capital() -> None:
    """A man called Mark Will does not turn marks and wills into men."""
    (done,) = _scrub("Will you mark it, Mark, or MARK? I will.", names=["Mark Will"])
    will, mark = done.split()[0], done.split()[4].strip(",")
    assert done == f"{will} you mark it, {mark}, or {mark.upper()}? I will."


def test_names_in_other_spellings_are_found() -> None:
    """Sharp s, Turkish i and scripts without capitals or spaces."""
    done = " ".join(
        _scrub("Frau Weiß, WEISS, İbrahim, ibrahim; 我叫王小明。", names=["Weiß", "İbrahim", "王小明"])
    )
    assert not re.search(r"wei|brahim|王", done, re.IGNORECASE)
    assert len(set(MADE_UP.findall(done.casefold()))) == 3


def test_speakers_are_renamed_where_they_have_names() -> None:
    """A named speaker has one made-up name as speaker and in texts; roles, particles and initials are no names."""
    said = _said("Ann Y. de Vries here, Ann!", speaker="Ann Y. de Vries")
    scrubbed = scrub(said, key=KEY)
    (turn,) = scrubbed.conversations[0].turns()
    ann, initial, particle, vries = turn.speaker.split()
    assert (initial, particle, scrubbed.speakers) == ("Y.", "de", 1)
    assert turn.text == f"{ann} Y. de {vries} here, {ann}!"
    assert scrub(_said("You and Human", speaker="User"), key=KEY).speakers == 0


def test_speakers_may_be_numbers_or_addresses() -> None:
    """A speaker known by a number has the number's stand-in, and no word of it becomes a name."""
    scrubbed = scrub(_said("I am +1 555 123 4567 at home", speaker="+1 555 123 4567"), key=KEY)
    (turn,) = scrubbed.conversations[0].turns()
    assert (turn.speaker, turn.text) == ("+00 000 0001", "I am +00 000 0001 at home")


def test_the_report_says_where_and_never_what() -> None:
    """Every value is counted with its turns, and nothing of it can be read in the report."""
    scrubbed = scrub(_said("a@b.cd, A@b.cd", "c@d.ef and Ann", "a@b.cd"), key=KEY, names=["Ann"])
    told = [(one.kind, one.stand_in, one.occurrences, one.turns) for one in scrubbed.replaced]
    assert told[:2] == [
        (IdentifierKind.EMAIL, "person1@example.org", 3, ("u001/s001:t01", "u001/s001:t03")),
        (IdentifierKind.EMAIL, "person2@example.org", 1, ("u001/s001:t02",)),
    ]
    assert told[2][2:] == (1, ("u001/s001:t02",))
    assert scrubbed.counts()["email"] == {"distinct": 2, "occurrences": 4}
    assert scrubbed.counts()["card"] == {"distinct": 0, "occurrences": 0}
    assert "b.cd" not in repr(scrubbed)
    assert "Ann" not in repr(scrubbed)


def test_stand_ins_that_stand_there_are_not_given_twice() -> None:
    """What looks like a stand-in stays, and no other value gets it."""
    assert _scrub("a@b.cd knows person1@example.org") == ["person2@example.org knows person1@example.org"]
    taken = next(invent("ann", KEY))
    (done,) = _scrub(f"Ann is no {taken}", names=["Ann"])
    assert done.split()[0].casefold() == list(islice(invent("ann", KEY), 2))[1]


def test_made_up_names_follow_from_the_key() -> None:
    """The same key gives the same name, another key another; without one nothing is done."""
    assert _scrub("Ann", names=["Ann"]) == _scrub("Ann", names=["Ann", "Bo"])
    assert _scrub("Ann", names=["Ann"]) != _scrub("Ann", names=["Ann"], key="other")
    with pytest.raises(ConfigError, match="key"):
        _scrub("Ann", key="")


def test_stand_ins_have_room() -> None:
    """High numbers still give a stand-in that is known as one."""
    for kind in FORMS:
        for value in ("", "::"):
            text = stand_in(kind, 70_000, value)
            assert STAND_INS.fullmatch(text), text
            assert kinds_in(text) == ()


def test_checks_of_cards_and_accounts() -> None:
    """Published examples pass, one changed digit fails."""
    assert luhn("4111111111111111")
    assert not luhn("4111111111111112")
    assert is_iban("GB82WEST12345698765432")
    assert not is_iban("GB82WEST12345698765433")
    assert not is_iban("XX82WEST12345698765432")
    assert set(LENGTHS.values()) <= set(range(15, 35))


def test_words_of_names() -> None:
    """Particles, initials, numbers, generic speakers and made-up words are no names."""
    assert words_of(["Dr. J. van der Berg", "Speaker 1", "Kolanex", "(Bo)", "bob.smith"]) == {
        "berg",
        "bo",
        "bob.smith",
    }


def _card(digits: str) -> str:
    return next(digits + check for check in "0123456789" if luhn(digits + check))


def _iban(account: str) -> str:
    check = next(f"{n:02d}" for n in range(2, 99) if is_iban(f"DE{n:02d}{account}"))
    return f"DE{check}{account}"


def _digits(least: int, most: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=least, max_size=most)


WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)
VALUES: dict[IdentifierKind, st.SearchStrategy[str]] = {
    IdentifierKind.EMAIL: st.builds("{}.{}@{}.net".format, WORD, WORD, WORD),
    IdentifierKind.URL: st.builds("https://{}.com/{}".format, WORD, WORD),
    IdentifierKind.PHONE: st.builds("+{} {}".format, st.integers(10, 99), _digits(7, 10)),
    IdentifierKind.CARD: st.builds(lambda digits: _card(f"4{digits}"), _digits(14, 14)),
    IdentifierKind.IBAN: _digits(18, 18).map(_iban),
    IdentifierKind.IP: st.ip_addresses(v=4)
    .map(str)
    .filter(lambda ip: not STAND_INS.match(ip) and ip != "0.0.0.0"),  # noqa: S104 - a text
    IdentifierKind.ID: st.builds("1{}".format, _digits(8, 9)),
    IdentifierKind.ADDRESS: st.builds("{} {} Road".format, st.integers(1, 9999), WORD.map(str.capitalize)),
}  # fmt: skip
ANY = st.one_of(*VALUES.values())
SHARDS = st.text("0+-(). :/@aA1", max_size=9)


@given(st.lists(st.one_of(WORD.map(str.upper), ANY), max_size=12), st.lists(ANY, min_size=1, max_size=4))
def test_no_value_is_left(around: list[str], values: list[str]) -> None:
    """Whatever stands around a value, it is gone, and its kind is counted."""
    mixed = [part for pair in zip(around, values, strict=False) for part in pair]
    text = " and ".join([*mixed, *values])
    (done,) = _scrub(text)
    assert not [value for value in values if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", done)]
    assert kinds_in(done) == ()


@given(st.lists(ANY, min_size=1, max_size=8))
def test_equal_values_have_equal_stand_ins_and_different_ones_different(values: list[str]) -> None:
    """Stand-ins and values are in one-to-one relation, in every turn."""
    done = _scrub(*(f"say {value}, twice" for value in values), *(f"say {value}, twice" for value in values))
    first, second = done[: len(values)], done[len(values) :]
    assert first == second
    assert len(set(first)) == len(set(values))


@given(st.lists(WORD.filter(lambda word: len(word) > 1), min_size=1, max_size=6, unique=True))
def test_names_are_gone_and_stay_apart(names: list[str]) -> None:
    """Every name that is given is replaced, different ones by different ones."""
    given_names = [name.capitalize() for name in names if name in words_of([name])]
    done = _scrub(*given_names, names=given_names)
    assert not {name.casefold() for name in given_names} & {text.casefold() for text in done}
    assert len(set(done)) == len(given_names)


@given(
    st.lists(
        st.one_of(
            st.text(max_size=30),
            st.lists(st.one_of(ANY, SHARDS, st.from_regex(STAND_INS)), max_size=5).map("".join),
        ),
        min_size=1, max_size=4,
    ),
    st.text(max_size=12),
    st.lists(st.text(max_size=8), max_size=3),
)  # fmt: skip
def test_scrubbing_twice_changes_nothing(texts: list[str], speaker: str, names: list[str]) -> None:
    """What was scrubbed is left alone, under any key, even where values touch each other or stand-ins."""
    once = scrub(_said(*texts, speaker=speaker), key=KEY, names=names)
    assert scrub(once.conversations, key="other", names=names).conversations == once.conversations
    assert scrub(once.conversations, key="other").conversations == once.conversations


@given(st.text(max_size=60))
def test_what_is_found_lies_in_order_and_inside(text: str) -> None:
    """Spans do not overlap and are not empty."""
    for kind in FORMS:
        end = 0
        for span in found(kind, text):
            assert end <= span.start < span.end <= len(text)
            end = span.end


def test_everything_else_of_a_turn_stays() -> None:
    """Ids, times, roles and sessions are as they were."""
    said = _said("a@b.cd")
    (before,), (after,) = said[0].turns(), scrub(said, key=KEY).conversations[0].turns()
    assert replace(after, text="a@b.cd") == before

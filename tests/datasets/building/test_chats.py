from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.building.chats import read_chats
from memgauge.datasets.building.messages import read_time
from memgauge.errors import ConfigError, DataError, DataNotFoundError, MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.datasets.building.chats import Chats


def _told(chats: Chats) -> list[tuple[str, str, str, str]]:
    return [(t.id, t.role, str(t.at), t.text) for one in chats.conversations for t in one.turns()]


def _lines(*rows: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, rows))


def test_chatgpt_is_read_along_the_branch_that_was_shown(
    save: Callable[..., Path], chatgpt: list[dict[str, Any]]
) -> None:
    """Sessions come in time order; system, tools and branches that were given up are left out and counted."""
    chats = read_chats(save(chatgpt))
    assert chats.format == "chatgpt"
    assert _told(chats) == [
        ("s001:t01", "user", "2024-03-01 08:00:00", "I live in Porto."),
        ("s001:t02", "assistant", "2024-03-01 08:00:20", "Nice."),
        ("s002:t01", "user", "2024-05-01 08:00:05", "We moved to Braga."),
        ("s002:t02", "assistant", "2024-05-01 08:00:20", "Congratulations!"),
    ]
    assert chats.left_out == {"on a branch that was given up": 1, "of the system or a tool": 2}
    assert [one.id for one in chats.conversations] == ["u001"]
    assert "secret" not in repr(chats)


def test_chatgpt_without_words_is_left_out(save: Callable[..., Path], chatgpt: list[dict[str, Any]]) -> None:
    """Calls of tools, hidden messages, unknown roles and pictures without words are no turns; speech is one."""
    tree = chatgpt[1]["mapping"]
    for number, change in enumerate(
        [
            {"recipient": "browser"},
            {"metadata": {"is_visually_hidden_from_conversation": True}},
            {"author": {"role": "critic"}},
            {"content": {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}]}},
            {"content": {"content_type": "thoughts", "parts": ["Hm."]}},
            {"content": None},
            {"content": {"parts": [{"content_type": "audio_transcription", "text": "Spoken."}, 3]}},
        ]
    ):
        node = json.loads(json.dumps(tree["b"]))
        node["message"] |= change
        node["parent"] = f"x{number - 1}" if number else "b"
        tree[f"x{number}"] = node
    chatgpt[1]["current_node"] = "x6"
    chats = read_chats(save(chatgpt[1]))
    assert [text for *_, text in _told(chats)] == ["I live in Porto.", "Nice.", "Spoken."]
    assert chats.left_out == {
        "of the system or a tool": 1,
        "hidden": 1,
        "of an unknown role": 1,
        "without text": 3,
    }


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"current_node": "z"}, r"\$\[1\]\.mapping: node 'z' is missing"),
        ({"mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}, "current_node": "a"}, "circle"),
        ({"mapping": {"a": {"parent": None, "children": ["a"]}}, "current_node": None}, "no root, or a circle"),
        ({"mapping": {"a": {"message": {"author": {}}}}}, r"\$\[1\]\.mapping\.a\.message\.author\.role: Field"),
        ({"create_time": "soon"}, r"\$\[1\]\.create_time"),
    ],
)
def test_a_broken_chatgpt_export_is_refused_at_its_place(
    save: Callable[..., Path], chatgpt: list[dict[str, Any]], change: dict[str, Any], place: str
) -> None:
    """The message names the conversation and the field."""
    chatgpt[1] |= change
    with pytest.raises(MalformedDataError, match=place):
        read_chats(save(chatgpt))


def test_an_empty_tree_has_no_messages(save: Callable[..., Path], chatgpt: list[dict[str, Any]]) -> None:
    """A conversation without nodes adds nothing."""
    chatgpt[0] |= {"mapping": {}, "current_node": None}
    assert len(_told(read_chats(save(chatgpt)))) == 2


def test_claude_is_read_with_its_blocks(save: Callable[..., Path], claude: list[dict[str, Any]]) -> None:
    """Humans are users, empty messages are counted, and times are UTC in whole seconds."""
    chats = read_chats(save(claude))
    assert chats.format == "claude"
    assert _told(chats) == [
        ("s001:t01", "user", "2024-03-01 08:00:07", "I live in Porto."),
        ("s001:t02", "assistant", "2024-03-01 08:00:09", "Nice."),
    ]
    assert chats.left_out == {"without text": 1}


def test_a_message_takes_the_time_of_its_conversation(
    save: Callable[..., Path], claude: list[dict[str, Any]]
) -> None:
    """The first message without a time is as old as its conversation, later ones have none."""
    for message in claude[0]["chat_messages"]:
        del message["created_at"]
    assert [time for _, _, time, _ in _told(read_chats(save(claude[0])))] == ["2024-03-01 08:00:00", "None"]


def test_a_broken_claude_export_is_refused_at_its_place(
    save: Callable[..., Path], claude: list[dict[str, Any]]
) -> None:
    """A sender that Claude does not know is named with its place."""
    claude[0]["chat_messages"][1]["sender"] = "ghost"
    with pytest.raises(MalformedDataError, match=r"\$\[0\]\.chat_messages\[1\]\.sender"):
        read_chats(save(claude))


def test_lines_are_read_under_many_names(save: Callable[..., Path]) -> None:
    """Aliases, roles that follow from speakers, parts of text, and several people in one file."""
    chats = read_chats(
        save(
            _lines(
                {"user_id": 7, "sender": "human", "content": "Hello.", "timestamp": 1709280000},
                {"user_id": 7, "Sender": "AI", "message": "Hi!", "ts": "1709280001000"},
                {"user": "b", "speaker": "Ann", "text": [{"type": "text", "text": "One"}, "two", {"image": 1}]},
                {"user": "b", "role": "Assistant", "body": "Three."},
                {"user": "b", "role": "moderator", "name": "Cy", "text": "Four.", "other": {}},
                {"user": "b", "role": "system", "text": "You are helpful."},
                {"user": "b", "speaker": "Tool", "text": "42"},
                {"user": "b", "role": "user", "text": None},
            )
        )
    )
    assert (chats.format, chats.left_out) == ("jsonl", {"of the system or a tool": 2, "without text": 1})
    first, second = chats.conversations
    assert [(t.speaker, t.role, t.text) for t in first.turns()] == [
        ("user", "user", "Hello."),
        ("assistant", "assistant", "Hi!"),
    ]
    assert [(t.speaker, t.role, t.text) for t in second.turns()] == [
        ("Ann", "user", "One\ntwo"),
        ("assistant", "assistant", "Three."),
        ("Cy", "moderator", "Four."),
    ]
    assert (first.id, second.id, second.sessions[0].at) == ("u001", "u002", None)


def test_what_was_said_is_read_from_the_field_that_has_it(save: Callable[..., Path]) -> None:
    """An empty text beside a content is no loss; two fields that say the same say it once."""
    lines = [{"speaker": "a", "text": "", "content": "one"}, {"speaker": "a", "text": "two", "body": "two"}]
    chats = read_chats(save("\n".join(map(json.dumps, lines))))
    assert [turn.text for turn in chats.conversations[0].turns()] == ["one", "two"]


def test_silence_cuts_sessions(save: Callable[..., Path]) -> None:
    """Messages without sessions come in time order, cut where more than the gap lies between two of them."""
    hours = {"a": 0, "c": 9, "b": 3, "d": 20}
    rows = [{"speaker": "me", "text": t, "at": f"2024-03-01T{h:02d}:00"} for t, h in hours.items()]
    path = save(_lines(*rows))

    def cut(hours: int) -> list[str]:
        (one,) = read_chats(path, gap=timedelta(hours=hours)).conversations
        return ["".join(turn.text for turn in session.turns) for session in one.sessions]

    assert cut(6) == ["abc", "d"]
    assert cut(5) == ["ab", "c", "d"]
    assert cut(11) == ["abcd"]


def test_named_sessions_come_in_time_order(save: Callable[..., Path]) -> None:
    """A session is as early as its first time; what has no time stays behind what it followed."""
    rows = [
        {"session": "z", "speaker": "me", "text": "late", "at": "2024-05-01"},
        {"session": "y", "speaker": "me", "text": "untimed"},
        {"session": "x", "speaker": "me", "text": "second", "at": "2024-03-01T10:00"},
        {"session": "x", "speaker": "me", "text": "third"},
        {"session": "x", "speaker": "me", "text": "first", "at": "2024-03-01T09:00"},
        {"speaker": "me", "text": "loose", "at": "2024-04-01"},
    ]
    (one,) = read_chats(save(_lines(*rows))).conversations
    assert [[turn.text for turn in session.turns] for session in one.sessions] == [
        ["first", "second", "third"],
        ["loose"],
        ["late"],
        ["untimed"],
    ]
    assert [session.id for session in one.sessions] == ["s001", "s002", "s003", "s004"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_read(save: Callable[..., Path], separator: str) -> None:
    """Columns have the names of JSON lines; texts in quotation marks may hold anything, a BOM is no text."""
    rows = ["\ufeffSpeaker,Created At,Text,thread", 'Ann,2024-03-01T09:00,"A, b;\nc\t""d""",1', "", "Bo,,Hi,1"]
    chats = read_chats(save("\r\n".join(rows).replace(",", separator).replace(f"A{separator} b;", "A, b;")))
    assert chats.format == "csv"
    assert [(t.speaker, t.text) for t in chats.conversations[0].turns()] == [
        ("Ann", 'A, b;\nc\t"d"'),
        ("Bo", "Hi"),
    ]


@pytest.mark.parametrize(
    ("content", "format_", "what"),
    [
        ('{"text": "a", "speaker": "b"}\n{"text": 1, "speaker": "b"}', None, r"export:2: field text: it is not"),
        ('{"content": {}, "speaker": "b"}', None, r"export:1: field content: it is not a text"),
        ('{"speaker": "b"}', None, r"export:1: field text: it is missing"),
        ('{"text": "b"}', None, r"export:1: field speaker: neither"),
        ('{"text": "b", "speaker": ["c"]}', None, r"export:1: field speaker: it is not a text"),
        ('{"text": "b", "speaker": "c", "ts": "noon"}', None, r"export:1: field ts: it is no time"),
        ('{"text": "b", "speaker": "c"}\n{"text"', None, r"export:2: not JSON: .* at column 8"),
        ('{"text": "b", "speaker": "c"}\n\n[]', None, r"export:3: not an object"),
        ("speaker,text\nAnn,a,b\n", None, r"export:2: 3 values below 2 names"),
        ('speaker,text\nAnn,"a" b\n', None, r"export:2: not CSV"),
        ("speaker,text,Text\nAnn,a,b\n", None, r"export:1: field text: two columns have that name"),
        ("speaker,text,content\nAnn,a,b\n", None, r"export:2: field content: text and content both hold"),
        ('{"speaker": "b", "text": "a", "text": "c"}', "jsonl", r"export:1: not JSON: .*text"),
        ("speaker,words\n", "csv", r"export:1: field text: no column"),
        ("", "csv", r"export:1: field text: no column"),
        ("Dear diary", None, "looks like no export"),
        ("[1]", None, "looks like no export"),
        ('{\n"title": 1\n}', None, "looks like no export"),
        ("[{]", None, r"is not JSON: .* at line 1, column 3"),
        ("[{]", "chatgpt", r"is not JSON: .* at line 1, column 3"),
        ("[]", None, "looks like no export"),
        ("[]", "claude", "holds no message to use"),
        ('{"text": "", "speaker": "b"}', None, "holds no message to use: 1 without text"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(
    save: Callable[..., Path], content: str, format_: str | None, what: str
) -> None:
    """The message names file, line and field, and says what to do."""
    with pytest.raises(DataError, match=what) as caught:
        read_chats(save(content), format_)
    assert caught.value.remedy


@pytest.mark.parametrize("content", ["Dear diary", '{"text": "", "speaker": "b"}'])
def test_a_refusal_names_the_option_that_says_what_a_file_is(save: Callable[..., Path], content: str) -> None:
    """It is --layout: --format is that of what a command prints."""
    with pytest.raises(DataError) as refused:
        read_chats(save(content))
    assert "--layout" in refused.value.remedy


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder and an archive are told apart; unknown formats and gaps are wrong use."""
    with pytest.raises(DataNotFoundError, match="There is no"):
        read_chats(tmp_path / "nothing")
    with pytest.raises(DataError, match="Cannot read"):
        read_chats(tmp_path)
    archive = tmp_path / "export.zip"
    archive.write_bytes(b"PK\x03\x04\xff")
    with pytest.raises(MalformedDataError, match="not UTF-8: byte 4"):
        read_chats(archive)
    archive.write_text("x,text\n")
    with pytest.raises(ConfigError, match="no format 'tape'"):
        read_chats(archive, "tape")
    with pytest.raises(ConfigError, match="gap"):
        read_chats(archive, gap=timedelta())


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (None, None),
        ("", None),
        (1709280000, "2024-03-01T08:00:00"),
        (1709280000.9, "2024-03-01T08:00:00"),
        ("1709280000.9", "2024-03-01T08:00:00"),
        (1709280000_123, "2024-03-01T08:00:00"),
        (1709280000_123456, "2024-03-01T08:00:00"),
        ("2024-03-01T08:00:00.9", "2024-03-01T08:00:00"),
        ("2024-03-01T08:00:00+02:00", "2024-03-01T06:00:00"),
        ("2024-03-01T08:00:00Z", "2024-03-01T08:00:00"),
        ("2024-03-01 08:00:00 UTC", "2024-03-01T08:00:00"),
        ("8:00 am on 1 March, 2024", "2024-03-01T08:00:00"),
        ("20240301", "2024-03-01T00:00:00"),
        (datetime(2024, 3, 1, 8, 0, 0, 9), "2024-03-01T08:00:00"),  # noqa: DTZ001 - naive on purpose
    ],
)
def test_times_become_naive_utc(written: object, read: str | None) -> None:
    """Numbers in any unit and texts with an offset become UTC without one, in whole seconds."""
    assert read_time(written) == (read and datetime.fromisoformat(read))


@given(
    st.datetimes(datetime(1973, 3, 4), datetime(2099, 12, 31)),  # noqa: DTZ001 - naive on purpose
    st.sampled_from([1, 10**3, 10**6, 10**9]),
)
def test_a_number_is_read_in_the_one_unit_in_which_it_is_a_time(at: datetime, unit: int) -> None:
    """Seconds, milli-, micro- and nanoseconds of a chat lie apart."""
    whole = at.replace(microsecond=0)
    number = (whole - datetime(1970, 1, 1)) // timedelta(seconds=1) * unit  # noqa: DTZ001 - naive on purpose
    assert read_time(number) == read_time(str(number)) == whole


@pytest.mark.parametrize("written", [10**8 - 1, 4_102_444_800, 10**11 - 1, 99999999999999999999, 10**400])
def test_a_number_in_no_unit_is_refused(written: int) -> None:
    """It is not made smaller until it looks like a date."""
    with pytest.raises(ValueError, match="no time since 1970"):
        read_time(written)


@pytest.mark.parametrize("written", [True, 5, float("nan"), float("inf"), [], "0001-01-01T00:00+05:00", "later"])
def test_what_is_no_time_is_refused(written: object) -> None:
    """Neither flags nor small numbers nor words are times."""
    with pytest.raises(ValueError, match=r"time|date|isoformat"):
        read_time(written)

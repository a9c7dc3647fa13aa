"""Calls that fetch again, found from what results revealed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.track.scoring.patterns import Counts, count, find
from memgauge.studies.track.scoring.redundancy import redundancy, redundant
from support.track.play import call, failed

if TYPE_CHECKING:
    from memgauge.studies.track.play.trajectory import Call

TITLE, TEXT = "ticket:1:title:e0", "ticket:1:description:e0"


def test_an_equal_call_with_an_equal_result_is_redundant() -> None:
    """The second reading of one ticket tells nothing; writes and failures never count."""
    calls = [
        call(0, "get_ticket", {"ticket_id": "1"}, "title: Cache bug", events=("e0",), touched=(TITLE,)),
        call(1, "send_channel_message", {"channel": "ml"}, "sent"),
        call(2, "send_channel_message", {"channel": "ml"}, "sent"),
        failed(3, "fly"),
        failed(4, "fly"),
        call(5, "get_ticket", {"ticket_id": "1"}, "title: Cache bug", events=("e0",), touched=(TITLE,)),
    ]
    assert redundant(calls) == {5}
    assert redundancy(calls) == 1 / 6
    assert redundancy([]) is None


def test_details_after_a_listing_are_new_and_a_listing_after_details_is_not() -> None:
    """A field that was not shown before is information."""
    whole = call(0, "get_ticket", text="title, text", events=("e0",), touched=(TITLE, TEXT))
    brief = call(1, "list_tickets", text="title", events=("e0",), touched=(TITLE,))
    assert redundant([whole, brief]) == {1}
    assert redundant([brief, whole]) == frozenset()


def test_a_changed_ticket_is_new() -> None:
    """A field of another source, or an event, that was not there before makes a call worth while."""
    first = call(0, "get_ticket", text="todo", events=("e0",), touched=("ticket:1:status:e0",))
    changed = call(1, "get_ticket", text="done", events=("e0",), touched=("ticket:1:status:act",))
    event = call(2, "get_ticket", text="done", events=("e0", "e3"), touched=("ticket:1:status:act",))
    assert redundant([first, changed, event]) == frozenset()


def test_results_without_names_are_compared_by_their_text() -> None:
    """That there is nothing can be said once; asking for what is unread is never redundant."""
    unread = [call(n, "get_unread_messages", text="No unread messages.", effect="write") for n in range(3)]
    assert redundant(unread) == frozenset()
    empty = [call(n, "list_tickets", text="There are no tickets.") for n in range(2)]
    assert redundant(empty) == {1}


def test_lines_of_a_file_are_known_by_file_and_number() -> None:
    """Overlapping ranges bring something, contained ones nothing, and an equal line elsewhere is another."""

    def read(seq: int, path: str, first: int, *lines: str) -> Call:
        touched = tuple(f"file:{path}:{first + n}" for n in range(len(lines)))
        return call(seq, "read_file", {"file_path": path}, "\n".join(lines), touched=touched)

    calls = [
        read(0, "a.py", 1, "import os", "x = 1", "y = 2"),
        read(1, "a.py", 2, "x = 1", "y = 2"),
        read(2, "a.py", 3, "y = 2", "z = 3"),
        read(3, "b.py", 1, "import os"),
    ]
    assert redundant(calls) == {1}


def test_the_shell_can_print_again_what_a_tool_has_read() -> None:
    """Line numbers do not hide equal lines; a command that printed nothing was run for what it does."""
    read = call(0, "read_file", {}, "1: import os\n2: x = 1", touched=("file:a.py:1", "file:a.py:2"))
    printed = call(1, "run_shell_command", {"command": "cat a.py"}, "import os\nx = 1\n", exit_code=0)
    quiet = [call(n, "run_shell_command", {"command": "true"}, "(no output)", exit_code=0) for n in (2, 3)]
    failed_ = call(4, "run_shell_command", {"command": "cat a.py; false"}, "import os\nx = 1\n", exit_code=1)
    assert redundant([read, printed, *quiet, failed_]) == {1}


WORDS = st.text("ab ", max_size=4)
CALLS = st.lists(st.tuples(st.sampled_from(["get_ticket", "list_tickets", "list_directory"]), WORDS), max_size=8)


@given(CALLS)
def test_repeating_everything_is_redundant_and_changes_nothing_before(made: list[tuple[str, str]]) -> None:
    """Whatever was read, reading all of it once more is redundant throughout."""
    calls = [call(n, tool, text=text) for n, (tool, text) in enumerate(made)]
    again = [call(n + len(made), tool, text=text) for n, (tool, text) in enumerate(made)]
    assert redundant([*calls, *again]) == redundant(calls) | {one.seq for one in again}


def test_a_listing_followed_by_a_narrower_call() -> None:
    """The document's first pattern, within one tool and across two."""
    calls = [
        call(0, "list_tickets", {}, events=("e0", "e3")),
        call(1, "list_tickets", {"limit": 100}, events=("e0", "e3")),
        call(2, "get_ticket", {"ticket_id": "1"}, events=("e3",)),
        call(3, "get_ticket", {"ticket_id": "2"}, events=("e9",)),
    ]
    assert [(one.first, one.again) for one in find(calls)] == [(0, 1), (0, 2)]
    assert count(find(calls)) == Counts(2, 0, 0, 0)


def test_a_repetition_after_an_interlude() -> None:
    """The same call, or the same lines, after at least three others; sooner it is no interlude."""
    file = {"file_path": "a.py", "start_line": 1, "max_lines": 10}
    calls = [
        call(0, "get_unread_messages", effect="write"),
        call(1, "get_unread_messages", effect="write"),
        call(2, "read_file", file),
        *(call(n, "list_channels", {"n": n}) for n in (3, 4, 5)),
        call(6, "get_unread_messages", effect="write"),
        call(7, "read_file", file | {"start_line": 8}),
        call(8, "read_file", file | {"start_line": 40}),
    ]
    found = [one for one in find(calls) if one.name == "after_interlude"]
    assert [(one.first, one.again) for one in found] == [(1, 6), (2, 7)]


def test_ever_larger_limits() -> None:
    """Each larger size is widening; from the third on it is overdone; another channel begins anew."""

    def ask(seq: int, channel: str, limit: int) -> Call:
        return call(seq, "get_channel_messages", {"channel": channel, "limit": limit}, events=(f"e{seq}",))

    calls = [ask(0, "ml", 10), ask(1, "ops", 20), ask(2, "ml", 50), ask(3, "ml", 20), ask(4, "ml", 100)]
    found = [one for one in find(calls) if one.name == "widening"]
    assert [(one.first, one.again, one.overdone) for one in found] == [(0, 2, False), (2, 4, True)]
    assert count(find(calls)).overdone == 1


def test_failed_calls_and_broken_arguments_form_no_pattern() -> None:
    """Only what was read can be fetched again."""
    calls = [failed(0, "get_ticket"), call(1, "list_tickets", "{broken"), failed(2, "get_ticket")]
    assert find(calls) == ()

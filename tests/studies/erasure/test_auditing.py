"""An audit finds what stores leave, where and how written, and finds nothing where nothing is left."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import UserError
from memgauge.records import Scope, Turn
from memgauge.show import CheckOutcome
from memgauge.studies.erasure.auditing import audit
from memgauge.studies.erasure.checks import checks
from memgauge.studies.erasure.lasting import seen_over
from memgauge.studies.erasure.plan import ErasurePlan, ErasureRequest, store_of
from memgauge.studies.erasure.record import ErasureFinding, Moment, Whose
from memgauge.studies.erasure.values import invented_users
from memgauge.studies.erasure.verdict import AGAIN, is_bad, unseen
from support import forgetting
from support.disk import require_attributes

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.erasure.record import ErasureReport

PLANTED = 8
BEGAN = datetime(2031, 5, 6, 7, tzinfo=UTC)


def ticking() -> Callable[[], datetime]:
    """Return a clock that goes on by a second whenever it is asked."""
    seconds = count()
    return lambda: BEGAN + timedelta(seconds=next(seconds))


def audited(store: str, **how: object) -> ErasureReport:
    """Audit a store of :mod:`support.forgetting`."""
    return audit(ErasurePlan(f"support.forgetting:{store}", now=ticking(), **how))  # type: ignore[arg-type]


def spots(report: ErasureReport, moment: Moment = Moment.CLOSED) -> set[tuple[str, str, str, str]]:
    """Return where values were seen at a look."""
    return {(row.file, row.kind, row.spot, row.form) for row in report.residue if row.moment is moment}


def test_a_store_that_forgets_wholly_is_told_that_nothing_was_found_and_never_that_it_erased() -> None:
    """The same looks had seen every value before, and see them in the twin that nobody asked."""
    report = audited("Forgetful")
    assert report.finding is ErasureFinding.NOTHING
    assert not is_bad(report)
    assert "8 of 9 values before the request" in report.sentences[0]
    assert any(part.part == "a new process" for part in report.unlooked)
    assert report.twin is not None
    assert (report.twin.values, report.twin.of) == (PLANTED, PLANTED + 1)
    assert "store/memory.json" in report.twin.places
    assert "erased" not in " ".join(report.sentences)


def test_a_file_that_no_look_could_read_is_no_witness() -> None:
    """It changed with what was written and never showed a value: it is named, and not among what had been seen."""
    report = audited("Masking")
    assert report.finding is ErasureFinding.NOTHING
    assert "surfaces and 2 files. The same looks" in report.sentences[0]
    assert report.sentences[0].endswith("before the request, in 5 surfaces and 1 file.")
    mute = "No look saw a value in store/archive.dat, which changed while values were written: "
    assert f"{mute}what stands there cannot be read by these looks." in report.sentences
    assert not any("No look saw" in sentence for sentence in audited("Forgetful").sentences)


def test_counts_of_a_report_fit_its_tables() -> None:
    """Deleting again is no surface with a row of its own, and the control's former value is accounted for."""
    report = audited("Forgetful")
    surfaces = [seen for seen in seen_over(report) if seen.kind == "surface"]
    assert any(row.surface == AGAIN for row in report.surfaces)
    assert f"looked at: {len(surfaces)} surfaces and" in report.sentences[0]
    kept = "still has all 8 values that it had before the request; its former value was not among them."
    longer, shorter = (control.scope for control in report.controls)
    assert {f"The control {longer} {kept}", f"The shorter control {shorter} {kept}"} < set(report.sentences)


def test_the_same_store_is_not_clean_where_nobody_asks() -> None:
    """The check can fail: without a request every value is seen to the end, on surfaces and in the file."""
    report = audited("Forgetful", request=ErasureRequest.NONE)
    assert report.finding is ErasureFinding.NOT_ASKED
    assert report.sentences[0] == "Nobody was asked to forget; 8 of 9 values are there at the last look."
    assert ("store/memory.json", "store", "", "plain text") in spots(report)


@pytest.mark.parametrize(
    ("store", "where"),
    [
        ("Logging", ("store/removed.log", "log", "", "base64")),
        ("Archiving", ("store/memory.json.bak", "backup", "", "gzip")),
        ("Paged", ("store/memory.db", "store", "a free page", "plain text")),
    ],
)
def test_what_is_left_is_found_in_its_place_and_form(store: str, where: tuple[str, str, str, str]) -> None:
    """Surfaces return nothing; a later write may have taken some of the free pages."""
    report = audited(store)
    assert report.finding is ErasureFinding.LEFT
    assert is_bad(report)
    assert where in spots(report)
    assert where not in spots(report, Moment.BEFORE)


def test_what_is_left_in_extended_attributes_is_found() -> None:
    """The bytes of the file hold nothing."""
    with tempfile.NamedTemporaryFile() as file:
        require_attributes(Path(file.name))
    report = audited("Attributing")
    assert report.finding is ErasureFinding.LEFT
    assert spots(report) == {("store/memory.json", "store", "an extended attribute", "plain text")}


@pytest.mark.parametrize(("wait_s", "said"), [(0.0, "nothing was waited for"), (30.0, "--wait 30 was all;")])
def test_what_may_come_back_later_was_not_looked_at(wait_s: float, said: str) -> None:
    """However long was waited."""
    report = audited("Forgetful", wait_s=wait_s, sleep=lambda _: None)
    (why,) = (part.why for part in report.unlooked if part.part == "anything later than the last look")
    assert why.startswith(said)


def test_letters_that_are_composed_otherwise_are_the_same_text() -> None:
    """Who reads the list sees the same words."""
    report = audited("Composing")
    assert report.finding is ErasureFinding.RETURNED
    assert "8 of 9 values, by list under the subject" in report.sentences[0]


def test_a_list_of_the_subject_that_is_not_empty_is_a_finding() -> None:
    """No value stands in it, and it is about the subject all the same; a build server fails."""
    report = audited("Digesting")
    assert report.finding is ErasureFinding.LISTED
    assert report.sentences[0].startswith("Still listed: 1 text of the subject")
    assert is_bad(report)
    assert [check.name for check in checks(report) if check.outcome is CheckOutcome.FAIL] == [
        "nothing of the subject is listed"
    ]


def test_what_a_hit_descends_from_is_returned_too() -> None:
    """A text in the place of a source, an id or a channel reaches whoever searches."""
    report = audited("Naming")
    assert report.finding is ErasureFinding.RETURNED
    assert {row.surface for row in report.surfaces if row.moment is Moment.RESTARTED and row.values} >= {
        "search: exact",
        "search: paraphrase",
    }


def test_a_history_returns_what_was_erased_and_what_it_replaced() -> None:
    """The former value was updated before anybody asked to be forgotten, and the history has it too."""
    report = audited("Remembering")
    assert report.finding is ErasureFinding.RETURNED
    assert report.sentences[0] == "Still returned: 9 of 9 values, by history by id under the subject."
    assert "In files: 9 of 9 values, in store/history.jsonl (history)." in report.sentences


def test_what_comes_back_after_a_restart_is_found_though_it_was_gone() -> None:
    """Right after the request every surface is empty."""
    report = audited("Returning")
    asked = [row for row in report.surfaces if row.moment is Moment.ASKED and row.values]
    assert (report.finding, asked) == (ErasureFinding.RETURNED, [])
    assert any(row.surface == "list" and row.moment is Moment.RESTARTED for row in report.surfaces if row.values)


def test_every_surface_and_file_is_followed_by_itself() -> None:
    """What is gone and comes back stays, and is never called gone; the file that it came from is empty at last."""
    rows = {row.where: row for row in seen_over(audited("Returning"))}
    search, file = rows["search: exact (the subject)"], rows["store/memory.json"]
    assert (list(search.seen.values()), search.stays, search.gone_s) == ([5, 0, 0, 5], True, None)
    assert (list(file.seen.values()), file.stays, file.gone_s) == ([8, 8, 8, 8, 0], False, 8.0)


def test_deleting_too_much_is_a_finding_too() -> None:
    """Nothing is left of the subject, and nothing of who must survive."""
    report = audited("Careless")
    assert report.finding is ErasureFinding.TOO_MUCH
    assert [len(control.lost) for control in report.controls] == [PLANTED, PLANTED]
    longer, shorter = (f"{control.whose} {control.scope} lost 8 of 8 values" for control in report.controls)
    assert report.sentences[0].startswith(f"Deleted too much: {longer} and {shorter}. Nothing of the subject")
    assert sum(sentence.startswith("Deleted too much") for sentence in report.sentences) == 1
    assert is_bad(report)


@pytest.mark.parametrize(("store", "whose"), [("Prefixing", Whose.CONTROL), ("Prefixed", Whose.SHORTER)])
def test_a_deletion_by_prefix_takes_one_of_the_controls_along(store: str, whose: Whose) -> None:
    """The name of one begins with the whole name of the subject, which begins with the whole name of the other."""
    report = audited(store)
    assert report.finding is ErasureFinding.TOO_MUCH
    assert [control.whose for control in report.controls if control.lost] == [whose]
    assert sum("still has all 8 values" in sentence for sentence in report.sentences) == 1


def test_the_name_of_a_control_is_not_taken_for_the_subjects() -> None:
    """Its name stands in the file to the end, and holds the subject's; so it is with a control that is named."""
    report = audited("Forgetful")
    longer, _ = report.controls
    assert longer.scope.startswith(report.subject.scope)
    assert {row.file for row in report.names if row.moment is Moment.BEFORE} == {"store/memory.json"}
    assert not [row for row in report.names if row.moment is Moment.CLOSED]


def test_a_canary_is_not_known_by_its_name() -> None:
    """Who forgets canaries alone is found out."""
    assert is_bad(audited("Posing"))


def test_nobody_is_invented_who_is_there(tmp_path: Path) -> None:
    """A store of the user's may have somebody of that name, who would be deleted with the canary."""
    store = forgetting.Forgetful(str(tmp_path / "own"))
    somebody = Scope(invented_users(0).shorter)
    store.ingest([Turn("t1", "ada", "Ada's bank is Quillback.", "s1")], somebody)
    system = tmp_path / "own.toml"
    system.write_text(
        f'system = "support.forgetting:Forgetful"\n[parameters]\npath = "{tmp_path / "own"}"\n', encoding="utf-8"
    )
    with pytest.raises(UserError, match=f"{somebody.user}.* is in the store.*--seed"):
        audit(ErasurePlan(str(system), now=ticking()))
    store.reopen()
    assert list(store.rows) == [somebody.user]
    assert audit(ErasurePlan(str(system), now=ticking(), seed=1)).finding is ErasureFinding.NOTHING


def test_a_store_that_does_nothing_still_returns_everything() -> None:
    """A call that returned is no erasure."""
    report = audited("Inert")
    assert report.finding is ErasureFinding.RETURNED
    assert [call.answer for call in report.request] == ["returned"]


def test_a_request_that_raises_is_an_answer() -> None:
    """The exception is named, and what it says is not: it may say the value."""
    report = audited("Refusing")
    assert "The request failed: erase raised PermissionError." in report.sentences
    assert report.finding is ErasureFinding.RETURNED


def test_a_bin_that_is_emptied_at_the_end_is_gone_late() -> None:
    """A service that runs for months never comes to its end."""
    report = audited("Binning")
    assert report.finding is ErasureFinding.LATE
    row = next(seen for seen in seen_over(report) if seen.where == "store/bin.txt")
    assert row.seen[Moment.ASKED] == PLANTED
    assert not row.stays
    assert row.gone_s is not None
    assert is_bad(report)


def test_a_store_that_writes_searches_down_is_known_by_it() -> None:
    """Its file of queries holds our own probes, and the report says so."""
    report = audited("Asking")
    assert any(part.part == "store/queries.log, apart from our own searches" for part in report.unlooked)
    assert not any("our own searches" in part.part for part in audited("Forgetful").unlooked)


def test_a_store_in_which_nothing_was_ever_seen_shows_nothing() -> None:
    """An empty look is no proof."""
    report = audited("Silent")
    assert report.finding is ErasureFinding.BLIND
    assert "This shows nothing" in report.sentences[0]
    assert any(part.part == "a new process" for part in report.unlooked)


def test_memories_can_be_deleted_by_id() -> None:
    """The request names what was asked and answered, and the subject's scope is empty after it."""
    report = audited("Forgetful", request=ErasureRequest.MEMORIES)
    assert [(call.call, call.answer) for call in report.request] == [("delete", "deleted 8")]
    assert report.finding is ErasureFinding.NOTHING


def test_what_is_not_offered_is_said() -> None:
    """A memory that deletes nothing by id is asked and found to have everything."""
    report = audited("Silent", request=ErasureRequest.MEMORIES)
    assert "The request failed: delete not offered." in report.sentences


def test_every_surface_is_asked_under_others_too() -> None:
    """A stranger and the controls see nothing of the subject, before and after."""
    report = audited("Forgetful")
    others = [row for row in report.surfaces if row.whose is not Whose.OWN]
    assert {row.whose for row in others} == {Whose.CONTROL, Whose.SHORTER, Whose.STRANGER}
    assert not any(row.values for row in others)


def test_the_same_seed_gives_the_same_report() -> None:
    """Nothing depends on temporary folders, clocks or the order of files."""
    first, again = (audited("Archiving") for _ in range(2))
    still = [(call.call, call.given, call.answer) for call in first.writes]
    assert still == [(call.call, call.given, call.answer) for call in again.writes]
    assert (first.residue, first.surfaces, first.sentences) == (again.residue, again.surfaces, again.sentences)


def test_of_real_people_the_report_holds_no_text(tmp_path: Path) -> None:
    """Somebody who is in the store is erased, whoever is named as the control stays, and no text is shown."""
    store = forgetting.Logging(str(tmp_path / "own"))
    told = "Ada's bank is Quillback. She moved to Veldrup in the year of the flood."
    store.ingest([Turn("t1", "ada", told, "s1")], Scope("ada"))
    store.ingest([Turn("t2", "bob", "Bob's bank is Marrowgate, and stays there.", "s1")], Scope("bob"))
    system = tmp_path / "own.toml"
    system.write_text(
        f'system = "support.forgetting:Logging"\n[parameters]\npath = "{tmp_path / "own"}"\n', encoding="utf-8"
    )
    plan = ErasurePlan(str(system), user="ada", control="bob", texts=("Ada Wexelblatt",), now=ticking())
    report = audit(plan)
    assert report.finding is ErasureFinding.LEFT
    assert ("store/removed.log", "log", "", "base64") in spots(report)
    assert report.subject.how == "present"
    assert {value.shown for value in report.subject.values} == {""}
    assert "Quillback" not in repr(report)
    (control,) = report.controls
    assert control.values
    assert not control.lost
    assert report.twin is None
    assert list(forgetting.Forgetful(str(tmp_path / "own")).dump(Scope("ada"))) == []


def test_a_backup_that_is_named_is_looked_through(tmp_path: Path) -> None:
    """What was deleted before, by other means, is looked for by its texts in what the user names."""
    (tmp_path / "backup.txt").write_text("… Ada Wexelblatt, Veldrup …", "utf-8")
    store = tmp_path / "own.toml"
    store.write_text(
        f'system = "support.forgetting:Forgetful"\n[parameters]\npath = "{tmp_path / "own"}"\n', encoding="utf-8"
    )
    plan = ErasurePlan(
        str(store), ErasureRequest.NONE, user="ada", texts=("Ada Wexelblatt",), also=(tmp_path / "backup.txt",)
    )
    report = audit(plan)
    assert report.finding is ErasureFinding.LEFT
    assert ("named by you/backup.txt", "backup", "", "plain text") in spots(report)


def test_what_is_planted_in_a_store_of_the_users_does_not_stay(tmp_path: Path) -> None:
    """The controls are removed when everything was looked at, and no twin is planted there."""
    system = tmp_path / "own.toml"
    system.write_text(
        f'system = "support.forgetting:Forgetful"\n[parameters]\npath = "{tmp_path / "own"}"\n', encoding="utf-8"
    )
    report = audit(ErasurePlan(str(system), now=ticking()))
    assert (report.finding, report.twin) == (ErasureFinding.NOTHING, None)
    assert report.writes[-1].call == "erase"
    assert forgetting.Forgetful(str(tmp_path / "own")).rows == {}


def test_a_surface_that_fails_at_the_end_proves_nothing() -> None:
    """It answered before; what it would return now, nobody knows."""
    report = audited("Failing")
    assert report.finding is ErasureFinding.UNSEEN
    assert report.sentences[0].startswith("This shows nothing: list, search: exact,")


def test_a_surface_that_failed_once_before_the_request_had_answered_all_the_same() -> None:
    """What it would return now is not known: no look at it is a nought, and nothing is called gone."""
    report = audited("Hiccuping")
    assert report.finding is ErasureFinding.UNSEEN
    (search,) = (seen for seen in seen_over(report) if seen.where == "search: exact (the subject)")
    assert search.seen[Moment.BEFORE]
    assert (search.seen[Moment.ASKED], search.gone_s) == (None, None)


def test_a_surface_that_always_fails_was_not_looked_at() -> None:
    """It is named beside what was, and the command cannot say that all is well."""
    report = audited("Unsearchable")
    assert report.finding is ErasureFinding.NOTHING
    assert "(not search: exact," in report.sentences[0]
    assert unseen(report)


def test_a_request_that_raises_is_no_success_though_everything_is_gone() -> None:
    """Whoever asked was told that it failed."""
    report = audited("Complaining")
    assert report.finding is ErasureFinding.NOTHING
    assert is_bad(report)
    assert is_bad(replace(report, request=(*report.request, *audited("Forgetful").request)))  # one is enough


def test_what_is_deleted_later_is_looked_for_after_a_wait() -> None:
    """The look after the wait is one more, and its time is told."""
    waited: list[float] = []
    report = audited("Forgetful", wait_s=30.0, sleep=waited.append)
    assert waited == [30.0, 30.0]  # the twin waits too
    assert Moment.WAITED in [look.moment for look in report.looks]


def test_a_text_in_the_name_of_a_file_is_masked(tmp_path: Path) -> None:
    """The path is shown to an auditor, and the person is not."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "Ada Wexelblatt.txt").write_text("", "utf-8")
    plan = ErasurePlan(
        "support.forgetting:Forgetful",
        ErasureRequest.NONE,
        user="ada",
        texts=("Ada Wexelblatt", "Ada"),
        also=(tmp_path / "logs",),
    )
    report = audit(plan)
    assert ("named by you/….txt", "named by you", "its name", "plain text") in spots(report)
    assert "Wexelblatt" not in repr(report)
    assert any(part.part == "1 text" for part in report.unlooked)


def test_a_mistake_in_a_name_is_the_users() -> None:
    """What cannot be opened is told as everywhere else."""
    with pytest.raises(UserError, match="Nobody"):
        audit(ErasurePlan("support.forgetting:Nobody"))


def test_a_class_of_ones_own_gets_an_empty_folder(tmp_path: Path) -> None:
    """As in every other command; what makes its folder itself is not troubled."""
    store = store_of("support.forgetting:Forgetful", tmp_path / "store")
    assert store.path == str(tmp_path / "store")
    assert list((tmp_path / "store").iterdir()) == []


def test_an_update_of_what_is_planted_leaves_what_else_a_memory_says() -> None:
    """Of a memory of everything only the former value is replaced, so that all others are looked for."""
    report = audited("Gathering")
    assert report.finding is ErasureFinding.NOTHING
    assert "8 of 9 values before the request" in report.sentences[0]

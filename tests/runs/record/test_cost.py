"""What a run cost: sums of its journal, sealed with it, and not to be changed unseen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from memgauge.errors import RunError, TamperError
from memgauge.llm.prices import Price
from memgauge.metering import CostSource
from memgauge.records import Verdict
from memgauge.runs.play.player.rows import rows_of
from memgauge.runs.record import journal
from memgauge.runs.record.bundle import bundle, compact_bundle, unbundled
from memgauge.runs.record.cost import FILE, Amount, CostRecord, PhaseCost, legible
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.phases import PHASES
from memgauge.runs.record.pricing import priced
from memgauge.runs.record.rows import AttemptRows
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import Seal, file_hash, seal
from memgauge.runs.record.spelling import encode
from memgauge.runs.record.store import load
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify

if TYPE_CHECKING:
    from pathlib import Path

SUBJECT = f"{FILE} against the journal"
COUNT = st.integers(0, 10**9)
USE = st.fixed_dictionaries(
    {"model": st.sampled_from(["a", "local:b"]), "source": st.sampled_from(["counted", "reported"])},
    optional={"calls": COUNT, "tokens_in": COUNT, "tokens_out": COUNT, "embedding_tokens": COUNT},
)
SPENT = st.tuples(st.sampled_from(PHASES), st.floats(0, 1e6), st.floats(0, 1e6), st.lists(USE, max_size=3))


def costs_of(folder: Path, *attempts: list[dict[str, Any]]) -> CostRecord:
    """Add up a journal of these attempts."""
    (folder / journal.FILE).unlink(missing_ok=True)
    with Journal(folder) as written:
        for number, rows in enumerate(attempts):
            sheet = AttemptRows(f"c{number}")
            written.append(f"c{number}", encode([sheet.row("case", number=number), *rows, sheet.end(0)]))
    record = CostRecord.of(folder)
    assert record is not None
    return record


def spent(conversation: str, phase: str, models: list[dict[str, Any]], *, transparent: bool) -> dict[str, Any]:
    """Write a row."""
    return AttemptRows(conversation).spent(phase, 20, 10, models, transparent=transparent)


def without_costs(folder: Path) -> None:
    """Make a run what an earlier version would have made it."""
    rows = [row for row in rows_of((folder / journal.FILE).read_bytes()) if row["t"] not in {"spent", "sum"}]
    (folder / journal.FILE).unlink()
    with Journal(folder) as written:
        written.append(rows[0]["conversation"], encode(rows))
    (folder / FILE).unlink()
    about = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({k: v for k, v in about.items() if k not in {"plan", "sittings"}}))
    (folder / SEAL).unlink()
    seal(folder)


def verdicts(folder: Path) -> dict[str, Verdict]:
    """Verify a run as far as that can be done without its dataset."""
    checked = verify(folder, VerificationRequest(Assurance.CONSISTENT))
    return {finding.subject: finding.verdict for finding in checked.findings}


@given(rows=st.lists(SPENT, min_size=1, max_size=6), transparent=st.booleans())
def test_phases_and_models_add_up(rows: list[Any], transparent: bool, tmp_path_factory: Any) -> None:
    """Whatever was asked by whom and when, the whole is the sum of its parts, and so is every phase."""
    folder = tmp_path_factory.mktemp("sums")
    (folder / MANIFEST).write_text(_MANIFEST)
    sheet = AttemptRows("c0")
    record = costs_of(folder, [sheet.spent(*row, transparent=transparent) for row in rows])
    uses = [(row[0], use) for row in rows for use in row[3]]
    for name, count in (("model_calls", "calls"), ("tokens_in", "tokens_in"), ("embedding_tokens",) * 2):
        asked = sum(use.get(count, 0) for _, use in uses)
        assert (record.total(name).value or 0) == asked == sum(getattr(use, count) for use in record.models)
        for phase in PHASES:
            part = sum(use.get(count, 0) for when, use in uses if when == phase)
            assert (getattr(getattr(record, phase), name).value or 0) == part
    assert record.total("wall_s").value == pytest.approx(sum(row[1] for row in rows) / 1000, abs=1e-5)
    assert CostRecord.model_validate_json(record.text) == record


_MANIFEST = json.dumps(
    {
        "dataset": {"ref": "d", "name": "d", "sha256": "0"},
        "system": {"ref": "s", "label": "s", "name": "s", "version": "1", "capabilities": {}},
    }
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a manifest."""
    (tmp_path / MANIFEST).write_text(_MANIFEST)
    return tmp_path


def test_nothing_is_not_unknown(folder: Path) -> None:
    """A system that asks models through this package alone asked none; of another nobody knows."""
    ours = costs_of(folder, [spent("c0", "ingest", [], transparent=True)])
    assert ours.ingest.model_calls == ours.query.embedding_tokens == Amount(value=0, source=CostSource.COUNTED)
    theirs = costs_of(folder, [spent("c0", "ingest", [], transparent=False)])
    assert theirs.ingest.model_calls == theirs.total("tokens_in") == Amount()
    assert theirs.ingest.cpu_s == Amount(value=0.01, source=CostSource.COUNTED)
    assert (priced(ours).usd, priced(theirs).usd) == (0, None)


def test_what_was_seen_of_one_thing_says_nothing_of_another(folder: Path) -> None:
    """Calls seen in one phase were none in another; vectors that nobody saw stay unknown, and a report is one."""
    told = {"model": "m", "source": "reported", "calls": 2, "tokens_in": 7}
    record = costs_of(folder, [spent("c0", "ingest", [told], transparent=False)])
    assert record.ingest.tokens_in == Amount(value=7, source=CostSource.REPORTED)
    assert record.query.tokens_in == Amount(value=0, source=CostSource.REPORTED)
    assert record.ingest.embedding_tokens == Amount()


def test_an_amount_has_a_value_or_is_unavailable() -> None:
    """Nothing between the two can be written down, nor less than nothing."""
    for wrong in ({"value": None, "source": "counted"}, {"value": 1, "source": "unavailable"}, {"value": -1}):
        with pytest.raises(ValidationError):
            Amount.model_validate(wrong)


def test_money_follows_from_tokens_and_a_dated_list(folder: Path) -> None:
    """Local models are free; of one without a price no sum is told; vectors cost what input costs."""
    uses = [
        {"model": "gpt", "source": "counted", "calls": 4, "tokens_in": 1_000_000, "tokens_out": 500_000},
        {"model": "local:tiny", "source": "counted", "calls": 9, "tokens_in": 9_000_000},
        {"model": "vectors", "source": "counted", "embedding_tokens": 2_000_000},
    ]
    record = costs_of(folder, [spent("c0", "ingest", uses, transparent=False)])
    known = {
        "gpt": Price.flat(2.0, 8.0, source="list", as_of="2026-10-01"),
        "vectors": Price.flat(0.5, 0.0, source="list", as_of="2026-11-01"),
    }
    money = priced(record, known.get)
    assert (money.usd, money.by_phase) == (2.0 + 4.0 + 1.0, {"ingest": 7.0})
    assert (money.priced_on, money.source, money.unpriced) == ("2026-11-01", "list", ())
    del known["vectors"]
    assert (priced(record, known.get).usd, priced(record, known.get).unpriced) == (None, ("vectors",))


def test_a_run_says_what_it_cost(pristine: Path) -> None:
    """The file is the sum of the journal; searches have their percentiles; nobody saw what a stranger asks."""
    record = load(pristine).cost
    assert record == CostRecord.of(pristine)
    assert record is not None
    assert (record.sittings, record.attempts, record.unseen, record.lost, record.whole) == (1, 1, 0, 0, True)
    assert (record.total("wall_s").value or 0) > 0
    assert (record.search_p50_ms.value or 0) <= (record.search_p95_ms.value or 0)
    assert record.ingest.model_calls == record.bytes_stored == Amount()
    assert verdicts(pristine)[SUBJECT] is verdicts(pristine)[FILE] is Verdict.PASS


def test_every_changed_byte_is_found(sealed_run: Path) -> None:
    """By its seal; and where that was forged with it, by the journal, and no number is read before."""
    path, raw = sealed_run / FILE, (sealed_run / FILE).read_bytes()
    sealed = Seal.read(sealed_run)
    for place in range(0, len(raw), 97):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        assert sealed.altered(sealed_run) == (FILE,)
    path.write_bytes(raw.replace(b'"attempts":1', b'"attempts":2').replace(b'"attempts": 1', b'"attempts": 2'))
    assert path.read_bytes() != raw
    with pytest.raises(TamperError, match=r"cost\.json changed"):
        assert load(sealed_run).cost
    assert verdicts(sealed_run)[FILE] is Verdict.FAIL
    forged = sealed.text.replace(sealed.files[FILE], file_hash(path))
    (sealed_run / SEAL).write_text(forged)
    assert verdicts(sealed_run)[SUBJECT] is Verdict.FAIL


def test_a_cost_that_was_taken_away_is_missed(sealed_run: Path) -> None:
    """Also where the seal was made anew without it."""
    (sealed_run / FILE).unlink()
    assert verdicts(sealed_run)[FILE] is Verdict.FAIL
    sealed = Seal.read(sealed_run)
    files = {name: digest for name, digest in sealed.files.items() if name != FILE}
    (sealed_run / SEAL).write_text(Seal(files, sealed.content, identity=sealed.identity).text)
    assert verdicts(sealed_run)[SUBJECT] is Verdict.FAIL


def test_runs_of_earlier_versions_say_nothing_and_verify(sealed_run: Path) -> None:
    """They have the same content and identity, no cost, and no finding about one."""
    before = Seal.read(sealed_run)
    without_costs(sealed_run)
    assert (Seal.read(sealed_run).content, Seal.read(sealed_run).identity) == (before.content, before.identity)
    assert load(sealed_run).cost is CostRecord.read(sealed_run) is None
    assert set(verdicts(sealed_run)) & {FILE, SUBJECT} == set()
    assert set(verdicts(sealed_run).values()) <= {Verdict.PASS, Verdict.VACUOUS}


@pytest.mark.parametrize("pack", ["whole", "without text", "compact"])
@pytest.mark.parametrize("old", [False, True])
def test_bundles_carry_the_cost(sealed_run: Path, tmp_path: Path, pack: str, old: bool) -> None:
    """What is unpacked cost what the run cost, and of an older run nothing is made up."""
    if old:
        without_costs(sealed_run)
    packed = tmp_path / "run.zip"
    if pack == "compact":
        compact_bundle(sealed_run, packed)
    else:
        bundle(sealed_run, packed, without_text=pack == "without text")
    with unbundled(packed) as restored:
        assert load(restored).cost == load(sealed_run).cost
        assert (load(restored).cost is None) is old
        assert Verdict.FAIL not in verdicts(restored).values()


@pytest.mark.parametrize(
    "change",
    [
        {"phase": "lunch"},
        {"wall_ms": -1.0},
        {"cpu_ms": float("nan")},
        {"models": [{"model": "m", "source": "guessed"}]},
        {"models": [{"model": "m", "source": "counted", "calls": -3}]},
        {"models": 3},
    ],
)
def test_what_a_player_makes_up_is_refused(change: dict[str, Any]) -> None:
    """A row of costs is looked at before it enters a journal."""
    row = spent("c0", "ingest", [], transparent=False)
    assert legible(row)
    assert not legible(row | change)


def test_a_file_that_is_no_record_is_named(tmp_path: Path) -> None:
    """The error says which field of which file."""
    (tmp_path / FILE).write_text(json.dumps({"schema": "memgauge.cost/2"}))
    with pytest.raises(RunError, match=r"cost\.json: schema"):
        CostRecord.read(tmp_path)
    assert set(PhaseCost.model_fields) >= {"wall_s", "cpu_s", "model_calls"}

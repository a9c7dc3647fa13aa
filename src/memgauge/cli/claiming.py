"""`memgauge results claims` and `import-claims`: published numbers of the field beside what can be recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.registry import unknown_name
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from memgauge.submissions.sheets.claim import ClaimSheet

RESULTS = Path("results")
"""Where a checkout keeps its registry."""


def claims(folder: Path = RESULTS, *, product: str = "", shown: Output = SHOWN) -> int:
    """Show what is claimed of products, by whom, beside what can be computed again of it.

    Every number has one of four verdicts: it agrees with the rows that were published below it, it differs from
    them, it is not comparable with a run of ours for reasons that are named, or it is not recomputable. Nothing of
    it is verified.

    Example: memgauge results claims --product mem0

    Parameters
    ----------
    folder
        Root of a registry, whose folder `claims` is read.
    product
        Show the numbers of one product.
    """
    from memgauge.submissions.claims.ledger import judged_ledger
    from memgauge.submissions.claims.show import claims_document

    every = judged_ledger(folder)
    known = {claim.sheet.product for claim in every}
    if product and product not in known:
        raise unknown_name("product", product, known)
    chosen = tuple(claim for claim in every if product in {"", claim.sheet.product})
    return present(claims_document(chosen), shown, name="claims")


def import_claims(
    format_: str, file: Path, *, out: Path, where: str = "", on: str = "", shown: Printing = PLAIN
) -> int:
    """Read published results of others into claim sheets; their rows are counted again, and nothing is verified.

    Formats: amb-external, amb-manifest, amb-output, evermemos, memorybench-report, mteb, oamb, omnimemeval-grades,
    omnimemeval-judged, omnimemeval-tables. Texts are not kept, only counts.

    Example: memgauge results import-claims oamb mem0.json --out results

    Parameters
    ----------
    format_
        What wrote the file.
    file
        The file, as it was published.
    out
        Root of a registry; sheets are written below its folder `claims`.
    where
        Where it was published: owner/repository@commit: path. Said by no file itself.
    on
        The day of publication, YYYY-MM-DD.
    """
    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.claims.importers.catalogue import CLAIM_IMPORTERS
    from memgauge.submissions.claims.ledger import CLAIMS
    from memgauge.submissions.sheets.claim import NOT_STATED

    sheets = CLAIM_IMPORTERS.get(format_)(file, ClaimOrigin(where, on or NOT_STATED))
    written = [_write(sheet, out, f"{format_}-{file.name.partition('.')[0]}") for sheet in sheets]
    numbers = sum(len(sheet.numbers) for sheet in sheets)
    lines = [f"{numbers:,} numbers in {len(written):,} sheets below {out / CLAIMS}."]
    lines.append(f"Next: memgauge results claims {typed(out)}")
    return present(told({"numbers": numbers, "sheets": [str(path) for path in written]}, *lines), shown)


def _write(sheet: ClaimSheet, out: Path, name: str) -> Path:
    """Write a sheet beside those that are there, and over none of them."""
    from memgauge.runs.record.files import write_atomically
    from memgauge.submissions.claims.importers.building import slug
    from memgauge.submissions.claims.ledger import CLAIMS
    from memgauge.submissions.sheets.writing import sheet_text

    folder, text = out / CLAIMS / sheet.product, sheet_text(sheet)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"Cannot write {folder}: {error.strerror}.", "Choose another --out.") from error
    number = 1
    while True:
        path = folder / f"{slug(name)[:70]}{'' if number == 1 else f'-{number}'}.toml"
        if not path.exists():
            write_atomically(path, text)
            return path
        if path.read_text(encoding="utf-8") == text:
            return path
        number += 1

"""`memgauge results card`: the summary of a board, to paste where people talk."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.options import ScoreOptions
from memgauge.frame.output import PLAIN, Printing, present, told

if TYPE_CHECKING:
    from memgauge.scoring.leaderboard import Built

_DEFAULT = ScoreOptions()
KINDS = (".svg", ".md")


def card(
    *runs: Path,
    options: ScoreOptions = _DEFAULT,
    out: Path = Path("card.svg"),
    date: str = "",
    shown: Printing = PLAIN,
) -> int:
    """Write the summary of a board to paste: who leads if anybody does, intervals, counts, data and versions.

    The same runs give the same bytes. Where no lead is shown by the data, the card claims none.

    Example: memgauge results card --out card.svg

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    out
        The file to write: `.svg` or `.md`.
    date
        Written on it as it is; without one it has none, for runs have no clock.
    """
    from memgauge.frame.choosing import finished
    from memgauge.report.card import card as summary
    from memgauge.runs.record.files import write_atomically
    from memgauge.scoring.leaderboard import leaderboards
    from memgauge.show.card import card_svg
    from memgauge.show.markdown import markdown

    if out.suffix not in KINDS:
        raise ConfigError(f"{out} is no kind of card.", f"Name a file that ends in {' or '.join(KINDS)}.")
    with working("scoring"):
        built = leaderboards(finished(runs), options.settings(), allow_unpinned=True)
    if len(built) > 1:
        refs = ", ".join(each.board.dataset.ref for each in built)
        raise ConfigError(f"These runs make {len(built)} boards ({refs}).", "Name the runs of one of them.")
    (only,) = built
    document = summary(only.board, {**_made_of(only), **({"date": date} if date else {})})
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, card_svg(document) if out.suffix == ".svg" else markdown(document))
    return present(told({"card": str(out), "verdict": document.lead}, str(out)), shown)


def _made_of(built: Built) -> dict[str, str]:
    from memgauge.version import __version__

    contents = sorted(judged.run.seal.content for judged in built.judged)
    return {"runs": sha256("".join(contents).encode()).hexdigest()[:16], "memgauge": __version__}

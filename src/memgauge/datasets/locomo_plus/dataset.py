"""LoCoMo-Plus (Li et al. 2026): 401 cues in the conversations of LoCoMo, with triggers far from their words."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memgauge.datasets.entries import EntryStream
from memgauge.datasets.files import FileSpec, find_published, locate, verify
from memgauge.datasets.kind import CAPTIONS, DatasetKind, DatasetRequest, Option
from memgauge.datasets.locomo.convert import case_of
from memgauge.datasets.locomo.dataset import FILE as LOCOMO
from memgauge.datasets.locomo.schema import read_samples
from memgauge.datasets.locomo_plus.convert import entry_of
from memgauge.datasets.locomo_plus.schema import read_cues
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.datasets.entries import Entry

LICENCE: Final = "none stated; holds LoCoMo (CC BY-NC 4.0)"
FILE: Final = FileSpec(
    "locomo_plus.json",
    "af2fc6e5e0e88735e28d8dd1ef474b718861a73beb21779809e3b9e1a4fe3d23",
    "https://raw.githubusercontent.com/xjtuleeyf/Locomo-Plus/main/data/locomo_plus.json",
)


@dataclass(frozen=True)
class LocomoPlus(EntryStream):
    """The opened cues, laid into a conversation one at a time."""

    identity: DatasetIdentity
    path: Path
    locomo: Path

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield one conversation a cue: record i lies in conversation i mod 10."""
        samples = read_samples(self.locomo)
        captions = self.identity.options["captions"] == "true"
        homes = [case_of(self.locomo, sample, captions=captions).conversation for sample in samples]
        if not homes:
            raise MalformedDataError(f"{self.locomo} holds no conversation.", "Bring LoCoMo's file again.")
        cues = read_cues(self.path)
        oddities["cues_told_again"] += len(cues) - len({cue.cue_dialogue for cue in cues})
        for number, cue in enumerate(cues):
            place = number % len(homes)
            conversation = samples[place].conversation
            speakers = {letter: str(conversation.get(f"speaker_{letter.lower()}", letter)) for letter in "AB"}
            yield entry_of(f"plus-{number:03d}", cue, homes[place], speakers, oddities)


def open_locomo_plus(request: DatasetRequest) -> LocomoPlus:
    """Find and hash the cues, and the conversations of LoCoMo.

    Raises:
        DataError: One of the files is missing, or is not the published one.
    """
    identity, path = find_published("locomo_plus", {"": FILE}, LICENCE, request)
    # Beside the cues before anywhere else, for cues are numbered after the conversations there.
    beside = path.with_name(LOCOMO.name)
    place = beside if beside.is_file() else locate("locomo", LOCOMO, request.root)
    home = verify("locomo", LOCOMO, place, allow_unpinned=request.allow_unpinned)
    both = hashlib.sha256(f"{identity.sha256}\0{home.sha256}".encode()).hexdigest()
    identity = replace(identity, sha256=both, pinned=identity.pinned and home.pinned)
    return LocomoPlus(identity, path, home.path)


KIND = DatasetKind(
    name="locomo_plus",
    summary="401 cues laid into LoCoMo, with triggers that share no words with them; a rubric, no answers.",
    licence=LICENCE,
    homepage="https://github.com/xjtuleeyf/Locomo-Plus",
    opener=open_locomo_plus,
    files=(FILE,),
    options={
        "captions": CAPTIONS,
        "pairing": Option.among(
            "pairing of locomo_plus",
            "Which conversation a cue lies in",
            {"modulo": "record i in conversation i mod 10"},
        ),
    },
    paths=True,
)

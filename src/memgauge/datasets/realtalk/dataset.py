"""REALTALK: real chats of three weeks, LoCoMo's cousin; the files are nobody's to pass on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memgauge.datasets.kind import CAPTIONS, DatasetKind
from memgauge.datasets.realtalk.convert import entry_of
from memgauge.datasets.realtalk.schema import ChatFile
from memgauge.datasets.trees import FileTree, TreeStream
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.datasets.entries import Entry

PATTERN: Final = "Chat_*.json"
_NUMBER: Final = re.compile(r"Chat_(\d{1,4})(?:_.*)?\.json")
PUBLISHED: Final = (
    "4e947998a751a1ba2c3710fc873b90fbcbc234fda7a5e4e75db2b762e0f25a36",
    "4ac6e319c206731aa9a025c93325eb1edb43686cf39473f058c87ae7deb2d62a",
    "10c9208016538cbe7a28aafa6cfd72587b072677964c36ec242159fdf58961f2",
    "80aa012ed6a918f5b317bd942b4d4811a158d27a6e07b7a5c6182994107a9367",
    "32dd7c45786b1a26861dc1574a1bb698a855196fd2ae3fc0c091f3c9ab2d6d06",
    "9d5ee072ab5a0667ef71d5644d7cd3a4c6777a1e6e2252bf306f310d982e40ac",
    "b5716bb093217980e747dec0d98996829b569febc09587a025efc6b79806e9ce",
    "814f64ad7e8a46f0398f550fe84184e2ba495a292290b9ff96ffc95448280800",
    "05b9b4331bf0e25a2a64dc89c404622c83a61ab5e7c935fb7d844449caf6dd39",
    "26135a9e3482f40bea4c71de570a2d994a361848111067e60587be1dd82a0127",
)
"""Of chats 1 to 10 at danny911kr/REALTALK, b903e06a; their names are those of real people."""


class Realtalk(TreeStream):
    """The opened chats, read one file at a time."""

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield one conversation a chat, in the order of their numbers."""
        for number, path in sorted(_numbered(self.tree)):
            yield entry_of(
                f"chat-{number}",
                ChatFile(path),
                captions=self.identity.options["captions"] == "true",
                oddities=oddities,
            )


def _numbered(tree: FileTree) -> Iterator[tuple[int, Path]]:
    seen: dict[int, Path] = {}
    for path in tree.files:
        match = _NUMBER.fullmatch(path.name)
        if match is None or int(match[1]) in seen:
            raise MalformedDataError(f"{path}: its name gives no number of its own.", "Call it Chat_1_….json.")
        seen[int(match[1])] = path
        yield int(match[1]), path


KIND: DatasetKind = DatasetKind(
    name="realtalk",
    summary="10 real chats of three weeks, 728 questions in three categories, evidence by turn.",
    licence="none stated; private messages of real people",
    homepage="https://github.com/danny911kr/REALTALK",
    opener=lambda request: Realtalk.opened(KIND, request, (PATTERN,), hashes=PUBLISHED),
    options={"captions": CAPTIONS},
    paths=True,
)

"""Made-up colleagues in the place of real people: nobody speaks in an instance under the name of their account."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_WRITTEN = """
anouk bela carlo dunja emre fritzi gesa hamid inga jarek katya lorenz maite nuno oana pavel quirin rosa stefan
talia ugo vera wim xenia yara zeno
"""
_NAMES = _WRITTEN.split()
_HANDLE = re.compile(r"(?<![\w`/.])@([A-Za-z\d](?:[\w-]*[A-Za-z\d])?)")


class Personas:
    """Names by account, in the order in which the accounts turn up."""

    def __init__(self, accounts: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        for account in accounts:
            self.name(account)

    def name(self, account: str) -> str:
        """Return who stands for an account; the same one every time."""
        number = len(self._names)
        turn, place = divmod(number, len(_NAMES))
        return self._names.setdefault(account.casefold(), _NAMES[place] + (str(turn + 1) if turn else ""))

    def text(self, text: str) -> str:
        """Return *text* with every mention of an account replaced, those of strangers among them."""
        spoken = _HANDLE.sub(lambda handle: f"@{self.name(handle[1])}", text)
        for account, name in list(self._names.items()):
            spoken = re.sub(rf"(?<![\w@/.-]){re.escape(account)}(?![\w/-])", name, spoken, flags=re.IGNORECASE)
        return spoken

"""How far the process that played a memory was kept from what would be right, as a run records it."""

from __future__ import annotations

from dataclasses import dataclass

OWN, HARNESS = "own", "harness"
_ORDER = {OWN: 0, "": 1, HARNESS: 2}
_EVIDENCE = ("", "answers", "all")


@dataclass(frozen=True)
class Isolation:
    """What was reached; looked at from inside the process before foreign code was loaded."""

    process: str = ""
    """``own``: a process that holds turns and question texts only; ``harness``: that of the harness, where
    everything can be found; empty: not recorded."""
    means: str = ""
    """By what: ``bubblewrap``, ``landlock``; empty for a plain process."""
    files: bool = False
    """Whether the files of the datasets and the folders of runs could not be read from it."""
    memory: bool = False
    """Whether the memory of the harness could not be read from it."""
    keys: bool = False
    """Whether its environment held no key of a provider."""
    evidence: str = ""
    """What it was told: ``all`` (a ceiling), ``answers`` (whether each of its own held evidence), or nothing."""

    @property
    def recorded(self) -> bool:
        """Whether the run says anything of it."""
        return bool(self.process)

    @property
    def whole(self) -> bool:
        """Whether nothing that would be right was within reach."""
        return self.process == OWN and self.files and self.memory and not self.evidence

    @property
    def sentence(self) -> str:
        """Say it in words."""
        if not self.recorded:
            return "How the memory was kept from the gold is not recorded."
        if self.process == HARNESS:
            return "It was played in the harness's process, where the gold can be found."
        names = {"datasets and runs": self.files, "the harness's memory": self.memory, "provider keys": self.keys}
        hidden = [name for name, reached in names.items() if reached]
        open_ = [name for name, reached in names.items() if not reached]
        parts = [f"It was played in a process of its own{f' behind {self.means}' if self.means else ''}"]
        if hidden:
            parts.append(f"out of its reach: {', '.join(hidden)}")
        if open_:
            parts.append(f"within its reach: {', '.join(open_)}")
        if self.evidence:
            parts.append("it is a ceiling and was told the evidence" if self.evidence == "all" else _LEARNER)
        return f"{'; '.join(parts)}."

    def weaker(self, other: Isolation) -> Isolation:
        """Return what two sittings of one run reached together: of each the lesser."""
        if not self.recorded or not other.recorded:
            return Isolation()
        evidence = max(self.evidence, other.evidence, key=_EVIDENCE.index)
        return Isolation(
            max(self.process, other.process, key=_ORDER.__getitem__),
            self.means if self.means == other.means else "",
            self.files and other.files,
            self.memory and other.memory,
            self.keys and other.keys,
            evidence,
        )


_LEARNER = "it learns, and was told of each of its answers whether it held evidence"
IN_HARNESS = Isolation(HARNESS)
"""A system that was opened in the process that holds the datasets."""
NOT_RECORDED = Isolation()

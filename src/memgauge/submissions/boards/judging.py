"""Who judged a board of answers: a registered judge, what its certificate says, and whose grades are its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from memgauge.errors import MemgaugeError
from memgauge.llm.judges.certify import Certificate, read_certificate
from memgauge.llm.judges.fitness import Fitness
from memgauge.submissions.opening import lies, own
from memgauge.submissions.sheets.grades import NOTHING
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.submissions.sheets.grades import GradedAnswers
    from memgauge.submissions.sheets.registry import JudgeSheet


@dataclass(frozen=True)
class RegisteredJudge:
    """A judge of the registry, with its certificate or the reason why it ranks nobody."""

    sheet: JudgeSheet
    certificate: Certificate | None
    bar: str
    """Why it ranks nobody; empty where it may."""

    @classmethod
    def of(cls, root: Path, sheet: JudgeSheet) -> RegisteredJudge:
        """Read the certificate of a judge, below the *root* of its registry."""
        if not sheet.certificate:
            return cls(sheet, None, f"Its judge {sheet.name} has no certificate.")
        path = root / sheet.certificate
        if not path.is_relative_to(root) or not lies(path):
            return cls(sheet, None, f"The certificate of its judge, {sheet.certificate}, is not in the registry.")
        try:
            certificate = read_certificate(text_file(own(root, path)))
        except (MemgaugeError, OSError, ValidationError):
            return cls(sheet, None, f"{sheet.certificate}, of its judge {sheet.name}, is no certificate.")
        if certificate.verdict is not Fitness.FIT:
            why = "; ".join(certificate.reasons)
            return cls(sheet, certificate, f"Its judge {sheet.name} is {certificate.verdict}: {why}.")
        return cls(sheet, certificate, "")

    def judged(self, graded: GradedAnswers) -> bool:
        """Whether grades are of this judge, asked in its words; without an answer it was asked nothing."""
        asked = self.sheet.prompt_sha256 in graded.verdicts.maker.prompts.values()
        silent = not graded.verdicts.maker.prompts and set(graded.grades.values()) <= {"failed", NOTHING}
        return graded.verdicts.label == self.sheet.model and (asked or silent)

    def bars(self, graded: GradedAnswers) -> Iterator[str]:
        """Say why grades of it rank nobody: its own reason, or that it judged otherwise than it was certified."""
        if self.bar or self.certificate is None:
            yield self.bar
            return
        tested = {name: value for name, value in self.certificate.details.items() if name != "prompts"}
        if tested != graded.verdicts.maker.panel.model_dump(mode="json", exclude_unset=True):
            yield "Its judge had other parameters, or another quorum, than the certificate is of."
        prompts = self.certificate.details.get("prompts", {})
        asked = graded.verdicts.maker.prompts
        untested = sorted(name for name, sha256 in asked.items() if prompts.get(name) != sha256)
        if untested:
            yield f"The certificate of its judge says nothing of {', '.join(untested)}."

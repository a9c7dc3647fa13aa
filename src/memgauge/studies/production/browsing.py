"""Questions in a browser: one page of this machine, one question at a time, kept before it is acknowledged.

Who knows the address may answer: its path is a secret that is made anew for every sitting, so that neither a page
elsewhere nor another user of the machine can read texts or answer in somebody's name.
"""

from __future__ import annotations

import hmac
import re
import secrets
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

from memgauge.errors import ConfigError, DataMismatchError, MemgaugeError
from memgauge.serving import BoundedHandler, BoundedServer, Unfit
from memgauge.show.assets import asset, environment
from memgauge.studies.production.asking import shown_question
from memgauge.studies.production.judgments import LabelVerdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.sitting import LabelSitting

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
ANSWERS: Final = (
    ("y", LabelVerdict.HIT, "Yes"),
    ("n", LabelVerdict.MISS, "No"),
    ("u", LabelVerdict.UNCLEAR, "Unclear"),
)
_FORM: Final = "application/x-www-form-urlencoded"
_PLACE: Final = re.compile("[0-9]{1,6}").fullmatch
_HEADS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",  # without any, a browser would not say that our form is ours
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


class LabelServer(BoundedServer):
    """Asks one rater, on this machine alone."""

    def __init__(self, traffic: Traffic, sitting: LabelSitting, port: int = 0) -> None:
        """Listen; port 0 takes a free one.

        Raises:
            ConfigError: The port is taken.
        """
        self.traffic, self.sitting = traffic, sitting
        self.secret = secrets.token_urlsafe(24)
        self.answered = 0
        try:
            super().__init__(("127.0.0.1", port), _LabelHandler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ConfigError(f"Cannot ask on port {port}: {reason}.", "Choose another --port, or 0.") from error

    @property
    def address(self) -> str:
        """Return where the questions are."""
        return f"http://127.0.0.1:{self.server_address[1]}/{self.secret}/"

    def page(self, at: int | None) -> str:
        """Write the page of the question at a place from 1, or of the first that has no answer."""
        sitting, questions = self.sitting, self.sitting.drawn.questions
        verdicts = sitting.verdicts
        places = [place for place, question in enumerate(questions, 1) if question.name not in verdicts]
        place = at if at is not None and 1 <= at <= len(questions) else next(iter(places), len(questions) + 1)
        question = questions[place - 1] if place <= len(questions) else None
        template = environment().from_string(_own("label.html.j2"))
        return template.render(
            place=place,
            drawn=len(questions),
            done=len(questions) - len(places),
            rater=sitting.rater,
            name=question.name if question else "",
            asked=shown_question(self.traffic, question) if question else None,
            said=str(verdicts.get(question.name, "")) if question else "",
            answers=[(key, str(verdict), word) for key, verdict, word in ANSWERS],
            before=place - 1 if place > 1 else None,
            after=place + 1 if place < len(questions) else None,
        )


class _LabelHandler(BoundedHandler):
    """Shows pages to whoever knows the secret, and keeps what they say."""

    largest = 1 << 14
    json_only = False
    server: LabelServer

    def do_GET(self) -> None:  # noqa: N802 - the library's name
        """Show a question, or what its page is made of."""
        self._do(self._shown)

    def do_POST(self) -> None:  # noqa: N802 - as above
        """Keep an answer, and lead to the next question."""
        self._do(self._answered)

    def _do(self, act: Callable[[], None]) -> None:
        try:
            act()
        except DataMismatchError as error:
            self.send_error(HTTPStatus.BAD_REQUEST, str(error))
        except MemgaugeError as error:
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))

    def _shown(self) -> None:
        name = self._admitted_to()
        if name == "":
            at = parse_qs(urlsplit(self.path).query).get("at", [""])[0]
            self._show(self.server.page(int(at) if _PLACE(at) else None), "text/html; charset=utf-8")
        elif name == "label.css":
            self._show(asset("style.css") + _own(name), "text/css; charset=utf-8")
        elif name == "label.js":
            self._show(_own(name), "text/javascript; charset=utf-8")
        else:
            raise Unfit(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _answered(self) -> None:
        if self._admitted_to() != "say" or self.headers.get_content_type() != _FORM:
            raise Unfit(HTTPStatus.NOT_FOUND, "there is nothing here")
        try:
            form = parse_qs(self.body().decode("utf-8", "replace"), max_num_fields=8)
        except ValueError as error:
            raise Unfit(HTTPStatus.BAD_REQUEST, "the form has too many fields") from error
        question, verdict = (form.get(name, [""])[0] for name in ("question", "verdict"))
        if verdict not in set(LabelVerdict):
            raise Unfit(HTTPStatus.BAD_REQUEST, f"a verdict is one of {', '.join(LabelVerdict)}")
        self.server.sitting.keep([self.server.sitting.judge(question, LabelVerdict(verdict))])
        self.server.answered += 1
        self.reply(HTTPStatus.SEE_OTHER, b"", _HEADS | {"Location": f"/{self.server.secret}/"})

    def _admitted_to(self) -> str:
        """Return what is asked for below the secret.

        Raises:
            Unfit: The request comes from elsewhere, or does not know it.
        """
        self.check(token=False)
        _, secret, *rest = [*urlsplit(self.path).path.split("/"), ""]
        if len(rest) < 2 or not hmac.compare_digest(
            secret.encode("utf-8", "replace"), self.server.secret.encode()
        ):
            raise Unfit(HTTPStatus.NOT_FOUND, "open the whole address that the command printed")
        self.server.admit(self.connection)
        return "/".join(rest[:-1])

    def _show(self, text: str, content_type: str) -> None:
        self.reply(HTTPStatus.OK, text.encode("utf-8", "replace"), _HEADS | {"Content-Type": content_type})


def _own(name: str) -> str:
    return (files("memgauge.studies.production") / "page" / name).read_text("utf-8")

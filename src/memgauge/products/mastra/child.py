"""A program of Node that keeps a memory and asks back for vectors, spoken to in lines of JSON."""

from __future__ import annotations

import json
import time
from threading import Lock
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, CallTimeout, MissingExtraError
from memgauge.systems.wire.pipes import DeadlinePassed
from memgauge.systems.wire.process import GRACE_S, Command, ProcessLife
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    Embed = Callable[[list[str]], list[list[float]]]

CALL_S = 110.0
"""Seconds for one call; whoever waits for the adapter has a limit of their own."""
LAST_WORDS = 6


class NodeMemory:
    """One process of Node; calls take turns, since what they ask back belongs to the call before."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], folder: Path) -> None:
        """Start *command* in *folder* with nothing but *env*.

        Raises:
            MissingExtraError: There is no such program.
        """
        self._turn = Lock()
        try:
            self._life = ProcessLife(Command(command, env, folder))
        except OSError as error:
            raise MissingExtraError(
                f"{command[0]} cannot be started: {error.strerror}.", "Run `memgauge systems install mastra`."
            ) from error

    @property
    def is_gone(self) -> bool:
        """Whether it has ended."""
        return self._life.gone()

    def call(self, embed: Embed, op: str, **given: object) -> Any:
        """Ask for *op* and return its result; *embed* answers when it asks for vectors meanwhile.

        Raises:
            CallFailed: It refuses, or has ended.
            CallTimeout: It does not answer in time.
        """
        until = time.monotonic() + CALL_S
        with self._turn:
            self._send({"op": op, **given}, until, op)
            while "embed" in (message := self._receive(until, op)):
                self._send(embed(message["embed"]), until, op)
        if "error" in message:
            raise CallFailed(f"{op}: {message['error']}")
        return message["result"]

    def _send(self, message: object, until: float, op: str) -> None:
        try:
            self._life.pipes.send(json.dumps(message).encode() + b"\n", until)
        except DeadlinePassed:
            raise self._late(op) from None
        except (EOFError, ValueError):
            raise self._death(op) from None

    def _receive(self, until: float, op: str) -> Mapping[str, Any]:
        """Read a message; a library may print where messages belong."""
        try:
            while (message := object_of(self._life.pipes.line(until).decode("utf-8", "replace"))) is None:
                continue
        except DeadlinePassed:
            raise self._late(op) from None
        except (EOFError, ValueError):
            raise self._death(op) from None
        return message

    def _late(self, op: str) -> CallTimeout:
        self._life.end()
        return CallTimeout(f"{op} of Node took longer than {CALL_S:g} s")

    def _death(self, op: str) -> CallFailed:
        how = self._life.ended()
        self._life.end()  # and with it who listens to the last words
        words = self._life.last_words(LAST_WORDS)[-300:]
        return CallFailed(f"Node {how} during {op}{': ' if words else ''}{words}")

    def close(self) -> None:
        """End the process: first by closing its input, then by force."""
        self._life.pipes.end_input()
        self._life.wait(GRACE_S)
        self._life.end()

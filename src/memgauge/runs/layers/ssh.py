"""Signatures of files with ordinary SSH keys: all cryptography is ``ssh-keygen -Y``."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAMESPACE: Final = "memgauge"
"""What a signature is for; one that was made for mail or for Git is not taken."""
PROGRAM: Final = "ssh-keygen"
_PATIENCE_S: Final = 60.0
_FINGERPRINT = re.compile(r"SHA256:([A-Za-z0-9+/]+)")


def sign_file(text: Path, key: Path) -> Path:
    """Sign a file and return its signature, which lies beside it; where the key does not sign, the file goes.

    A key that lies with an agent is named by its public file; ``ssh-keygen`` asks for a passphrase where needed.

    Raises:
        MissingExtraError: There is no ``ssh-keygen``.
        ConfigError: The key cannot sign.
    """
    signature = text.with_name(f"{text.name}.sig")
    signature.unlink(missing_ok=True)  # it would be asked whether to write over it
    made = _keygen("sign", "-f", str(key), "-n", NAMESPACE, str(text))
    if made.returncode or not signature.is_file():
        text.unlink(missing_ok=True)
        raise ConfigError(f"{key} does not sign: {_words(made)}.", "Name a private key, or one of your agent's.")
    return signature


def signer_key(signature: Path, signed: bytes) -> tuple[str, str]:
    """Return the fingerprint of the key that signed, and why it did not; one of the two is empty."""
    made = _keygen("check-novalidate", "-n", NAMESPACE, "-s", str(signature), stdin=signed)
    key = _FINGERPRINT.search(made.stdout.decode("utf-8", "replace"))
    if made.returncode or key is None:
        return "", f"it is no signature of its statement: {_words(made)}"
    return key[0], ""


def principal(signature: Path, signed: bytes, allowed: Path | None) -> str:
    """Return the first of the names of a key under which its signature is valid now; empty where there is none."""
    if allowed is None:
        return ""
    known = _keygen("find-principals", "-s", str(signature), "-f", str(allowed))
    for name in known.stdout.decode("utf-8", "replace").splitlines() if not known.returncode else ():
        options = ("-f", str(allowed), "-I", name, "-n", NAMESPACE, "-s", str(signature))
        if not _keygen("verify", *options, stdin=signed).returncode:
            return name
    return ""


def require_signers(allowed: Path | None) -> None:
    """Require what trusting somebody's signature needs.

    Raises:
        MissingExtraError: There is no ``ssh-keygen``.
        ConfigError: There is no such file of allowed signers.
    """
    if allowed is not None and not allowed.is_file():
        raise ConfigError(f"There is no file {allowed}.", "Write one line a signer: name, key type, key.")
    if allowed is not None:
        _program()


def fingerprint(key: Path) -> str:
    """Return the fingerprint of a key as a file can be called.

    Raises:
        MissingExtraError: There is no ``ssh-keygen``.
        ConfigError: There is no such key, or it is none.
    """
    if not key.is_file():
        raise ConfigError(f"There is no key {key}.", f"Make one with `{PROGRAM} -t ed25519`.")
    made = _run((_program(), "-l", "-E", "sha256", "-f", str(key)))
    printed = _FINGERPRINT.search(made.stdout.decode("utf-8", "replace"))
    if made.returncode or printed is None:
        raise ConfigError(f"{key} is no key: {_words(made)}.", f"Make one with `{PROGRAM} -t ed25519`.")
    return printed[1].replace("/", "_").replace("+", "-")


def _program() -> str:
    """Find ``ssh-keygen``.

    Raises:
        MissingExtraError: It is not here.
    """
    path = shutil.which(PROGRAM)
    if path is None:
        raise MissingExtraError(
            f"Signatures need {PROGRAM}, which is not here.",
            "Install openssh-client; `memgauge doctor` names the command.",
        )
    return path


def _keygen(what: str, *options: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return _run((_program(), "-Y", what, *options), stdin)


def _run(command: Sequence[str], stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(command, input=stdin or b"", capture_output=True, check=False, timeout=_PATIENCE_S)  # noqa: S603 - ssh-keygen
    except subprocess.TimeoutExpired as error:
        raise ConfigError(f"{PROGRAM} did not answer within {_PATIENCE_S:g} s.", "Is its agent asleep?") from error


def _words(made: subprocess.CompletedProcess[bytes]) -> str:
    text = " ".join((made.stderr or made.stdout).decode("utf-8", "replace").split())
    return text[:300].rstrip(".") or f"{PROGRAM} exits with {made.returncode}"

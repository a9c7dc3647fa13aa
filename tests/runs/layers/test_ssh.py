"""Files are signed with ordinary SSH keys, and who signed is told as far as the reader vouches for the key."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.runs.layers.ssh import fingerprint, principal, require_signers, sign_file, signer_key

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Make a key without a passphrase."""
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def test_who_signed_is_known_by_the_readers_file_alone(tmp_path: Path, key: Path) -> None:
    """The key is told to everybody; its name only to who allows it."""
    text = tmp_path / "said.txt"
    text.write_text("as it was\n", "utf-8")
    signature = sign_file(text, key)
    assert signature.name == "said.txt.sig"
    told, problem = signer_key(signature, text.read_bytes())
    assert (fingerprint(key).replace("_", "/").replace("-", "+") in told, problem) == (True, "")
    kind, public, *_ = key.with_suffix(".pub").read_text("utf-8").split()
    allowed = tmp_path / "allowed"
    allowed.write_text(f"ada@example {kind} {public}\n", "utf-8")
    assert principal(signature, text.read_bytes(), allowed) == "ada@example"
    assert principal(signature, text.read_bytes(), None) == ""


def test_a_text_that_was_changed_is_not_signed(tmp_path: Path, key: Path) -> None:
    """Nor does anybody vouch for it."""
    text = tmp_path / "said.txt"
    text.write_text("as it was\n", "utf-8")
    signature = sign_file(text, key)
    told, problem = signer_key(signature, b"as it was not\n")
    assert told == ""
    assert problem.startswith("it is no signature of its statement")


def test_what_is_no_key_is_told(tmp_path: Path) -> None:
    """A file that is absent, and one of another kind."""
    with pytest.raises(ConfigError, match="There is no key"):
        fingerprint(tmp_path / "absent")
    (tmp_path / "text").write_text("no key", "utf-8")
    with pytest.raises(ConfigError, match="is no key"):
        fingerprint(tmp_path / "text")
    with pytest.raises(ConfigError, match="There is no file"):
        require_signers(tmp_path / "absent")

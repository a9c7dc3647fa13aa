"""Runs are signed with ordinary SSH keys, and a signature holds for the run that it was made for, and no other."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memgauge.cli import invoke
from memgauge.errors import ConfigError, MissingExtraError
from memgauge.frame.exits import FAILED, OK, UNPROVEN, WRONG_USE
from memgauge.records import Verdict
from memgauge.runs.layers.layer import LayerManifest, write_layer
from memgauge.runs.layers.signing import FOLDER, sign, signatures, statement
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.store import load
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify
from support.forgery import forge, questions

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen (openssh-client)")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the keys of two people, and a file that allows the first of them."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ada", "mallory"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
        subprocess.run(command, check=True)
    public = (folder / "ada.pub").read_text().rsplit(" ", 1)[0]
    (folder / "allowed").write_text(f"ada@example.org {public}\n")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a system of somebody else's, whose runs nobody can repeat."""
    (folder,) = execute(
        plan(["synthetic:tiny"], ["support.systems:Notebook"]),
        tmp_path_factory.mktemp("runs"),
        executor=Inline(),
        check=False,
    )
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """Give a copy of it, to be signed and spoilt."""
    return shutil.copytree(made, tmp_path / "run")


def failures(folder: Path, allowed: Path | None = None) -> dict[str, str]:
    """Name what is wrong with a run."""
    checked = verify(folder, VerificationRequest(signers=allowed))
    return {finding.subject: finding.detail for finding in checked if finding.verdict is Verdict.FAIL}


def worse(rows: list[dict[str, Any]]) -> None:
    """Turn every ranking around."""
    for row in questions(rows):
        row["memories"].reverse()


def test_a_signature_says_whose_a_run_is(run: Path, keys: Path) -> None:
    """With the file of allowed signers the name is known, and what nobody can repeat has an origin."""
    before = sorted(path.name for path in run.iterdir())
    path = sign(load(run), keys / "ada")
    assert path.parent == run / FOLDER
    assert sorted(path.name for path in run.iterdir()) == sorted([*before, FOLDER])
    checked = verify(run, VerificationRequest(signers=keys / "allowed"))
    assert (checked.signers, checked.verified) == (("ada@example.org",), True)
    assert checked.sentence == "verified: consistent, signed by ada@example.org"


def test_what_is_signed_can_be_read(run: Path, keys: Path) -> None:
    """One small text: the run, its identity, its content, every file, and the bare journal of a bundle."""
    path = sign(load(run), keys / "ada")
    loaded = load(run)
    text = path.with_suffix("").read_text()
    assert text == statement(loaded)
    assert text.startswith(f"memgauge statement 1\nrun: {loaded.manifest.id}\n")
    for name, value in {"content": loaded.seal.content, **loaded.seal.files}.items():
        assert f"\n{name}: {value}\n" in text


def test_signing_again_gives_the_same_file(run: Path, keys: Path) -> None:
    """One key, one signature; another key, another one."""
    first = sign(load(run), keys / "ada")
    assert sign(load(run), keys / "ada") == first
    assert sign(load(run), keys / "mallory") != first
    assert [each.problem for each in signatures(load(run))] == ["", ""]


def test_without_allowed_signers_nobody_is_trusted(run: Path, keys: Path) -> None:
    """A key is named, and that it could be anybody's is said."""
    sign(load(run), keys / "mallory")
    checked = verify(run)
    assert (checked.signers, checked.verified, checked.level) == ((), False, Assurance.CONSISTENT)
    assert "whose it is, --signers can say" in checked.findings[-1].detail


def test_a_stranger_signs_for_nobody(run: Path, keys: Path) -> None:
    """Where a signer is asked for, a signature of somebody else is not enough, and none is neither."""
    assert "nobody in " in failures(run, keys / "allowed")["signers"]
    sign(load(run), keys / "mallory")
    assert "nobody in " in failures(run, keys / "allowed")["signers"]


def test_a_forged_run_is_not_the_one_that_was_signed(run: Path, keys: Path) -> None:
    """Sealed again, it agrees with itself, and no longer with its signature."""
    sign(load(run), keys / "ada")
    forge(run, worse)
    assert set(failures(run, keys / "allowed").values()) == {
        "it was made for another run: content differs", f"nobody in {keys / 'allowed'} signed this run",
    }  # fmt: skip


def test_an_edited_statement_has_no_signature(run: Path, keys: Path) -> None:
    """The signature is over its bytes."""
    text = sign(load(run), keys / "ada").with_suffix("")
    text.write_text(text.read_text().replace("content: ", "content:  "))
    assert "it is no signature of its statement" in next(iter(failures(run).values()))


def test_a_signature_that_was_made_for_something_else_is_none(run: Path, keys: Path) -> None:
    """Its namespace is that of runs: what signs a mail or a commit does not sign a run."""
    path = sign(load(run), keys / "ada")
    path.unlink()
    command = ["ssh-keygen", "-Y", "sign", "-f", str(keys / "ada"), "-n", "git", str(path.with_suffix(""))]
    subprocess.run(command, check=True, capture_output=True)
    assert "it is no signature of its statement" in next(iter(failures(run).values()))


def test_files_that_are_no_signatures_are_named(run: Path, keys: Path) -> None:
    """Rubbish, a lost statement and a statement of something else are failures, and no crash."""
    path = sign(load(run), keys / "ada")
    path.write_text("rubbish")
    (run / FOLDER / "lonely.txt.sig").write_text("rubbish")
    wrong = failures(run)
    assert wrong[f"{FOLDER}/lonely.txt.sig"] == "its statement is missing, or larger than any"
    assert "no signature of its statement" in wrong[f"{FOLDER}/{path.name}"]


@pytest.mark.parametrize("without_text", [False, True])
def test_a_signature_goes_with_a_bundle(run: Path, keys: Path, tmp_path: Path, without_text: bool) -> None:
    """Whole, or without texts: it still says whose run this was, and what was not signed is found."""
    sign(load(run), keys / "ada")
    packed = bundle(run, tmp_path / "b.zip", without_text=without_text)
    with unbundled(packed) as unpacked:
        assert verify(unpacked, VerificationRequest(signers=keys / "allowed")).signers == ("ada@example.org",)
        forge(unpacked, lambda rows: [row.update(ms=0.001) for row in questions(rows)])
        assert failures(unpacked) == {
            f"{FOLDER}/{path.name}": "it was made for other files: journal.jsonl differs"
            for path in (unpacked / FOLDER).glob("*.sig")
        }


def test_the_command_line_signs_and_checks(
    run: Path, keys: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`runs sign` and `runs verify --signers`, with exit codes; and a sentence where ssh-keygen is absent."""
    signers = ["--signers", str(keys / "allowed")]
    assert invoke(["runs", "verify", str(run)]) == UNPROVEN
    assert invoke(["runs", "verify", str(run), *signers]) == FAILED
    assert invoke(["runs", "sign", str(run), "--key", str(keys / "ada")]) == OK
    assert invoke(["runs", "verify", str(run), *signers]) == OK
    words = " ".join(capsys.readouterr().out.split())  # the lines break where the folder's name is long
    assert "verified: consistent, signed by ada@example.org" in words
    assert invoke(["runs", "list", str(run)]) == OK
    assert invoke(["runs", "sign", str(run), "--key", str(keys / "nobody")]) == WRONG_USE
    assert invoke(["runs", "verify", str(run), "--signers", str(keys / "nobody")]) == WRONG_USE
    monkeypatch.setenv("PATH", "")
    assert invoke(["runs", "verify", str(run), *signers]) == WRONG_USE
    assert "need ssh-keygen, which is not here" in capsys.readouterr().err
    unchecked = verify(run)
    assert (unchecked.level, unchecked.findings[-1].verdict) == (Assurance.PARTIAL, Verdict.UNSUPPORTED)
    with pytest.raises(MissingExtraError):
        sign(load(run), keys / "ada")


def test_what_is_no_key_cannot_sign(run: Path, keys: Path) -> None:
    """A public key whose private one is nowhere, and a file of something else; nothing is left behind."""
    for name in ("ada.pub", "allowed"):
        lonely = Path(shutil.copy(keys / name, run.parent / f"lonely-{name}"))
        with pytest.raises(ConfigError, match=r"sign|no key"):
            sign(load(run), lonely)
    assert not list((run / FOLDER).glob("*"))


def layered(run: Path, text: str = "x") -> None:
    """Put a layer of answers on a run."""
    loaded = load(run)
    manifest = LayerManifest(kind="answers", base=loaded.seal.content, label="x", maker={"answerer": "x"})
    write_layer(loaded, manifest, ["q"], lambda keys: ({"key": key, "text": text} for key in keys))


def test_a_layer_that_nobody_signed_has_no_origin(run: Path, keys: Path) -> None:
    """What a model said cannot be repeated; signed with the run it has an origin, and changes are found."""
    wanted = VerificationRequest(signers=keys / "allowed")
    sign(load(run), keys / "ada")
    layered(run)
    before = verify(run, wanted)
    assert (before.verified, before.signers) == (False, ("ada@example.org",))
    assert "with layers of unknown origin: layers/answers-x-" in before.sentence
    sign(load(run), keys / "ada")
    assert verify(run, wanted).verified
    shutil.rmtree(run / "layers")
    layered(run, "something else")
    assert any("it was made for other layers" in detail for detail in failures(run, keys / "allowed").values())

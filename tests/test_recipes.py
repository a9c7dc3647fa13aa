"""Recipes for build servers and images: their shell steps, run for real, stop what is worse and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from memgauge import __version__
from support import ROOT
from support.docs import blocks, pages
from support.workflows import TWO_FACTS, Server

if TYPE_CHECKING:
    from pathlib import Path

CI = ROOT / "recipes" / "ci"
BASELINE = "memory-baseline.json"


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """Return a server at a repository of three commits: half of what it should return, all of it, half again.

    The baseline that was accepted at the second commit lies in git.
    """
    folder = tmp_path_factory.mktemp("build")
    repository = folder / "repository"
    (repository / "ci").mkdir(parents=True)
    (source,) = (one.text for one in blocks("README.md", pages()["README.md"]) if "mymemory.py" in one.all("file"))
    (repository / "ci" / "gate.sh").write_text((CI / "gate.sh").read_text("utf-8"), encoding="utf-8")
    (repository / "ci" / "gate.sh").chmod(0o755)
    (repository / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    _git(repository, "init", "--quiet", "--initial-branch=main")
    server = Server.at(repository, folder / "programs", TWO_FACTS)
    for name, text in (("half", source.replace("best[:k]", "best[:k][::2]")), ("whole", source), ("again", "")):
        (repository / "mymemory.py").write_text(
            text or source.replace("best[:k]", "best[:k][::2]"), encoding="utf-8"
        )
        if name == "whole":
            _accept(repository, folder)
        _git(repository, "add", ".")
        _git(repository, "commit", "--quiet", "-m", name)
        _git(repository, "tag", name)
    return server


def _accept(repository: Path, folder: Path) -> None:
    memgauge = [sys.executable, "-m", "memgauge"]
    runs = str(folder / "accepted")
    played = ["run", "-d", "synthetic:small", "-s", "mymemory:MyMemory", "--k", "10", "--out", runs, "--json"]
    for command in (played, ["runs", "accept", runs, "--as", "main", "--out", BASELINE]):
        subprocess.run([*memgauge, *command], cwd=repository, capture_output=True, check=True)


def test_githubs_action_fails_for_a_worse_commit_and_says_where(server: Server) -> None:
    """It is measured beside the baseline in git; the summary and an annotation at the memory's file say why."""
    _git(server.repository, "checkout", "--quiet", "again")
    build = server.action({"baseline": BASELINE}, {})
    assert build.code == 1, build.printed
    errors = re.findall(r"^::error file=(.*?),title=memory gate::(.*)$", build.printed, flags=re.MULTILINE)
    assert {file for file, _ in errors} == {"mymemory.py"}
    (worse,) = (why for _, why in errors if why.startswith(f"is it worse than {BASELINE}?"))
    assert re.search(r"FAILED: Recall@10 is worse \(-0\.\d+ \[-0\.\d+, -0\.\d+\]\)", worse)
    assert [why for _, why in errors if re.search(r"1 of \d+ checks failed", why)]
    assert "Memory quality gate: FAILED" in build.summary
    assert "beside the baseline mymemory:MyMemory main" in build.summary
    assert build.installed == f"-m pip install --quiet {ROOT}\n"


@pytest.mark.slow
def test_githubs_action_lets_a_better_commit_through(server: Server) -> None:
    """Without a baseline in git the commit below is measured in the same job."""
    _git(server.repository, "checkout", "--quiet", "whole")
    half = _git(server.repository, "rev-parse", "half")
    build = server.action({"package": "memgauge==9"}, {"github.event.pull_request.base.sha": half})
    assert build.code == 0, build.printed
    assert "::error" not in build.printed
    assert "Passed: nothing is confirmed to be worse." in build.summary
    commits = [_git(server.repository, "rev-parse", "--short=7", name) for name in ("whole", "half")]
    assert f"{commits[0]} beside the baseline mymemory:MyMemory {commits[1]}" in build.summary
    assert build.installed == "-m pip install --quiet memgauge==9\n"
    assert len(_git(server.repository, "worktree", "list").splitlines()) == 1


@pytest.mark.slow
def test_gitlabs_job_fails_for_a_worse_commit(server: Server) -> None:
    """The template's script ends with the gate's exit code, and leaves JUnit for the server to read."""
    _git(server.repository, "checkout", "--quiet", "again")
    build = server.gitlab(CI / "gitlab-ci.yml", "memory", {"BASELINE": BASELINE})
    assert build.code == 1, build.printed
    assert "Memory quality gate: FAILED" in build.printed
    assert "::error" not in build.printed
    assert "<failure" in (server.repository / "memory-report" / "gate.xml").read_text("utf-8")
    assert build.installed == "install memgauge\n"


@pytest.mark.slow  # the same script as in the action, which is run every time
def test_a_better_commit_passes_gitlab_and_the_workflow_without_our_action(server: Server) -> None:
    """Both templates copy one script."""
    _git(server.repository, "checkout", "--quiet", "whole")
    half = _git(server.repository, "rev-parse", "half")
    gitlab = server.gitlab(CI / "gitlab-ci.yml", "memory", {"CI_MERGE_REQUEST_DIFF_BASE_SHA": half})
    github = server.workflow(CI / "github.yml", "gate", {"github.event.pull_request.base.sha": half})
    assert (gitlab.code, github.code) == (0, 0), gitlab.printed + github.printed
    assert "Memory quality gate: passed" in github.summary


def test_the_action_hands_inputs_over_as_variables_alone() -> None:
    """No input is pasted into a command, where it could be one."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    assert all(each["description"] for each in action["inputs"].values())
    given = {value for step in action["runs"]["steps"] for value in step["env"].values()}
    assert {f"${{{{ inputs.{name} }}}}" for name in action["inputs"]} == given


def _instructions() -> list[tuple[str, str]]:
    """Read the image's recipe: lines that go on are joined, comments left out."""
    text = (ROOT / "recipes" / "oci" / "Containerfile").read_text("utf-8")
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def test_the_image_is_built_of_locks_and_serves_without_rights() -> None:
    """Not built here, where no engine is: its lines are read. Locked, no root, a token from outside."""
    instructions = _instructions()
    words = [word for word, _ in instructions]
    assert set(words) <= {"FROM", "ARG", "ENV", "COPY", "RUN", "USER", "WORKDIR", "EXPOSE", "CMD"}
    assert (words[0], words.count("FROM"), words[-1]) == ("FROM", 2, "CMD")
    assert all(re.search(r"python:3\.\d+-slim", rest) for word, rest in instructions if word == "FROM")
    installs = [part for word, rest in instructions if word == "RUN" for part in rest.split("&&") if "pip" in part]
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert "--no-deps --no-build-isolation /src" in installs[1]
    locks = re.findall(r"-r /src/(\S+)", installs[0])
    assert all((ROOT / lock).is_file() for lock in locks)
    assert words.index("USER") > max(place for place, word in enumerate(words) if word == "RUN")
    assert not [rest for word, rest in instructions if word in {"ARG", "ENV"} and re.search(r"TOKEN|KEY", rest)]
    (product,) = {rest.partition("=")[2] for word, rest in instructions if word == "ARG"}
    assert (ROOT / "src" / "memgauge" / "products" / product / "product.toml").is_file()
    served = re.search(r"memgauge systems serve .*", instructions[-1][1])
    assert served
    assert "--host 0.0.0.0" in served[0]


REQUIRED = {"cff-version", "message", "title", "authors"}
"""Fields that the schema of the Citation File Format 1.2.0 requires."""
KNOWN = REQUIRED | {
    "abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
    "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url",
    "version",
}  # fmt: skip


def test_the_citation_file_has_what_its_schema_requires() -> None:
    """Required fields, none that the schema does not know, and the version of the package."""
    citation: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert REQUIRED <= set(citation) <= KNOWN
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert str(citation["version"]) == __version__
    assert citation["license"] == "Apache-2.0"
    assert all(set(author) <= {"name", "given-names", "family-names", "orcid"} for author in citation["authors"])
    assert all(isinstance(citation[name], str) and citation[name] for name in ("message", "title", "abstract"))
    assert not isinstance(citation.get("date-released"), date) or citation["date-released"].year >= 2026

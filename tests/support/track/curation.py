"""A small clone with a dump of its issues, a scripted draft, and a finished instance, to test curation with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

TASK = """\
Ada wants a search for pictures. Ben opened a Linear ticket with the steps of it.
Ada and Ben agreed in a Slack thread that it looks at names alone. Ben committed a first version to the branch.
The ticket was closed by Ben. Ada found on Slack that most pictures are not found.
"""
SOLVED = "slow-checkout"
"""The shipped instance that stands for a finished one."""


def git(at: Path, *arguments: str, when: str = "2025-02-03T10:00:00Z") -> str:
    """Run git with nobody's settings."""
    env = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()},
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_DATE": when,
    }
    return subprocess.run(["git", *arguments], cwd=at, env=env, check=True, capture_output=True, text=True).stdout


_WHO = {"NAME": "octo", "EMAIL": "octo@example.invalid"}


def make_clone(at: Path) -> dict[str, str]:
    """Make a repository of six commits and return their hashes by what they are for."""
    at.mkdir(parents=True)
    git(at, "init", "--quiet", "--initial-branch=trunk")
    made: dict[str, str] = {}
    for name, contents in _COMMITS.items():
        for path, content in contents.items():
            target = at / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                target.unlink()
            else:
                target.write_bytes(content.encode() if isinstance(content, str) else content)
        git(at, "add", "--all")
        git(at, "commit", "--quiet", "--message", name)
        made[name] = git(at, "rev-parse", "HEAD").strip()
    return made


_COMMITS: dict[str, dict[str, str | bytes | None]] = {
    "base": {"slugs/cut.py": "LIMIT = 20\n", "slugs/join.py": "def join(*parts): ...\n", "old.txt": "old\n"},
    "fix": {"slugs/cut.py": "LIMIT = 80\n", "old.txt": None},
    "wide": {"a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n"},
    "picture": {"logo.png": b"\x89PNG\xff\xfe"},
    "other": {"slugs/join.py": "def join(*parts): return '-'.join(parts)\n"},
}


def dump(commits: dict[str, str]) -> dict[str, Any]:
    """Return issues and pull requests as GitHub's REST interface writes them."""
    pulls = [
        _pull(11, "Allow longer slugs", "Fixes #1", commits["fix"], "octo-maker", comments=_SAID[2:]),
        _pull(12, "Many files", "closes #3", commits["wide"], "octo-maker"),
        _pull(13, "One way", "resolves #4", commits["other"], "octo-maker"),
        _pull(14, "Another way", "resolves #4", commits["other"], "octo-maker"),
        _pull(15, "Lost", "Fixes: #5", "0" * 40, "octo-maker"),
        _pull(16, "A picture", "Closes #6", commits["picture"], "octo-maker"),
        _pull(17, "Before", "Closes #7", commits["fix"], "octo-maker", merged="2025-02-01T00:00:00Z"),
        {**_pull(18, "Never merged", "Closes #2", "", "octo-maker"), "merged_at": None, "pull_request": {}},
    ]
    issues = [
        _issue(
            1,
            "Slugs are cut in the middle of a word",
            "@octo-maker Titles with 30 letters lose their end.\n\n"
            "```\ncut('a' * 30)\n```\nThis breaks links of octo-user.",
            "octo-user",
            comments=_SAID[:2],
        ),
        *(_issue(number, f"Issue {number}", "Text.", "octo-user") for number in (2, 3, 4, 5, 6, 7)),
        {**_issue(8, "Still open", "Text.", "octo-user"), "closed_at": None},
    ]
    return {"issues": issues, "pulls": pulls}


_SAID = [
    {"user": {"login": "octo-maker"}, "created_at": "2025-02-04T09:00:00Z", "body": "I can see that too."},
    {
        "user": {"login": "octo-guest"},
        "created_at": "2025-02-04T11:00:00Z",
        "body": "See [this](https://e.invalid).",
    },
    {"user": {"login": "octo-user"}, "created_at": "2025-02-05T12:00:00Z", "body": "Works for me."},
]


def _issue(number: int, title: str, body: str, author: str, comments: Any = 0) -> dict[str, Any]:
    times = {"created_at": "2025-02-03T08:00:00Z", "closed_at": "2025-02-06T10:00:00Z"}
    return {
        "number": number,
        "title": title,
        "body": body,
        "user": {"login": author},
        "comments": comments,
        **times,
    }


def _pull(
    number: int, title: str, body: str, commit: str, author: str, comments: Any = 0, merged: str = ""
) -> dict[str, Any]:
    times = {"created_at": "2025-02-05T09:00:00Z", "merged_at": merged or "2025-02-06T09:30:00Z"}
    told = {"number": number, "title": title, "body": body, "user": {"login": author}, "comments": comments}
    return {**told, **times, "merge_commit_sha": commit}


def write_dump(path: Path, commits: dict[str, str]) -> Path:
    """Write a dump."""
    path.write_text(json.dumps(dump(commits)), encoding="utf-8")
    return path


def shipped(name: str = SOLVED) -> str:
    """Return the timeline of a shipped instance as JSON text."""
    return (files("memgauge.studies.track") / "demo" / name / "timeline.json").read_text("utf-8")


def put_shipped(folder: Path, name: str = SOLVED, *, signed: bool = True) -> Path:
    """Copy a shipped instance to *folder*, where it can be worked on."""
    with as_file(files("memgauge.studies.track") / "demo" / name) as source:
        shutil.copytree(source, folder)
    if not signed:
        for left in ("signoff.json", "curation.json", "guide.md", "seed.json"):
            (folder / left).unlink()
    return folder


def drafted(name: str = SOLVED) -> str:
    """Return what a model would reply that drafts a shipped instance."""
    timeline = json.loads(shipped(name))
    return json.dumps({"events": timeline["events"], "questions": timeline["questions"], "roles": {}})

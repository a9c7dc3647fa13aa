"""A product in a process of its own: it asks a model about every turn, and for vectors of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.llm.served.server import HttpReply, ModelServer
from memgauge.systems.environments.install import install
from memgauge.systems.environments.products import read_product

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = '''
import json, os
from dataclasses import replace
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from memgauge.systems.policies.plain import Recency

class Asking(Recency):
    name = "asking"

    def capabilities(self):
        return replace(super().capabilities(), needs=("llm", "embedder"))

    def ingest(self, turns, scope):
        said = " ".join(turn.text for turn in turns) * 200
        self.post("chat/completions", messages=[{"role": "user", "content": said}], max_tokens=64)
        return super().ingest(turns, scope)

    def search(self, query, scope, k, as_of=None):
        self.post("embeddings", input=[query])
        return super().search(query, scope, k, as_of)

    def post(self, path, **body):
        """Ask, and go on whatever is said, as products do."""
        heads = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
        body = json.dumps({"model": "gpt-4.1-mini", **body}).encode()
        try:
            urlopen(Request(os.environ["OPENAI_BASE_URL"] + "/" + path, body, heads), timeout=30).read()
        except HTTPError as error:
            error.read()
'''
DESCRIPTION = (
    'summary = "Mine."\nadapter = "asking_adapter:Asking"\nmodule = ""\n'
    'passes = ["OPENAI_BASE_URL", "OPENAI_API_KEY"]\n'
)


class PaidModels(ModelServer):
    """A scripted model of which nobody says that it is free."""

    def listed(self) -> HttpReply:
        """List nothing."""
        return HttpReply(200, {"object": "list", "data": []})


def asking_product(folder: Path) -> str:
    """Install it from files in *folder*, and return its reference."""
    (folder / "asking_adapter.py").write_text(ADAPTER, "utf-8")
    description = folder / "asking.toml"
    description.write_text(DESCRIPTION, "utf-8")
    install(read_product(description))
    return str(description)

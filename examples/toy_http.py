"""A memory behind HTTP: python examples/toy_http.py 8123, then memgauge systems check http://127.0.0.1:8123."""

# An example without ceremony.
# ruff: noqa: ANN001, ANN201, D101, D102, D103, INP001

import json
import re
import secrets
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

INSTANCE, KEPT = secrets.token_hex(8), {}
CAN = {"reports_changes": True, "declares_sources": True}


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def answer(method, given):
    store = KEPT.setdefault(json.dumps(given["scope"], sort_keys=True), []) if "scope" in given else []
    if method == "hello":
        return {
            "protocol": "wire/1",
            "name": "toy-http",
            "version": "1",
            "instance": INSTANCE,
            "capabilities": CAN,
        }
    if method == "ingest":
        store += [{"id": turn["id"], "text": turn["text"], "sources": [turn["id"]]} for turn in given["turns"]]
        return {"changes": [{"op": "add", "memory": turn["id"]} for turn in given["turns"]]}
    if method == "search":
        asked = words(given["query"])
        scored = [{"memory": one, "score": len(asked & words(one["text"]))} for one in store]
        return {"hits": sorted(scored, key=lambda hit: -hit["score"])[: given["k"]], "score_kind": "similarity"}
    if method == "reset":
        KEPT.clear()
    return {"memories": store} if method == "dump" else {}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = json.dumps(answer(self.path.strip("/"), body)).encode()
        self.send_response(200)
        self.send_header("Wire-Instance", INSTANCE)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

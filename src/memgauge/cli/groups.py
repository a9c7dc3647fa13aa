"""The groups of commands beyond the everyday words: each explains itself, and loads a command when it is used."""

from __future__ import annotations

from cyclopts import App, Group

_TABLE = {
    "runs": {
        "Make": {
            "plan": ("run:plan", "Say what a run would take, before it is spent."),
            "import": (
                "exchange:import_run",
                "Make a run of a trace from elsewhere: TREC, BEIR, LongMemEval, harnesses.",
            ),
        },
        "Look": {
            "list": ("runs:list_", "List the runs in a folder."),
            "show": ("inspect:show", "Print one question: gold, and what every system returned."),
            "why": ("why:why", "Say why one search did, or did not, return what was expected."),
            "sql": ("inspect:sql", "Query runs with SQL."),
        },
        "Trust": {
            "verify": (
                "verify:app",
                "Check runs or bundles: files, rows, scores, origin; say what that shows.",
            ),
            "sign": ("runs:sign", "Sign sealed runs with an SSH key."),
        },
        "Share": {
            "bundle": ("inspect:bundle", "Pack a run into one portable file, with or without texts."),
            "accept": ("keeping:accept", "Keep runs as the baseline of later builds: a small file for git."),
            "cite": ("keeping:cite", "Write the methods paragraph of runs, and what to cite."),
            "export": (
                "exchange:export_run",
                "Write a run for other tools: TREC, BEIR, JSON lines, CSV, Parquet.",
            ),
        },
    },
    "models": {
        "Local": {
            "list": ("models_local:list_", "List the local models, and whether they are here."),
            "install": ("models_local:install", "Install local models, each in an environment of its own."),
            "check": ("models_local:check", "Check what is relied on of a model, by asking it."),
            "serve": ("models_local:serve", "Serve a local model on loopback, until interrupted."),
            "remove": ("models_local:remove", "Remove the environments of local models."),
        },
        "Answer": {
            "answer": (
                "answer:answer",
                "Answer from what runs returned, score it, and say where answers were lost.",
            ),
            "choose": (
                "choose:choose",
                "Choose among options from what runs returned, beside what options give away.",
            ),
        },
        "Spend": {
            "meter": (
                "metering:meter",
                "Stand in front of an address of models, and note what every call takes.",
            ),
            "spent": ("metering:spent", "Say what models were asked through a proxy, and for how much."),
        },
        "Judge": {
            "certify": ("certify:certify", "Say what a judge is good for, by answers that are known."),
            "judge": ("judge:judge", "Let models judge answers, blind and in a shuffled order."),
            "witness": (
                "judge_memories:witness",
                "Ask models whether returned texts bear what they are credited for.",
            ),
            "writes": ("judge_memories:writes", "Let models judge what memories stored (HaluMem)."),
        },
    },
    "results": {
        "Show": {
            "report": ("score:report", "Write one self-contained HTML file about runs."),
            "card": ("card:card", "Write the summary of a board to paste, as SVG or Markdown."),
            "claims": ("claiming:claims", "Show numbers of the field beside what can be recomputed of them."),
            "measures": ("measures:measures", "List every measure: what it is, which is better, whose it is."),
        },
        "Trust": {
            "comply": (
                "complying:comply",
                "Play a benchmark with one thing changed: what is learned by heart, leaks or lingers shows.",
            ),
        },
        "Publish": {
            "import-claims": (
                "claiming:import_claims",
                "Read published results of others into sheets of the ledger of claims.",
            ),
            "pack": ("submitting:pack", "Pack runs into a submission to a registry of results."),
            "check": ("submitting:check", "Check a submission as the build server will."),
            "comment": ("commenting:comment", "Draw what a build left of its checks, to be posted."),
            "reproduce": (
                "submitting:reproduce",
                "Play a submission again from its lock, and write down whether it agrees.",
            ),
            "board": ("publishing:board", "Build the boards and the site of a registry; say which rows moved."),
        },
    },
}
"""Of every group, its commands under their headings, as ``module:function`` in this room with a line of help."""


def _group(name: str, summary: str) -> App:
    app = App(name, help=summary)
    for title, commands in _TABLE[name].items():
        heading = Group.create_ordered(title)
        for place, (word, (target, line)) in enumerate(commands.items()):
            app.command(f"memgauge.cli.{target}", name=word, help=line, group=heading, sort_key=place)
    return app


runs = _group("runs", "Frozen runs: plan, list, look into, verify, sign, pack, import and export them.")
models = _group(
    "models", "Local models; what models are asked and cost; models that answer from runs or judge answers."
)
results = _group(
    "results", "What is said of runs: reports, measures, and a registry of results that anybody can check."
)

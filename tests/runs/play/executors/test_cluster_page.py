"""What docs/cluster.md says for Slurm and Kubernetes: the script is executed, the file is read."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import yaml

from memgauge.runs.play.executors.settings import read_settings
from support import ROOT
from support.slurm import HEAD, block, executable, script, submit

if TYPE_CHECKING:
    from pathlib import Path

RAY = """#!/bin/bash
# Stands in for Ray: heads and nodes stay until they are told to end, and a head is there at the third look.
trap 'echo "ended $*" >> "$STANDIN_LOG"; exit' TERM
echo "ray $* token=${#RAY_AUTH_TOKEN} mode=$RAY_AUTH_MODE" >> "$STANDIN_LOG"
case $1 in
  status)
    [[ $(grep -c '^ray status' "$STANDIN_LOG") -ge 3 ]]
    exit
    ;;
esac
while true; do command -p sleep 0.1; done
"""


UNTIL_ALL_ARE_THERE = """
for _ in {1..600}; do
  [[ $(grep -c '^ray start' "$STANDIN_LOG") -ge 3 ]] && break
  command -p sleep 0.1
done
"""


def programs(folder: Path, memgauge: str) -> Path:
    """Make the programs that an environment brings, and the file that activates it."""
    folder.mkdir()
    executable(folder / "ray", RAY)
    executable(folder / "memgauge", f'#!/bin/bash\necho "memgauge $*" >> "$STANDIN_LOG"\n{memgauge}\n')
    executable(folder / "sleep", "#!/bin/bash\n")
    executable(folder / "python", f'#!/bin/bash\nexec {shlex.quote(sys.executable)} "$@"\n')
    (folder / "activate").write_text("# nothing to do\n", "utf-8")
    return folder


def test_the_batch_script_starts_a_head_its_nodes_and_the_command(tmp_path: Path) -> None:
    """The head comes first, the others are told its address and token, and all of them end with the command."""
    made = programs(tmp_path / "bin", UNTIL_ALL_ARE_THERE)
    done = submit(script(made / "activate", tmp_path, "memgauge run", 6379), made, nodes=3)
    assert done.returncode == 0, done.stderr
    log = (made / "log").read_text("utf-8").splitlines()
    sruns = [line for line in log if line.startswith("srun")]
    assert sruns[0] == f"srun --nodes=1 --ntasks=1 -w {HEAD} ray start --head --port 6379 --num-cpus 2 --block"
    assert sruns[1].startswith(f"srun --nodes=2 --ntasks=2 --exclude {HEAD} ray start --address {HEAD}:6379")
    started = [line for line in log if line.startswith("ray start")]
    assert len(started) == 3
    assert all(line.endswith("token=64 mode=token") for line in log if line.startswith("ray "))
    assert f"memgauge run --executor ray --address {HEAD}:6379" in log
    assert log.index(sruns[0]) < log.index(sruns[1])
    assert sum(line.startswith("ended start") for line in log) == 3


def test_the_batch_script_fails_where_the_command_fails(tmp_path: Path) -> None:
    """Its exit code is the job's, and nothing stays behind."""
    made = programs(tmp_path / "bin", "exit 2")
    done = submit(script(made / "activate", tmp_path, "memgauge run", 6379), made, nodes=2)
    assert done.returncode == 2
    left = subprocess.run(["pgrep", "-f", str(made / "ray")], capture_output=True, text=True, check=False)
    assert left.stdout == ""


def test_the_job_of_kuberay_has_its_shape() -> None:
    """What RayJob asks for is there, every mount has its volume, and the command is one of ours."""
    job: Any = yaml.safe_load(block("yaml", "apiVersion"))
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", job["metadata"]["name"])
    spec = job["spec"]
    assert set(spec) == {"entrypoint", "shutdownAfterJobFinishes", "rayClusterSpec"}
    cluster = spec["rayClusterSpec"]
    assert set(cluster) == {"headGroupSpec", "workerGroupSpecs"}
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    for group in groups:
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        pod = group["template"]["spec"]
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        for container in pod["containers"]:
            assert {"name", "image"} <= set(container)
            assert {mount["name"] for mount in container.get("volumeMounts", [])} <= volumes
    for group in cluster["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    program, command, *words = shlex.split(spec["entrypoint"])
    assert (program, command) == ("memgauge", "run")
    mounts = [mount["mountPath"] for mount in groups[0]["template"]["spec"]["containers"][0]["volumeMounts"]]
    assert words[words.index("--out") + 1] in mounts


def test_the_cluster_file_of_the_page_is_one(tmp_path: Path) -> None:
    """Every key that the page shows is known."""
    (tmp_path / "memories").mkdir()
    path = tmp_path / "cluster.toml"
    path.write_text(block("toml", "address"), "utf-8")
    settings = read_settings(path)
    assert settings.address == "10.0.0.7:6379"
    assert set(settings.systems) == {"mem0*", "dense*"}
    assert ROOT.is_dir()

"""Scores that are computed on a cluster are equal to scores of a single process, even if workers fail."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from command_line import wait_until

from meteor_e import ConfigError, MeteorError
from meteor_e.api.batches import Batch

pytest.importorskip("distributed", reason="the extra dask is not installed")

from meteor_e_tables import cluster as module
from meteor_e_tables.cluster import Work, score_in_order

pytestmark = pytest.mark.filterwarnings("default")

WORDS = "in the end big ship left at last vessel leaves many people run a lot of hurry unknown".split()  # noqa: SIM905
PAIRS = [
    (
        " ".join(WORDS[(7 * n + 3 * i) % 18] for i in range(n % 9 + 1)),
        " ".join(WORDS[(5 * n + i) % 18] for i in range(8)),
    )
    for n in range(4200)
]


@pytest.fixture
def files(cli, own_packs):
    """Write plain text files, and a JSON Lines file with the same text and a second system."""
    cli.file("hyp", "".join(f"{text}\n" for text, _ in PAIRS))
    cli.file("other", "".join(f"{text}\n" for text, _ in PAIRS[::-1]))
    cli.file("ref", "".join(f"{text}\n" for _, text in PAIRS))
    rows = [{"id": n, "mt": text, "ref": ref, "b": PAIRS[-n][0]} for n, (text, ref) in enumerate(PAIRS)]
    cli.file("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


COLUMNS = "--hypothesis-column mt --hypothesis-column b --reference-column ref"


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "command",
    [
        "hyp ref -q",
        "hyp other ref -M meteor -M chrf -f tsv --segments",
        "hyp other ref -M chrf -M bleu -M meteor -f json --significance --samples 100",
        "hyp ref -M any -M chrf++ --digits 16",
        "hyp ref -f json --segments --alignments",
        f"rows.jsonl {COLUMNS} -M meteor:task=adq -M strict=exact --digits 16",
        f"rows.jsonl {COLUMNS} -o out.jsonl --digits 16",
    ],
)
def test_cluster_scores_equal_local_scores(cli, cluster, command):
    outputs = []
    for options in ([], ["--dask", cluster.scheduler_address]):
        outputs.append([cli("score", *command.split(), *options).out])
        with contextlib.suppress(FileNotFoundError):
            outputs[-1].append((cli.folder / "out.jsonl").read_bytes())
            (cli.folder / "out.jsonl").unlink()
    assert outputs[0] == outputs[1]
    assert outputs[0][0]
    assert (len(outputs[0]) == 2) == ("-o" in command)


def test_cluster_scores_with_a_learned_metric(cli, packs):
    pytest.importorskip("meteor_e_learned")
    cli.environment["METEOR_E_PACKS"] = str(packs)
    cli.file("hyp", "".join(f"{text}\n" for text, _ in PAIRS[:60]))
    cli.file("ref", "".join(f"{text}\n" for _, text in PAIRS[:60]))
    command = ["score", "hyp", "ref", "-M", "en-light", "-M", "chrf", "--digits", "16"]
    alone = cli(*command).out
    assert alone == cli(*command, "--dask", "local:1").out
    assert alone


def test_cluster_errors_equal_errors_of_one_process(cli, cluster, own_packs):
    cli.file("rows.jsonl", '{"mt": "a", "ref": "a"}\n{"mt": 1, "ref": ""}\n')
    options = "rows.jsonl --hypothesis-column mt --reference-column ref".split()  # noqa: SIM905
    errors = [cli.failing(1, "score", *options, *more) for more in ([], ["--dask", cluster.scheduler_address])]
    assert errors[0] == errors[1] == "meteor-e: rows.jsonl, line 2, column 'mt': expected a text, not int"


class Score:
    """Scores a batch, as the loop of results does."""

    metrics = ()

    def __init__(self, work):
        self.work = work

    def __call__(self, batch):
        return self.work(batch)


def batches(count=30):
    return (Batch(["a"], [["a"]], position=number) for number in range(count))


def slow(batch):
    time.sleep(0.02)
    return batch.ids[0]


def test_tasks_of_a_lost_worker_run_again(client):
    (worker, *_) = client.run(os.getpid).values()
    found = []
    for number, (batch, result) in enumerate(score_in_order(client, Score(slow), batches(300))):
        if number == 20:
            os.kill(worker, signal.SIGKILL)
        found.append((batch.ids[0], result))
    assert found == [(number, number) for number in range(1, 301)]


def end_worker(batch):
    os._exit(1)


def test_segments_that_end_every_worker_are_an_error(own_packs):
    from distributed import Client, LocalCluster

    # The test needs its own cluster, because it stops the worker.
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster) as client:
        cluster.scheduler.allowed_failures = 0
        with pytest.raises(MeteorError, match=r"segments 1 to 1: the workers .* little memory"):
            list(score_in_order(client, Score(end_worker), batches(1)))


def fail(batch):
    raise ZeroDivisionError("by zero")


def test_cluster_errors_name_the_worker(client, monkeypatch):
    with pytest.raises(MeteorError, match="a worker failed: ZeroDivisionError: by zero"):
        list(score_in_order(client, Score(fail), batches(1)))
    with pytest.raises(ConfigError, match="cannot be sent to other processes"):
        Work.from_function(Score(lambda batch: 1))
    monkeypatch.setattr(module, "__version__", "9.9")
    with pytest.raises(ConfigError, match=r"worker tcp://\S+: the worker has meteor_e 0.*, this program has 9.9"):
        list(score_in_order(client, Score(slow), batches(1)))
    monkeypatch.undo()
    other_work = Work.from_function(Score(slow))._replace(signatures=("other",))
    monkeypatch.setattr(Work, "from_function", lambda score: other_work)
    with pytest.raises(ConfigError, match="install the same packs"):
        list(score_in_order(client, Score(slow), batches(1)))


@pytest.fixture
def scheduler(tmp_path):
    """Start a scheduler and a worker in separate processes, and return the process and the address of the scheduler."""
    file = tmp_path / "scheduler.json"
    start = functools.partial(subprocess.Popen, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = start([*command, "--scheduler-file", str(file)])
    wait_until(lambda: file.exists() and file.read_text().endswith("}"), scheduler)
    address = json.loads(file.read_text())["address"]
    worker = start([sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"])
    yield scheduler, address
    for process in (scheduler, worker):
        process.kill()
        process.wait()


@pytest.fixture
def start(own_packs, tmp_path):
    (tmp_path / "hyp").write_text("".join(f"{text} {n}\n" for n in range(280) for text, _ in PAIRS))
    yield lambda *options: subprocess.Popen(
        [sys.executable, "-m", "meteor_e", "score", "hyp", "hyp", "-o", "out.jsonl", *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert [path.name for path in tmp_path.glob("*out*")] == []


def wait_for_output(process, tmp_path):
    wait_until(lambda: any(path.stat().st_size for path in tmp_path.glob(".out*")), process)


def test_killed_scheduler_is_an_error(start, scheduler, tmp_path):
    process = start("--dask", scheduler[1])
    wait_for_output(process, tmp_path)
    scheduler[0].kill()
    out, err = process.communicate()
    lines = [line for line in err.decode().splitlines() if "waiting for" not in line]
    assert (process.returncode, out, len(lines)) == (1, b"", 1), err
    assert lines[0].startswith("meteor-e: ")


def test_worker_killed_at_its_start_is_an_error(start):
    import psutil

    process = start("--dask", "local:2")

    def workers():
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(process.pid).children(recursive=True)
            return [each for each in children if "spawn_main" in " ".join(each.cmdline())]

    wait_until(workers, process)
    workers()[0].kill()
    out, err = process.communicate()
    assert (process.returncode, out, len(err.splitlines())) == (1, b"", 1), err
    assert b"did not start" in err


def test_cluster_interrupt_ends_quietly(start, tmp_path):
    process = start("--dask", "local:1")
    wait_for_output(process, tmp_path)
    # A terminal sends the signal to all processes.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err.decode().strip()) == (130, b"", "meteor-e: interrupted")
    with contextlib.suppress(ProcessLookupError):
        while os.getpgid(process.pid):  # Its processes end by themselves.
            time.sleep(0.1)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("local:0", "not a cluster"),
        ("local:x", "not a cluster"),
        ("none.json", "no scheduler file"),
        ("x", "no scheduler"),
    ],
)
def test_cluster_address_errors(cli, own_packs, address, message):
    cli.file("hyp", "a\n")
    assert message in cli.failing(2, "score", "hyp", "hyp", "--dask", address)

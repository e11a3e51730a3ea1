"""Tests of scoring on a cluster: scores equal those of a single process, even if workers fail."""

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

from meteor_e_tables import cluster as cluster_module
from meteor_e_tables.cluster import Work, score_in_order

pytestmark = pytest.mark.filterwarnings("default")

WORDS = "in the end big ship left at last vessel leaves many people run a lot of hurry unknown".split()  # noqa: SIM905
TEXT_PAIRS = [
    (
        " ".join(WORDS[(7 * number + 3 * i) % 18] for i in range(number % 9 + 1)),
        " ".join(WORDS[(5 * number + i) % 18] for i in range(8)),
    )
    for number in range(4200)
]


@pytest.fixture
def files(cli, own_packs):
    """Write plain text files, and a JSON Lines file with the same text and a second system."""
    cli.file("hyp", "".join(f"{text}\n" for text, _ in TEXT_PAIRS))
    cli.file("other", "".join(f"{text}\n" for text, _ in TEXT_PAIRS[::-1]))
    cli.file("ref", "".join(f"{text}\n" for _, text in TEXT_PAIRS))
    rows = [
        {"id": number, "mt": text, "ref": ref, "b": TEXT_PAIRS[-number][0]}
        for number, (text, ref) in enumerate(TEXT_PAIRS)
    ]
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
    cli.file("hyp", "".join(f"{text}\n" for text, _ in TEXT_PAIRS[:60]))
    cli.file("ref", "".join(f"{text}\n" for _, text in TEXT_PAIRS[:60]))
    command = ["score", "hyp", "ref", "-M", "en-light", "-M", "chrf", "--digits", "16"]
    local_output = cli(*command).out
    assert local_output == cli(*command, "--dask", "local:1").out
    assert local_output


def test_cluster_errors_equal_errors_of_one_process(cli, cluster, own_packs):
    cli.file("rows.jsonl", '{"mt": "a", "ref": "a"}\n{"mt": 1, "ref": ""}\n')
    options = "rows.jsonl --hypothesis-column mt --reference-column ref".split()  # noqa: SIM905
    errors = [
        cli.failing(1, "score", *options, *extra_options)
        for extra_options in ([], ["--dask", cluster.scheduler_address])
    ]
    assert errors[0] == errors[1] == "meteor-e: rows.jsonl, line 2, column 'mt': expected a text, not int"


class BatchScorer:
    """Calls a function for each batch, in place of the class that computes the scores of metrics."""

    metrics = ()

    def __init__(self, work):
        self.work = work

    def __call__(self, batch):
        return self.work(batch)


def make_batches(batch_count=30):
    """Return batches of one segment each."""
    return (Batch(["a"], [["a"]], position=index) for index in range(batch_count))


def score_slowly(batch):
    """Return the id of a batch after a short delay."""
    time.sleep(0.02)
    return batch.ids[0]


def test_cluster_repeats_the_tasks_of_a_lost_worker(client):
    (worker, *_) = client.run(os.getpid).values()
    results = []
    for index, (batch, result) in enumerate(score_in_order(client, BatchScorer(score_slowly), make_batches(300))):
        if index == 20:
            os.kill(worker, signal.SIGKILL)
        results.append((batch.ids[0], result))
    assert results == [(index, index) for index in range(1, 301)]


def exit_process(batch):
    """End the process that scores the batch, as a crash would."""
    os._exit(1)


def test_cluster_reports_segments_that_end_every_worker(own_packs):
    from distributed import Client, LocalCluster

    # The test needs its own cluster, because it stops the worker.
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster) as client:
        cluster.scheduler.allowed_failures = 0
        with pytest.raises(MeteorError, match=r"segments 1 to 1: the workers .* little memory"):
            list(score_in_order(client, BatchScorer(exit_process), make_batches(1)))


def raise_error(batch):
    """Raise an error that the program does not expect."""
    raise ZeroDivisionError("by zero")


def test_cluster_errors_name_the_worker(client, monkeypatch):
    with pytest.raises(MeteorError, match="a worker failed: ZeroDivisionError: by zero"):
        list(score_in_order(client, BatchScorer(raise_error), make_batches(1)))
    with pytest.raises(ConfigError, match="cannot be sent to other processes"):
        Work.from_function(BatchScorer(lambda batch: 1))
    monkeypatch.setattr(cluster_module, "__version__", "9.9")
    with pytest.raises(ConfigError, match=r"worker tcp://\S+: the worker has meteor_e 0.*, this program has 9.9"):
        list(score_in_order(client, BatchScorer(score_slowly), make_batches(1)))
    monkeypatch.undo()
    work_of_another_chain = Work.from_function(BatchScorer(score_slowly))._replace(signatures=("other",))
    monkeypatch.setattr(Work, "from_function", lambda score: work_of_another_chain)
    with pytest.raises(ConfigError, match="install the same packs"):
        list(score_in_order(client, BatchScorer(score_slowly), make_batches(1)))


@pytest.fixture
def scheduler(tmp_path):
    """Start a scheduler and a worker in separate processes, and return the process and the address of the scheduler."""
    file = tmp_path / "scheduler.json"
    start_process = functools.partial(subprocess.Popen, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = start_process([*command, "--scheduler-file", str(file)])
    wait_until(lambda: file.exists() and file.read_text().endswith("}"), scheduler)
    address = json.loads(file.read_text())["address"]
    worker = start_process(
        [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    )
    yield scheduler, address
    for process in (scheduler, worker):
        process.kill()
        process.wait()


@pytest.fixture
def start_process(own_packs, tmp_path):
    """Return a function that starts ``meteor-e score``; check at the end that no output files remain."""
    (tmp_path / "hyp").write_text("".join(f"{text} {number}\n" for number in range(280) for text, _ in TEXT_PAIRS))
    yield lambda *options: subprocess.Popen(
        [sys.executable, "-m", "meteor_e", "score", "hyp", "hyp", "-o", "out.jsonl", *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert [path.name for path in tmp_path.glob("*out*")] == []


def wait_for_output(process, tmp_path):
    """Wait until the process has written the first rows of its temporary output file."""
    wait_until(lambda: any(path.stat().st_size for path in tmp_path.glob(".out*")), process)


def test_score_command_reports_killed_scheduler(start_process, scheduler, tmp_path):
    process = start_process("--dask", scheduler[1])
    wait_for_output(process, tmp_path)
    scheduler[0].kill()
    out, err = process.communicate()
    lines = [line for line in err.decode().splitlines() if "waiting for" not in line]
    assert (process.returncode, out, len(lines)) == (1, b"", 1), err
    assert lines[0].startswith("meteor-e: ")


def test_score_command_reports_worker_killed_at_its_start(start_process):
    import psutil

    process = start_process("--dask", "local:2")

    def find_workers():
        """Return the worker processes."""
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(process.pid).children(recursive=True)
            return [child for child in children if "spawn_main" in " ".join(child.cmdline())]

    wait_until(find_workers, process)
    find_workers()[0].kill()
    out, err = process.communicate()
    assert (process.returncode, out, len(err.splitlines())) == (1, b"", 1), err
    assert b"did not start" in err


def test_score_command_ends_its_cluster_when_interrupted(start_process, tmp_path):
    process = start_process("--dask", "local:1")
    wait_for_output(process, tmp_path)
    # A terminal sends the signal to all processes.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err.decode().strip()) == (130, b"", "meteor-e: interrupted")
    with contextlib.suppress(ProcessLookupError):
        while os.getpgid(process.pid):  # The worker processes must end without another signal.
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
def test_score_command_rejects_invalid_cluster_addresses(cli, own_packs, address, message):
    cli.file("hyp", "a\n")
    assert message in cli.failing(2, "score", "hyp", "hyp", "--dask", address)

"""On a real cluster of two processes."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from command_line import wait_until
from meteor_e_tables.batches import Batch, Texts

from meteor_e import ConfigError, InputError, MatcherContext, Meteor, MeteorError, ResourceError

pytest.importorskip("dask.dataframe", reason="the extra dask is not installed")

from meteor_e_tables.distributed import connect, corpus_score, prepare, read_text, score_dataframe, score_in_order
from meteor_e_tables.distributed.archives import install_archive, pack_archive
from meteor_e_tables.portable import PortableMetric, shipped_folder

pytestmark = pytest.mark.filterwarnings("default")

TEXT = "in the end big ship left at last vessel leaves many people run a lot of hurry unknown"
WORDS = TEXT.split()
PAIRS = [
    (
        " ".join(WORDS[(7 * n + 3 * i) % 18] for i in range(n % 9 + 1)),
        " ".join(WORDS[(5 * n + i) % 18] for i in range(8)),
    )
    for n in range(3000)
]
HYPOTHESES, REFERENCES = map(list, zip(*PAIRS, strict=True))


@pytest.fixture
def meteor(own_packs):
    return Meteor("en")


@pytest.fixture
def expected(meteor):
    return meteor.corpus(HYPOTHESES, REFERENCES, segments=True)


@pytest.fixture
def frame():
    import dask.dataframe as dd
    import pandas as pd

    return dd.from_pandas(pd.DataFrame({"hypothesis": HYPOTHESES, "reference": REFERENCES}), npartitions=30)


def batches(size=50, repeat=1):
    rows = list(range(len(PAIRS))) * repeat
    for start in range(0, len(rows), size):
        some = rows[start : start + size]
        texts = Texts([[HYPOTHESES[row] for row in some]], [(REFERENCES[row],) for row in some])
        yield Batch("memory", start + 1, texts)


class TestDataFrames:
    def test_columns_and_corpus_score(self, client, meteor, expected, frame):
        metric = prepare(client, meteor)
        scored = score_dataframe(frame, metric)
        own = corpus_score(scored, metric)
        assert own == replace(expected, segments=())
        computed = scored.compute()
        assert computed.columns[:3].tolist() == ["hypothesis", "reference", "meteor_score"]
        assert computed["meteor_score"].tolist() == [segment.score for segment in expected.segments]
        assert computed["meteor_chunks"].tolist() == [segment.statistics.chunks for segment in expected.segments]
        assert (scored.dtypes == computed.dtypes).all()

    def test_several_references(self, client, meteor, frame):
        pairs = meteor.corpus(HYPOTHESES, list(zip(REFERENCES, HYPOTHESES[::-1], strict=True)))
        import dask.dataframe as dd

        own = dd.from_pandas(frame.compute().assign(other=HYPOTHESES[::-1]), npartitions=4)
        metric = prepare(client, meteor)
        scored = score_dataframe(own, metric, reference=["reference", "other"], prefix="m_")
        assert corpus_score(scored, metric, prefix="m_") == pairs

    def test_parquet_written_by_the_workers(self, client, meteor, expected, frame, tmp_path):
        import dask.dataframe as dd

        metric = prepare(client, meteor)
        score_dataframe(frame, metric).to_parquet(tmp_path / "scored")
        assert corpus_score(dd.read_parquet(tmp_path / "scored"), metric).score == expected.score

    def test_text(self, client, meteor, expected, tmp_path):
        (tmp_path / "hyp").write_bytes("\ufeff".encode() + "\r\n".join(HYPOTHESES).encode())
        (tmp_path / "ref").write_bytes("\n".join(REFERENCES).encode() + b"\n")
        metric = prepare(client, meteor)
        frame = read_text(tmp_path / "hyp", tmp_path / "ref", rows=700)
        assert frame.npartitions == 5
        scored = score_dataframe(frame, metric)
        assert corpus_score(scored, metric) == replace(expected, segments=())
        assert scored.compute()["hypothesis"].tolist() == HYPOTHESES
        (tmp_path / "short").write_bytes("\n".join(REFERENCES[1:]).encode())
        with pytest.raises(InputError, match=r"has 3000 segments, but .*short has 2999"):
            read_text(tmp_path / "hyp", tmp_path / "short")
        (tmp_path / "ref").write_bytes(b"\n".join([*(text.encode() for text in REFERENCES[1:]), b"\xff"]))
        with pytest.raises(InputError, match="ref, line 3000: not valid UTF-8"):
            read_text(tmp_path / "hyp", tmp_path / "ref").compute()

    def test_what_is_wrong(self, client, meteor, frame):
        metric = prepare(client, meteor)
        with pytest.raises(InputError, match="no column 'hyp'"):
            score_dataframe(frame, metric, hypothesis="hyp")
        with pytest.raises(InputError, match="score it with score_dataframe"):
            corpus_score(frame, metric)
        bad = frame.compute()
        bad.loc[1234, "reference"] = None
        import dask.dataframe as dd

        scored = score_dataframe(dd.from_pandas(bad, npartitions=30), metric)
        with pytest.raises(InputError, match=r"partition 12, row 35, column 'reference': .*missing"):
            corpus_score(scored, metric)


class TestLostWorkers:
    def test_nothing_lost_nothing_twice_in_a_data_frame(self, client, meteor, expected, frame):
        import dask.dataframe as dd

        metric = prepare(client, meteor)
        parts = dd.concat([frame] * 4)
        scored = score_dataframe(parts.map_partitions(slowly, meta=parts._meta), metric)
        (first, *_) = client.run(os.getpid).values()
        timer = threading.Timer(1, os.kill, (first, signal.SIGKILL))
        timer.start()
        own = corpus_score(scored, metric)
        timer.join()
        again = meteor.corpus(HYPOTHESES * 4, REFERENCES * 4)
        assert own == again
        client.wait_for_workers(2)
        assert first not in client.run(os.getpid).values()

    def test_nothing_lost_nothing_twice_in_batches(self, client, meteor, expected):
        metric = prepare(client, meteor)
        (first, *_) = client.run(os.getpid).values()
        scores, total, firsts = [], 0, []
        for number, (work, (columns,)) in enumerate(score_in_order(client, metric, batches(repeat=4))):
            if number == 20:
                os.kill(first, signal.SIGKILL)
            firsts.append(work.first)
            scores += columns.scores[:, 0].tolist()
            total += work.size
        assert total == 12000
        assert firsts == list(range(1, 12000, 50))
        assert scores == [segment.score for segment in expected.segments] * 4

    def test_rows_that_take_every_worker_down(self, meteor):
        from distributed import Client, LocalCluster

        class Deadly:
            first, size, files = 71, 10, ("deadly.parquet",)

            def read(self, whole=False):
                os._exit(1)

        # A cluster of its own, which need not come back to life.
        with (
            LocalCluster(
                n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
            ) as cluster,
            Client(cluster) as client,
        ):
            cluster.scheduler.allowed_failures = 0
            with pytest.raises(MeteorError, match=r"deadly.parquet, 10 rows from 71 on: the workers .* little memory"):
                list(score_in_order(client, PortableMetric.of(meteor), [Deadly()]))


def processes_of(group):
    """Return the processes of a group that run."""
    import psutil

    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def slowly(part):
    time.sleep(0.02)
    return part


class TestWorkers:
    def test_a_pack_is_shipped_once(self, client, cluster, meteor, worker_folder, monkeypatch):
        # On one machine a worker would find the pack in the folder that it comes from.
        of = PortableMetric.of

        def from_elsewhere(meteor):
            metric = of(meteor)
            packs = tuple((key, pack._replace(origin="/somewhere/else")) for key, pack in metric.packs)
            return replace(metric, packs=packs)

        monkeypatch.setattr(PortableMetric, "of", from_elsewhere)
        with pytest.raises(ResourceError, match=r"worker tcp://.* lacks the resource pack 'en'"):
            prepare(client, meteor, ship_packs=False)
        metric = prepare(client, meteor)
        (folder,) = (path for path in (worker_folder / "cache" / "shipped-packs").iterdir() if path.is_dir())
        assert folder.name == f"en-{meteor.resources.pack.digest}"
        stamp = folder.stat().st_mtime_ns
        assert prepare(client, meteor, ship_packs=False) == metric
        assert folder.stat().st_mtime_ns == stamp
        ((_, (columns,)),) = score_in_order(client, metric, batches(size=3000), totals_only=True)
        assert columns.total == meteor.statistics(HYPOTHESES, REFERENCES).total.to_vector()

    def test_the_metric_is_made_once_a_process(self, client, meteor):
        metric = prepare(client, meteor)
        before = client.run(metric_identity, metric)
        list(score_in_order(client, metric, batches()))
        assert client.run(metric_identity, metric) == before

    def test_another_version_is_refused(self, client, meteor, monkeypatch):
        monkeypatch.setattr("meteor_e_tables.distributed.cluster.__version__", "9.9")
        with pytest.raises(ConfigError, match=r"worker tcp://\S+ has meteor_e 0.*, and this process has 9.9; install"):
            prepare(client, meteor)

    def test_a_worker_that_joins_later_is_checked(self, meteor):
        metric = PortableMetric.of(meteor)
        with pytest.raises(ConfigError, match=r"the metric comes from 9.9"):
            replace(metric, version="9.9").meteor()
        with pytest.raises(ConfigError, match=r"would score with .* and not with other"):
            replace(metric, signature="other").meteor()
        missing = tuple((key, pack._replace(digest="0" * 12)) for key, pack in metric.packs)
        with pytest.raises(ResourceError, match="is not on this machine"):
            replace(metric, packs=missing).meteor()

    def test_a_worker_without_meteor_e(self):
        from meteor_e_tables.distributed.cluster import _check_versions, _version_probe

        cloudpickle = pytest.importorskip("cloudpickle")
        code = "import pickle, sys; sys.modules['meteor_e'] = None; print(repr(pickle.load(sys.stdin.buffer)()))"
        probe = cloudpickle.dumps(_version_probe())
        done = subprocess.run([sys.executable, "-c", code], input=probe, capture_output=True, check=True)
        assert done.stdout == b"''\n" or done.stdout == b"''\r\n"
        with pytest.raises(ConfigError, match="worker w has no meteor_e"):
            _check_versions({"w": ""})

    def test_every_chain_travels(self, meteor, own_packs):
        for chain in ("adq", "exact"):
            own = Meteor.from_config(chain, language="en")
            assert PortableMetric.of(own).meteor().signature == own.signature

    def test_a_matcher_that_was_replaced_does_not_travel(self, meteor):
        class Other(type(meteor.matchers[0])):
            pass

        context = MatcherContext(meteor.chain.language, meteor.resources, True)
        meteor.matchers = [Other.make(context), *meteor.matchers[1:]]
        with pytest.raises(ConfigError, match="'exact' was replaced"):
            PortableMetric.of(meteor)


class TestArchives:
    def test_installed_whole(self, meteor, tmp_path, monkeypatch):
        monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path))
        (_, needed) = PortableMetric.of(meteor).packs[0]
        folder = install_archive(needed, pack_archive(meteor.resources.pack))
        assert folder == shipped_folder(needed)
        assert not meteor.resources.pack.verify()

    def test_nothing_outside_the_folder(self, meteor, tmp_path, monkeypatch):
        import io
        import zipfile

        monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path / "cache"))
        (_, needed) = PortableMetric.of(meteor).packs[0]
        good = pack_archive(meteor.resources.pack)

        def altered(change):
            out = io.BytesIO()
            with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(out, "w") as new:
                for name in old.namelist():
                    new.writestr(*change(name, old.read(name)))
                new.writestr("../evil", "x")
                new.writestr("/tmp/evil", "x")
            return out.getvalue()

        def manifest(change):
            return lambda name, data: (name, change(data) if name == "manifest.json" else data)

        cases = [
            manifest(lambda data: data.replace(b'"function.words"', b'"../function.words"')),
            manifest(lambda data: data.replace(b'"size": ', b'"size": 1')),
            manifest(lambda data: data.replace(b'"name": "en"', b'"name": "de"')),
            lambda name, data: (name, data + b"x"),
            lambda name, data: (name, data if name == "manifest.json" else data[:-1]),
            lambda name, data: (name, data if name == "manifest.json" else data[:-1] + b"?"),
            lambda name, data: ("other-" + name, data),
        ]
        for change in cases:
            with pytest.raises(ResourceError):
                install_archive(needed, altered(change))
        for archive in (b"", good[: len(good) // 2], b"PK\x03\x04" + bytes(100)):
            with pytest.raises(ResourceError, match="damaged"):
                install_archive(needed, archive)
        folders = [path for path in tmp_path.rglob("*") if not path.name.startswith(".") and path.is_file()]
        assert folders == []
        # What the manifest does not name is not looked at.
        assert install_archive(needed, altered(lambda name, data: (name, data))).is_dir()
        assert not list(tmp_path.rglob("evil"))


class TestCommand:
    def run(self, *arguments, **options):
        return subprocess.run([sys.executable, "-m", "meteor_e", "score", *arguments], capture_output=True, **options)

    def test_a_scheduler(self, cluster, meteor, expected, tmp_path):
        (tmp_path / "hyp").write_text("\n".join(HYPOTHESES))
        (tmp_path / "ref").write_text("\n".join(REFERENCES))
        rows = [{"hypothesis": hypothesis, "reference": reference} for hypothesis, reference in PAIRS]
        (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        cases = [
            ("hyp", "ref"),
            ("rows.jsonl", "-o", "out.parquet"),
            ("out.parquet", "--prefix", "x_", "-o", "o.jsonl"),
        ]
        for case in cases:
            done = self.run(*case, "-q", "--dask", cluster.scheduler_address, cwd=tmp_path)
            assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"{expected.score!r}\n", b"")
        alone = self.run("out.parquet", "--prefix", "x_", "-o", "alone.jsonl", cwd=tmp_path)
        assert alone.returncode == 0
        assert (tmp_path / "o.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()
        (tmp_path / "rows.jsonl").write_text(json.dumps(rows[0]) + '\n{"hypothesis": 1, "reference": ""}\n')
        done = self.run("rows.jsonl", "--dask", cluster.scheduler_address, cwd=tmp_path)
        assert done.returncode == 1
        assert done.stderr.decode() == "meteor-e: rows.jsonl, line 2, column 'hypothesis': no text but int\n"

    def test_interrupted(self, own_packs, tmp_path):
        text = "".join(f"{hypothesis} {number}\n" for number in range(400) for hypothesis, _ in PAIRS)
        (tmp_path / "hyp").write_text(text)
        process = subprocess.Popen(
            [sys.executable, "-m", "meteor_e", "score", "hyp", "hyp", "--dask", "local:1", "-o", "out.jsonl"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        wait_until(lambda: any(path.stat().st_size for path in tmp_path.glob(".out*")), process)
        # As a terminal does it: to all processes.
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
        assert (process.returncode, out, err.decode().strip()) == (130, b"", "meteor-e: interrupted")
        assert [path.name for path in tmp_path.glob("*out*")] == []
        while processes_of(process.pid):  # They end by themselves.
            time.sleep(0.1)

    def test_no_callback_of_the_garbage_collector_swallows_an_interrupt(self):
        before = list(gc.callbacks)
        with connect("local:1"):
            # An exception in a callback is printed and lost.
            assert [callback for callback in gc.callbacks if callback.__module__ == "distributed.gc"] == []
        assert gc.callbacks == before

    @pytest.mark.parametrize(
        ("address", "message"),
        [
            ("local:0", "no cluster"),
            ("local:x", "no cluster"),
            ("none.json", "no scheduler file"),
            ("x", "no scheduler"),
        ],
    )
    def test_wrong_addresses(self, own_packs, tmp_path, address, message):
        (tmp_path / "hyp").write_text("a\n")
        done = self.run("hyp", "hyp", "--dask", address, cwd=tmp_path)
        assert done.returncode == 2
        assert message in done.stderr.decode()
        assert len(done.stderr.splitlines()) == 1


def metric_identity(metric):
    return id(metric.meteor())


def test_objects_do_not_travel(own_packs):
    from meteor_e.packs.resources import LanguageResources

    own = Meteor("en", matchers=["exact"], resources=LanguageResources(own_function_words=frozenset(["x"])))
    with pytest.raises(ConfigError, match="put them into a pack"):
        PortableMetric.of(own)

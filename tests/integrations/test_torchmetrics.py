"""Tests for the integration with torchmetrics."""

from __future__ import annotations

import pytest

from meteor_e import InputError, Meteor

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")

HYPOTHESES = ["the train leaves today", "he closed the door", "a bakery has a new owner", ""]
REFERENCES = [
    ["today the train leaves"],
    ["he shut the door", "he closed a door"],
    ["the bakery has a new owner"],
    ["no"],
]


@pytest.fixture
def metric(tiny_pack):
    """Return a torchmetrics metric with a small English pack."""
    from meteor_e.integrations.torchmetrics import MeteorScore

    return MeteorScore("en", options={"pack": str(tiny_pack), "normalization": "lower"})


def compute_expected_score(tiny_pack):
    """Return the corpus score of all segments without torchmetrics."""
    return Meteor("en", pack=tiny_pack, normalization="lower").corpus(HYPOTHESES, REFERENCES).score


def test_metric_accumulates_batches_to_the_corpus_score(metric, tiny_pack):
    metric.update(HYPOTHESES[:1], REFERENCES[:1])
    metric.update(HYPOTHESES[1:], REFERENCES[1:])
    assert metric.compute().item() == compute_expected_score(tiny_pack)


def test_metric_supports_forward_and_reset(metric, tiny_pack):
    batch = metric(HYPOTHESES, REFERENCES)
    assert batch.item() == compute_expected_score(tiny_pack) == metric.compute().item()
    metric.reset()
    metric.update("he closed the door", "he closed the door")
    assert metric.compute().item() == 1


def test_metric_states_of_two_processes_are_added(metric, tiny_pack):
    metric.update(HYPOTHESES[:2], REFERENCES[:2])
    other_metric = metric.clone()
    other_metric.reset()
    other_metric.update(HYPOTHESES[2:], REFERENCES[2:])
    metric.statistics = metric._reductions["statistics"](torch.stack([metric.statistics, other_metric.statistics]))
    assert metric.compute().item() == compute_expected_score(tiny_pack)


def test_metric_returns_segment_scores_on_request(tiny_pack):
    from meteor_e.integrations.torchmetrics import MeteorScore, meteor_score

    options = {"pack": str(tiny_pack), "normalization": "lower"}
    metric = MeteorScore("en", options=options, return_sentence_level_score=True)
    metric.update(HYPOTHESES[:1], REFERENCES[:1])
    metric.update(HYPOTHESES[1:], REFERENCES[1:])
    corpus, sentences = metric.compute()
    assert corpus.item() == compute_expected_score(tiny_pack)
    meteor = Meteor("en", **options)
    assert sentences.tolist() == [segment.score for segment in meteor.segments(HYPOTHESES, REFERENCES)]
    assert meteor_score(HYPOTHESES, REFERENCES, options=options).item() == corpus.item()


@pytest.mark.filterwarnings("ignore:The ``compute`` method")
def test_compute_requires_at_least_one_segment(metric, tiny_pack):
    from meteor_e.integrations.torchmetrics import meteor_score

    with pytest.raises(InputError, match="no segments"):
        metric.compute()
    with pytest.raises(InputError, match="no segments"):
        meteor_score([], [], options={"pack": str(tiny_pack), "normalization": "lower"})
    metric.update([""], ["a"])
    assert metric.compute().item() == 0
    metric.update([], [])
    assert metric.segment_count == 1


def test_metric_supports_collections_and_pickling(metric, tiny_pack):
    import pickle

    from torchmetrics import MetricCollection

    metrics = MetricCollection({"one": metric, "two": pickle.loads(pickle.dumps(metric))})
    metrics.update(HYPOTHESES, REFERENCES)
    scores_by_name = pickle.loads(pickle.dumps(metrics)).compute()
    assert scores_by_name["one"].item() == scores_by_name["two"].item() == compute_expected_score(tiny_pack)


def test_collection_separates_metrics_by_options(tiny_pack):
    from torchmetrics import MetricCollection

    from meteor_e.integrations.torchmetrics import MeteorScore

    # The two metrics compute equal statistics for the first batch, and different statistics for the second batch.
    batches = [(["a b c"], ["a b c"]), (["The Door"], ["the door"])]
    options = {
        name: {"pack": str(tiny_pack), "normalization": name, "matchers": ["exact"]} for name in ("lower", "none")
    }
    single_metrics = {name: MeteorScore("en", options=metric_options) for name, metric_options in options.items()}
    metrics = MetricCollection(
        {name: MeteorScore("en", options=metric_options) for name, metric_options in options.items()}
    )
    for batch in batches:
        metrics.update(*batch)
        for metric in single_metrics.values():
            metric.update(*batch)
    scores_by_name = {name: score.item() for name, score in metrics.compute().items()}
    assert scores_by_name == {name: metric.compute().item() for name, metric in single_metrics.items()}
    assert scores_by_name["lower"] != scores_by_name["none"]


def run_process(rank, folder, options, queue):
    """Score all segments in the first process and no segments in the second, and send the results."""
    from torch import distributed

    from meteor_e.integrations.torchmetrics import MeteorScore

    distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    metric = MeteorScore("en", options=options, return_sentence_level_score=True)
    if rank == 0:
        metric.update(HYPOTHESES, REFERENCES)
    corpus, sentences = metric.compute()
    queue.put((rank, corpus.item(), sentences.dtype == torch.float64, sentences.tolist()))
    distributed.destroy_process_group()


@pytest.mark.slow
@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch has no distributed")
def test_metric_synchronizes_a_process_without_segments(tiny_pack, tmp_path):
    from torch import multiprocessing

    options = {"pack": str(tiny_pack), "normalization": "lower"}
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    multiprocessing.spawn(run_process, (str(tmp_path), options, queue), nprocs=2)
    results = sorted(queue.get() for _ in range(2))
    scores = [segment.score for segment in Meteor("en", **options).segments(HYPOTHESES, REFERENCES)]
    assert results == [(rank, compute_expected_score(tiny_pack), True, scores) for rank in (0, 1)]

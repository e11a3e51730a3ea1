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
    from meteor_e.integrations.torchmetrics import MeteorScore

    return MeteorScore("en", options={"pack": str(tiny_pack), "normalization": "lower"})


def expected(tiny_pack):
    return Meteor("en", pack=tiny_pack, normalization="lower").corpus(HYPOTHESES, REFERENCES).score


def test_batches_give_the_corpus_score(metric, tiny_pack):
    metric.update(HYPOTHESES[:1], REFERENCES[:1])
    metric.update(HYPOTHESES[1:], REFERENCES[1:])
    assert metric.compute().item() == expected(tiny_pack)


def test_metric_has_the_interface_of_torchmetrics(metric, tiny_pack):
    batch = metric(HYPOTHESES, REFERENCES)
    assert batch.item() == expected(tiny_pack) == metric.compute().item()
    metric.reset()
    metric.update("he closed the door", "he closed the door")
    assert metric.compute().item() == 1


def test_states_of_two_processes_add_up(metric, tiny_pack):
    metric.update(HYPOTHESES[:2], REFERENCES[:2])
    other = metric.clone()
    other.reset()
    other.update(HYPOTHESES[2:], REFERENCES[2:])
    metric.statistics = metric._reductions["statistics"](torch.stack([metric.statistics, other.statistics]))
    assert metric.compute().item() == expected(tiny_pack)


def test_scores_of_the_segments(tiny_pack):
    from meteor_e.integrations.torchmetrics import MeteorScore, meteor_score

    options = {"pack": str(tiny_pack), "normalization": "lower"}
    metric = MeteorScore("en", options=options, return_sentence_level_score=True)
    metric.update(HYPOTHESES[:1], REFERENCES[:1])
    metric.update(HYPOTHESES[1:], REFERENCES[1:])
    corpus, sentences = metric.compute()
    assert corpus.item() == expected(tiny_pack)
    meteor = Meteor("en", **options)
    assert sentences.tolist() == [segment.score for segment in meteor.segments(HYPOTHESES, REFERENCES)]
    assert meteor_score(HYPOTHESES, REFERENCES, options=options).item() == corpus.item()


@pytest.mark.filterwarnings("ignore:The ``compute`` method")
def test_metric_without_segments_has_no_score(metric, tiny_pack):
    from meteor_e.integrations.torchmetrics import meteor_score

    with pytest.raises(InputError, match="no segments"):
        metric.compute()
    with pytest.raises(InputError, match="no segments"):
        meteor_score([], [], options={"pack": str(tiny_pack), "normalization": "lower"})
    metric.update([""], ["a"])
    assert metric.compute().item() == 0
    metric.update([], [])
    assert metric.segments == 1


def test_metric_works_in_a_collection_and_after_pickling(metric, tiny_pack):
    import pickle

    from torchmetrics import MetricCollection

    metrics = MetricCollection({"one": metric, "two": pickle.loads(pickle.dumps(metric))})
    metrics.update(HYPOTHESES, REFERENCES)
    found = pickle.loads(pickle.dumps(metrics)).compute()
    assert found["one"].item() == found["two"].item() == expected(tiny_pack)


def test_metrics_of_other_options_in_a_collection(tiny_pack):
    from torchmetrics import MetricCollection

    from meteor_e.integrations.torchmetrics import MeteorScore

    # The first batch gives both the same statistics, the second does not.
    batches = [(["a b c"], ["a b c"]), (["The Door"], ["the door"])]
    options = {
        name: {"pack": str(tiny_pack), "normalization": name, "matchers": ["exact"]} for name in ("lower", "none")
    }
    made = {name: MeteorScore("en", options=each) for name, each in options.items()}
    metrics = MetricCollection({name: MeteorScore("en", options=each) for name, each in options.items()})
    for batch in batches:
        metrics.update(*batch)
        for metric in made.values():
            metric.update(*batch)
    found = {name: score.item() for name, score in metrics.compute().items()}
    assert found == {name: metric.compute().item() for name, metric in made.items()}
    assert found["lower"] != found["none"]


def _process(rank, folder, options, sent):
    """Score all segments in the first process, none in the second."""
    import torch.distributed as dist

    from meteor_e.integrations.torchmetrics import MeteorScore

    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    metric = MeteorScore("en", options=options, return_sentence_level_score=True)
    if rank == 0:
        metric.update(HYPOTHESES, REFERENCES)
    corpus, sentences = metric.compute()
    sent.put((rank, corpus.item(), sentences.dtype == torch.float64, sentences.tolist()))
    dist.destroy_process_group()


@pytest.mark.slow
@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch has no distributed")
def test_process_without_segments_is_synchronized(tiny_pack, tmp_path):
    import torch.multiprocessing as mp

    options = {"pack": str(tiny_pack), "normalization": "lower"}
    context = mp.get_context("spawn")
    sent = context.SimpleQueue()
    mp.spawn(_process, (str(tmp_path), options, sent), nprocs=2)
    found = sorted(sent.get() for _ in range(2))
    scores = [segment.score for segment in Meteor("en", **options).segments(HYPOTHESES, REFERENCES)]
    assert found == [(rank, expected(tiny_pack), True, scores) for rank in (0, 1)]

"""From a list of features to a matrix, and what is kept of it."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from meteor_e_learned import blocks, feature_store
from meteor_e_learned.columns import NamedFeature
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore

from meteor_e.api import ConfigError, Feature, FeatureBatch, InputError, SegmentFeature

HYPOTHESES = ["a cat sat", "the boats left", "a cat sat", ""]
REFERENCES = [["the cat sat"], ["the boat left", "boats left"], ["the cat sat"], ["x"]]
BATCH = FeatureBatch(HYPOTHESES, REFERENCES)


class Counting(Feature):
    """Words of the hypothesis, and letters."""

    name = "counting"
    dimension = 2
    columns = ("words", "letters")
    version = "1"

    def __init__(self) -> None:
        self.asked = 0

    def compute(self, batch):
        self.asked += len(batch)
        return [[len(hypothesis.split()), len(hypothesis)] for hypothesis in batch.hypotheses]

    def describe(self):
        return self.version


class Vowels(SegmentFeature):
    """How many a, e and o a segment has."""

    name = "vowels"
    segment_dimension = 3

    def vectors(self, segments):
        return [[segment.count(letter) for letter in "aeo"] for segment in segments]


def label_feature(feature, label=None, chosen=None):
    return NamedFeature(label or feature.name, feature, tuple(chosen or range(feature.dimension)))


def test_rows_are_computed_once(tmp_path):
    feature = Counting()
    features, store = FeatureSet([label_feature(feature)]), FeatureStore(tmp_path)
    reports = []
    rows = features.extract(BATCH, store, progress=lambda *report: reports.append(report))
    assert rows.tolist() == [[3, 9], [3, 14], [3, 9], [0, 0]]
    assert feature.asked == 3
    assert reports == [("features", 3, 3)]
    assert (features.extract(BATCH, store) == rows).all()
    assert feature.asked == 3
    # Another signature is another feature.
    feature.version = "2"
    features.extract(BATCH, store)
    assert feature.asked == 6


def test_nothing_is_kept_unless_asked(tmp_path):
    feature = Counting()
    store = FeatureStore(tmp_path / "none", enabled=False)
    FeatureSet([label_feature(feature)]).extract(BATCH, store)
    FeatureSet([label_feature(feature)]).extract(BATCH, store)
    assert feature.asked == 6
    assert not (tmp_path / "none").exists()


def test_interrupted_extraction_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "MAX_SEGMENTS", 1)
    feature = Counting()
    features, store = FeatureSet([label_feature(feature)]), FeatureStore(tmp_path)

    def interrupt(stage, done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        features.extract(BATCH, store, progress=interrupt)
    features.extract(BATCH, store)
    assert feature.asked == 3


@pytest.mark.parametrize(
    ("escaped", "plain"),
    [
        ("you can &apos;t say &quot;no&quot;", 'you can \'t say "no"'),
        ("tom &amp; ann &lt; &#39;x&#x27;", "tom & ann < 'x'"),
        ("it &amp;apos;s", "it 's"),
        ("we &amp; apos ; re here", "we 're here"),
        ("he said &amp; quot ; yes &amp; quot ;", 'he said " yes "'),
        ("R&D of AT&T; x & y", "R&D of AT&T; x & y"),
    ],
)
def test_entities_are_read_as_characters_if_asked(escaped, plain):
    entries = ["text"]
    mixed = FeatureBatch([escaped, plain], [[plain], [escaped]])
    same = FeatureBatch([plain, plain], [[plain], [plain]])
    store = FeatureStore(enabled=False)
    expected_rows = FeatureSet.from_config(entries).extract(same, store)
    unescaping = FeatureSet.from_config(entries, unescape=True)
    assert (unescaping.extract(mixed, store) == expected_rows).all()
    assert (unescaping.only(unescaping.columns).extract(mixed, store) == expected_rows).all()
    assert (FeatureSet.from_config(entries).extract(mixed, store) == expected_rows).all() == (escaped == plain)


def test_long_segments_go_in_small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "MAX_CHARACTERS", 10)
    sizes = []

    class Sizes(Counting):
        def compute(self, batch):
            sizes.append(len(batch))
            return super().compute(batch)

    FeatureSet([label_feature(Sizes())]).extract(
        FeatureBatch(["a" * 30, "b" * 4, "c" * 4, "d" * 4], [["x"]] * 4), FeatureStore(enabled=False)
    )
    assert sizes == [1, 2, 1]


def test_columns_can_be_chosen(tmp_path):
    entries = [
        {"use": "text", "columns": ["chrf"]},
        {"use": "text", "as": "parts", "columns": ["precision*", "length"]},
    ]
    features = FeatureSet.from_config(entries)
    assert features.columns == ("text.chrf", "parts.precision2", "parts.precision6", "parts.length")
    rows = features.extract(BATCH, FeatureStore(tmp_path))
    assert rows.shape == (4, 4) == (4, features.dimension)
    assert features.select(["parts"]) == [1, 2, 3]
    assert features.select(["parts.length", "text.ch*"]) == [3, 0]
    everything = FeatureSet.from_config(["text"]).extract(BATCH, FeatureStore(tmp_path))
    assert (rows == everything[:, [4, 5, 6, 1]]).all()
    with pytest.raises(ConfigError, match="no feature 'parst'"):
        features.select(["parst"])


def test_several_processes_give_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "MAX_SEGMENTS", 2)
    features = FeatureSet.from_config(["text"])
    serial_rows = features.extract(BATCH, FeatureStore(tmp_path, enabled=False))
    parallel_rows = features.extract(BATCH, FeatureStore(tmp_path, enabled=False), jobs=2)
    assert (serial_rows == parallel_rows).all()


def test_vectors_of_segments(tmp_path):
    vowels = FeatureSet([label_feature(Vowels()), label_feature(Vowels(), "again")])
    rows = vowels.segment_vectors(["a boat", "eee"], FeatureStore(tmp_path))
    assert rows.tolist() == [[2, 0, 1, 2, 0, 1], [0, 3, 0, 0, 3, 0]]
    with pytest.raises(ConfigError, match="no vectors of segments"):
        FeatureSet([label_feature(Counting())]).segment_vectors(["a"], FeatureStore(tmp_path))


def test_no_features_and_no_segments(tmp_path):
    store = FeatureStore(tmp_path)
    assert FeatureSet([]).extract(BATCH, store).shape == (4, 0)
    assert FeatureSet([label_feature(Counting())]).extract(FeatureBatch([], []), store).shape == (0, 2)


def test_mistakes(tmp_path):
    store = FeatureStore(tmp_path)
    with pytest.raises(ConfigError, match="two features are called 'counting'"):
        FeatureSet([label_feature(Counting()), label_feature(Counting())])
    with pytest.raises(ConfigError, match="depth"):
        FeatureSet.from_config([{"use": "encoder", "depth": 1}])
    with pytest.raises(ConfigError, match="a mapping with 'use'"):
        FeatureSet.from_config([{"columns": []}])
    with pytest.raises(InputError, match="4 hypotheses but 1 references"):
        FeatureSet([label_feature(Counting())]).extract(FeatureBatch(HYPOTHESES, [["x"]]), store)
    store = FeatureStore(tmp_path / "damaged")
    features = FeatureSet([label_feature(Counting())])
    features.extract(BATCH, store)
    (file,) = store.folder.iterdir()
    file.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(ConfigError, match="delete the file"):
        features.extract(BATCH, store)


def test_rows_keep_their_last_bit(tmp_path):
    class Third(Counting):
        """A third, and more."""

        name = "third"

        def compute(self, batch):
            return [[1 / 3, np.pi]] * len(batch)

    features, store = FeatureSet([label_feature(Third())]), FeatureStore(tmp_path)
    assert (features.extract(BATCH, store) == features.extract(BATCH, store)).all()
    assert features.extract(BATCH, store)[0].tolist() == [1 / 3, np.pi]


def test_another_process_that_does_not_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(feature_store, "LOCK_TIMEOUT", 0)
    features, store = FeatureSet([label_feature(Counting())]), FeatureStore(tmp_path)
    features.extract(BATCH, store)
    (file,) = tmp_path.iterdir()
    holder = sqlite3.connect(file)
    holder.execute("begin exclusive")
    try:
        with pytest.raises(ConfigError, match=r"another process has locked the stored features .* for 0 seconds"):
            features.extract(BATCH, store)
    finally:
        holder.close()
    assert features.extract(BATCH, store).shape == (4, 2)


def test_rows_lie_in_the_folder_that_the_environment_names(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path))
    assert FeatureStore().folder == tmp_path / "features"

"""Tests of feature sets, which compute a matrix from a list of features, and of the store that keeps the rows."""

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


class CountingFeature(Feature):
    """A feature that counts the words and letters of the hypothesis, and the segments that it is computed for."""

    name = "counting"
    dimension = 2
    columns = ("words", "letters")
    version = "1"

    def __init__(self) -> None:
        self.computed_segments = 0

    def compute(self, batch):
        self.computed_segments += len(batch)
        return [[len(hypothesis.split()), len(hypothesis)] for hypothesis in batch.hypotheses]

    def describe(self):
        return self.version


class VowelFeature(SegmentFeature):
    """A feature that counts the letters a, e and o of a segment."""

    name = "vowels"
    segment_dimension = 3

    def vectors(self, segments):
        return [[segment.count(letter) for letter in "aeo"] for segment in segments]


def make_named_feature(feature, label=None, indexes=None):
    """Return a feature with a label and the indexes of its columns."""
    return NamedFeature(label or feature.name, feature, tuple(indexes or range(feature.dimension)))


def test_feature_set_computes_each_row_once(tmp_path):
    feature = CountingFeature()
    features, store = FeatureSet([make_named_feature(feature)]), FeatureStore(tmp_path)
    reports = []
    rows = features.extract(BATCH, store, progress=lambda *report: reports.append(report))
    assert rows.tolist() == [[3, 9], [3, 14], [3, 9], [0, 0]]
    assert feature.computed_segments == 3
    assert reports == [("features", 3, 3)]
    assert (features.extract(BATCH, store) == rows).all()
    assert feature.computed_segments == 3
    # A feature with another signature is another feature, so its rows are computed again.
    feature.version = "2"
    features.extract(BATCH, store)
    assert feature.computed_segments == 6


def test_disabled_feature_store_keeps_nothing(tmp_path):
    feature = CountingFeature()
    store = FeatureStore(tmp_path / "none", enabled=False)
    FeatureSet([make_named_feature(feature)]).extract(BATCH, store)
    FeatureSet([make_named_feature(feature)]).extract(BATCH, store)
    assert feature.computed_segments == 6
    assert not (tmp_path / "none").exists()


def test_extraction_resumes_after_interruption(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "MAX_SEGMENTS", 1)
    feature = CountingFeature()
    features, store = FeatureSet([make_named_feature(feature)]), FeatureStore(tmp_path)

    def interrupt(stage, done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        features.extract(BATCH, store, progress=interrupt)
    features.extract(BATCH, store)
    assert feature.computed_segments == 3


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
def test_unescape_option_decodes_entities(escaped, plain):
    entries = ["text"]
    mixed_batch = FeatureBatch([escaped, plain], [[plain], [escaped]])
    plain_batch = FeatureBatch([plain, plain], [[plain], [plain]])
    store = FeatureStore(enabled=False)
    expected_rows = FeatureSet.from_config(entries).extract(plain_batch, store)
    unescaping_features = FeatureSet.from_config(entries, unescape=True)
    assert (unescaping_features.extract(mixed_batch, store) == expected_rows).all()
    assert (unescaping_features.only(unescaping_features.columns).extract(mixed_batch, store) == expected_rows).all()
    assert (FeatureSet.from_config(entries).extract(mixed_batch, store) == expected_rows).all() == (escaped == plain)


def test_extraction_puts_long_segments_into_small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "MAX_CHARACTERS", 10)
    sizes = []

    class SizeRecorder(CountingFeature):
        def compute(self, batch):
            sizes.append(len(batch))
            return super().compute(batch)

    FeatureSet([make_named_feature(SizeRecorder())]).extract(
        FeatureBatch(["a" * 30, "b" * 4, "c" * 4, "d" * 4], [["x"]] * 4), FeatureStore(enabled=False)
    )
    assert sizes == [1, 2, 1]


def test_feature_set_selects_columns_by_pattern(tmp_path):
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


def test_extraction_gives_equal_rows_in_several_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "MAX_SEGMENTS", 2)
    features = FeatureSet.from_config(["text"])
    serial_rows = features.extract(BATCH, FeatureStore(tmp_path, enabled=False))
    parallel_rows = features.extract(BATCH, FeatureStore(tmp_path, enabled=False), jobs=2)
    assert (serial_rows == parallel_rows).all()


def test_segment_vectors_concatenates_the_features(tmp_path):
    features = FeatureSet([make_named_feature(VowelFeature()), make_named_feature(VowelFeature(), "again")])
    rows = features.segment_vectors(["a boat", "eee"], FeatureStore(tmp_path))
    assert rows.tolist() == [[2, 0, 1, 2, 0, 1], [0, 3, 0, 0, 3, 0]]
    with pytest.raises(ConfigError, match="no vectors of segments"):
        FeatureSet([make_named_feature(CountingFeature())]).segment_vectors(["a"], FeatureStore(tmp_path))


def test_feature_set_accepts_no_features_and_no_segments(tmp_path):
    store = FeatureStore(tmp_path)
    assert FeatureSet([]).extract(BATCH, store).shape == (4, 0)
    assert FeatureSet([make_named_feature(CountingFeature())]).extract(FeatureBatch([], []), store).shape == (0, 2)


def test_feature_set_reports_invalid_input(tmp_path):
    store = FeatureStore(tmp_path)
    with pytest.raises(ConfigError, match="two features are called 'counting'"):
        FeatureSet([make_named_feature(CountingFeature()), make_named_feature(CountingFeature())])
    with pytest.raises(ConfigError, match="depth"):
        FeatureSet.from_config([{"use": "encoder", "depth": 1}])
    with pytest.raises(ConfigError, match="a mapping with 'use'"):
        FeatureSet.from_config([{"columns": []}])
    with pytest.raises(InputError, match="4 hypotheses but 1 references"):
        FeatureSet([make_named_feature(CountingFeature())]).extract(FeatureBatch(HYPOTHESES, [["x"]]), store)
    store = FeatureStore(tmp_path / "damaged")
    features = FeatureSet([make_named_feature(CountingFeature())])
    features.extract(BATCH, store)
    (file,) = store.folder.iterdir()
    file.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(ConfigError, match="delete the file"):
        features.extract(BATCH, store)


def test_feature_store_keeps_exact_values(tmp_path):
    class ExactFeature(CountingFeature):
        """A feature with values that need all bits of a float."""

        name = "third"

        def compute(self, batch):
            return [[1 / 3, np.pi]] * len(batch)

    features, store = FeatureSet([make_named_feature(ExactFeature())]), FeatureStore(tmp_path)
    assert (features.extract(BATCH, store) == features.extract(BATCH, store)).all()
    assert features.extract(BATCH, store)[0].tolist() == [1 / 3, np.pi]


def test_feature_store_reports_a_lock_of_another_process(tmp_path, monkeypatch):
    monkeypatch.setattr(feature_store, "LOCK_TIMEOUT", 0)
    features, store = FeatureSet([make_named_feature(CountingFeature())]), FeatureStore(tmp_path)
    features.extract(BATCH, store)
    (file,) = tmp_path.iterdir()
    connection = sqlite3.connect(file)
    connection.execute("begin exclusive")
    try:
        with pytest.raises(ConfigError, match=r"another process has locked the stored features .* for 0 seconds"):
            features.extract(BATCH, store)
    finally:
        connection.close()
    assert features.extract(BATCH, store).shape == (4, 2)


def test_feature_store_uses_the_folder_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("METEOR_E_CACHE", str(tmp_path))
    assert FeatureStore().folder == tmp_path / "features"

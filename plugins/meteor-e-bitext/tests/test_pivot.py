from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest
from meteor_e_bitext.phrase_table import convert_phrase_table, open_phrase_table
from meteor_e_bitext.pivot import SYMBOLS, PivotOptions, WordFilter, pivot

from meteor_e.api import InputError
from meteor_e.base.progress import silent

pytestmark = pytest.mark.native


def everything(words):
    return True


def read(path, **options):
    folder = path.with_name(f"{path.name}-numbers")
    folder.mkdir(exist_ok=True)
    convert_phrase_table(path, everything, everything, folder, progress=silent, **options)
    assert not list(folder.glob("*.scratch"))
    return open_phrase_table(folder)


def paraphrases(pairs, common=(), options=None, threads=1):
    options = options or PivotOptions()
    wanted = WordFilter(list(common), options.symbols)
    found = pivot(pairs, wanted, wanted, options, threads, silent)
    return {
        (found.phrases.text(left), found.phrases.text(right)): probability
        for left, right, probability in zip(
            found.phrase_ids.tolist(), found.paraphrase_ids.tolist(), found.probabilities.tolist(), strict=True
        )
    }


def table(path, rows):
    path.write_text(
        "".join(f"{f} ||| {e} ||| {to} 0.5 {back} 0.5 2.718\n" for f, e, to, back in rows), encoding="utf-8"
    )
    return path


# The results were compared with those of the Java program; see docs/pack-build.md.
ROWS = [
    ("voiture", "car", 0.5, 0.6),
    ("voiture", "automobile", 0.4, 0.3),
    ("voiture", "vehicle", 0.2, 0.1),
    ("auto", "car", 0.3, 0.7),
    ("auto", "automobile", 0.6, 0.3),
    ("le", "car", 0.5, 0.5),
    ("le", "the", 0.5, 0.5),
    ("grande voiture", "big car", 0.9, 0.5),
    ("grande voiture", "car", 0.1, 0.5),
    ("maison ,", "house", 0.9, 0.5),
    ("maison ,", "home", 0.9, 0.5),
    ("rapide", "quick", 0.9, 0.5),
    ("rapide", "fast", 0.1, 0.3),
    ("rapide", "fast!", 0.1, 0.3),
    ("vite", "quick", 0.0009, 0.5),
    ("vite", "swift", 0.9, 1.0),
]


def test_paraphrases_are_summed_and_filtered(tmp_path):
    found = paraphrases(read(table(tmp_path / "t", ROWS)), common=["the", "le"])
    assert found == {
        ("car", "automobile"): pytest.approx(0.5 * 0.3 + 0.3 * 0.3, abs=1e-15),
        ("car", "vehicle"): pytest.approx(0.05),
        ("automobile", "car"): pytest.approx(0.4 * 0.6 + 0.6 * 0.7),
        ("automobile", "vehicle"): pytest.approx(0.04),
        ("vehicle", "car"): pytest.approx(0.12),
        ("vehicle", "automobile"): pytest.approx(0.06),
        ("quick", "fast"): pytest.approx(0.27),
        ("fast", "quick"): pytest.approx(0.05),
        ("swift", "quick"): pytest.approx(0.45),
    }


@pytest.mark.parametrize(
    ("left", "right", "kept"),
    [
        ("red", "red car", False),
        ("p q r", "q", False),
        ("k l", "l k l", False),
        ("xcar", "car", True),
        ("p q", "p z q", True),
        ("car blue", "blue car", True),
        ("ab", "a b", True),
    ],
)
def test_nested_phrases_are_not_paraphrases(tmp_path, left, right, kept):
    found = paraphrases(read(table(tmp_path / "t", [("f", left, 0.5, 0.5), ("f", right, 0.5, 0.5)])))
    assert set(found) == ({(left, right), (right, left)} if kept else set())


def by_definition(rows, common, options):
    """Return the paraphrases of rows (pivot, phrase, p(pivot|phrase), p(phrase|pivot)) by their definition."""
    symbols = set(options.symbols)

    def wanted(phrase):
        words = phrase.split()
        return not set(words) <= set(common) and not symbols & set(phrase)

    rows = [row for row in rows if wanted(row[0]) and wanted(row[1])]
    back = defaultdict(list)
    for pivot_phrase, phrase, _, probability in rows:
        back[pivot_phrase].append((phrase, probability))
    sums = Counter()
    for pivot_phrase, phrase, to, _ in rows:
        for other, probability in back[pivot_phrase]:
            if other != phrase and to * probability >= options.least_product:
                sums[phrase, other] += to * probability
    return {
        (left, right): value
        for (left, right), value in sums.items()
        if value >= options.least_probability and f" {left} " not in f" {right} " and f" {right} " not in f" {left} "
    }


@pytest.fixture
def small_parts(monkeypatch):
    """Make blocks and caches small, so that several of them are needed."""
    for name, size in {
        "pivot._BATCH": 7,
        "phrase_table._BLOCK": 11,
        "phrase_table._CACHE_SIZE": 5,
    }.items():
        monkeypatch.setattr(f"meteor_e_bitext.{name}", size)


@pytest.mark.parametrize("seed", range(5))
def test_paraphrases_of_random_tables_follow_the_definition(tmp_path, seed, small_parts):
    chance = random.Random(seed)
    words = ["a", "b", "c", "d", "e,", "the", "of"]

    def phrase():
        return " ".join(chance.choice(words) for _ in range(chance.choice([1, 1, 2, 2, 3, 30])))

    rows = [(phrase(), phrase(), chance.random() ** 3, chance.random() ** 3) for _ in range(600)]
    options = PivotOptions(least_product=0.01 * seed, least_probability=0.05 * seed)
    expected = by_definition(rows, ["the", "of"], options)
    assert len(expected) > 10
    found = paraphrases(read(table(tmp_path / "t", rows)), ["the", "of"], options, threads=1 + seed % 2)
    assert found == {pair: pytest.approx(value, abs=1e-12) for pair, value in expected.items()}
    assert list(found) == sorted(found)


def test_pack_language_can_be_in_the_first_column(tmp_path):
    rows = [("f", "a", 0.5, 0.25), ("g", "a", 0.4, 0.75)]
    found = paraphrases(read(table(tmp_path / "t", rows), first=True))
    assert found == {("f", "g"): pytest.approx(0.25 * 0.4), ("g", "f"): pytest.approx(0.75 * 0.5)}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| b", "line 2: expected 'phrase ||| phrase ||| probabilities', but the line is 'a ||| b'"),
        ("", "line 2: expected 'phrase"),
        (" ||| b ||| .5 .5 .5 .5", "line 2: expected 'phrase"),
        ("a ||| b ||| .5", "line 2: expected probabilities"),
        ("a ||| b ||| .5 .5 x .5", "line 2: expected probabilities"),
        ("a ||| b ||| nan .5 .5 .5", "line 2: expected probabilities"),
        ("a ||| b ||| 1.5 .5 .5 .5", "line 2: expected probabilities"),
        ("a ||| b ||| c ||| .5 .5 .5 .5", "line 2: expected probabilities"),
        ("a " * 256 + "||| b ||| .5 .5 .5 .5", "line 2: a phrase of more than 255 words"),
    ],
)
def test_malformed_tables_are_refused(tmp_path, line, message):
    path = tmp_path / "t"
    path.write_text(f"a ||| b ||| .5 .5 .5 .5\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(path)
    assert message in str(caught.value)


def test_empty_table_has_no_paraphrases(tmp_path):
    (tmp_path / "t").write_text("")
    assert paraphrases(read(tmp_path / "t")) == {}


def test_symbols_are_the_punctuation_of_ascii():
    wanted = WordFilter([], SYMBOLS)
    assert [char for char in map(chr, range(33, 127)) if not wanted([f"a{char}b"])] == list(SYMBOLS)
    assert wanted(["«", "größer", "1"])

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest
from meteor_e_bitext.phrase_table import open_phrase_table, read_phrase_table, store_phrase_table
from meteor_e_bitext.pivot import SYMBOLS, PivotOptions, WordFilter, WordFilters, pivot

from meteor_e.api import InputError
from meteor_e.base.progress import silent

pytestmark = pytest.mark.native


ACCEPT_ALL = WordFilters(WordFilter([], symbols=""), WordFilter([], symbols=""))


def convert_phrase_table(path, first=False):
    """Convert a phrase table without a filter, and return its phrase pairs."""
    folder = path.with_name(f"{path.name}-numbers")
    folder.mkdir(exist_ok=True)
    store_phrase_table(read_phrase_table(path, first, silent), ACCEPT_ALL, 0.0, folder, silent)
    assert not list(folder.glob("*.scratch"))
    return open_phrase_table(folder)


def find_paraphrases(pairs, common=(), options=None, threads=1):
    """Return the probability of each pair of a phrase and its paraphrase."""
    options = options or PivotOptions()
    word_filter = WordFilter(list(common), options.symbols)
    paraphrases = pivot(pairs, WordFilters(word_filter, word_filter), options, threads, silent)
    columns = (paraphrases.phrase_ids, paraphrases.paraphrase_ids, paraphrases.probabilities)
    phrases = paraphrases.phrases
    return {
        (phrases.text(phrase), phrases.text(paraphrase)): probability
        for phrase, paraphrase, probability in zip(*(column.tolist() for column in columns), strict=True)
    }


def write_phrase_table(path, rows):
    """Write rows (pivot, phrase, p(pivot|phrase), p(phrase|pivot)) as a phrase table, and return its path."""
    lines = [f"{f} ||| {e} ||| {to_pivot} 0.5 {from_pivot} 0.5 2.718\n" for f, e, to_pivot, from_pivot in rows]
    path.write_text("".join(lines), encoding="utf-8")
    return path


# The paraphrases of this table were compared with those of the Java program; see docs/pack-build.md.
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


def test_pivot_sums_and_filters_paraphrases(tmp_path):
    pairs = convert_phrase_table(write_phrase_table(tmp_path / "t", ROWS))
    assert find_paraphrases(pairs, common=["the", "le"]) == {
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
    ("first", "second", "are_paraphrases"),
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
def test_pivot_omits_phrases_that_contain_each_other(tmp_path, first, second, are_paraphrases):
    table = write_phrase_table(tmp_path / "t", [("f", first, 0.5, 0.5), ("f", second, 0.5, 0.5)])
    paraphrases = find_paraphrases(convert_phrase_table(table))
    assert set(paraphrases) == ({(first, second), (second, first)} if are_paraphrases else set())


def compute_paraphrases(rows, common, options):
    """Return the paraphrases of rows (pivot, phrase, p(pivot|phrase), p(phrase|pivot)) by their definition."""
    symbols = set(options.symbols)

    def is_usable(phrase):
        return not set(phrase.split()) <= set(common) and not symbols & set(phrase)

    def contains(phrase, part):
        return f" {part} " in f" {phrase} "

    usable_rows = [row for row in rows if is_usable(row[0]) and is_usable(row[1])]
    phrases_of_pivots = defaultdict(list)
    for pivot_phrase, phrase, _, from_pivot in usable_rows:
        phrases_of_pivots[pivot_phrase].append((phrase, from_pivot))
    sums = Counter()
    for pivot_phrase, phrase, to_pivot, _ in usable_rows:
        for paraphrase, from_pivot in phrases_of_pivots[pivot_phrase]:
            product = to_pivot * from_pivot
            if paraphrase != phrase and product >= options.least_product:
                sums[phrase, paraphrase] += product
    return {
        (first, second): probability
        for (first, second), probability in sums.items()
        if probability >= options.least_probability and not contains(second, first) and not contains(first, second)
    }


@pytest.fixture
def small_blocks(monkeypatch):
    """Make batches, blocks and caches small, so that a small table needs several of them."""
    sizes = {"pivot._BATCH": 7, "phrase_table._BLOCK": 11, "phrase_table._CACHE_SIZE": 5}
    for name, size in sizes.items():
        monkeypatch.setattr(f"meteor_e_bitext.{name}", size)


@pytest.mark.parametrize("seed", range(5))
def test_pivot_of_random_tables_follows_the_definition(tmp_path, seed, small_blocks):
    rng = random.Random(seed)
    words = ["a", "b", "c", "d", "e,", "the", "of"]

    def make_phrase():
        return " ".join(rng.choice(words) for _ in range(rng.choice([1, 1, 2, 2, 3, 30])))

    rows = [(make_phrase(), make_phrase(), rng.random() ** 3, rng.random() ** 3) for _ in range(600)]
    options = PivotOptions(least_product=0.01 * seed, least_probability=0.05 * seed)
    expected = compute_paraphrases(rows, ["the", "of"], options)
    assert len(expected) > 10
    pairs = convert_phrase_table(write_phrase_table(tmp_path / "t", rows))
    paraphrases = find_paraphrases(pairs, ["the", "of"], options, threads=1 + seed % 2)
    assert paraphrases == {pair: pytest.approx(probability, abs=1e-12) for pair, probability in expected.items()}
    assert list(paraphrases) == sorted(paraphrases)


def test_phrase_table_can_have_the_pack_language_first(tmp_path):
    rows = [("f", "a", 0.5, 0.25), ("g", "a", 0.4, 0.75)]
    pairs = convert_phrase_table(write_phrase_table(tmp_path / "t", rows), first=True)
    assert find_paraphrases(pairs) == {("f", "g"): pytest.approx(0.25 * 0.4), ("g", "f"): pytest.approx(0.75 * 0.5)}


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
def test_phrase_table_reader_rejects_malformed_lines(tmp_path, line, message):
    path = tmp_path / "t"
    path.write_text(f"a ||| b ||| .5 .5 .5 .5\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        convert_phrase_table(path)
    assert message in str(error.value)


def test_empty_phrase_table_has_no_paraphrases(tmp_path):
    (tmp_path / "t").write_text("")
    assert find_paraphrases(convert_phrase_table(tmp_path / "t")) == {}


def test_word_filter_rejects_the_punctuation_of_ascii():
    word_filter = WordFilter([], SYMBOLS)
    printable = map(chr, range(33, 127))
    assert [char for char in printable if not word_filter([f"a{char}b"])] == list(SYMBOLS)
    assert word_filter(["«", "größer", "1"])

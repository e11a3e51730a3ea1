"""The YAML reader and writer: YAML 1.2 values, line numbers in errors, limits, and random input."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from meteor_e.base.errors import ConfigError
from meteor_e.base.yamlfile import (
    SIZE_LIMIT,
    Document,
    dump_yaml,
    parse_yaml,
    plain_value,
    read_yaml,
)


def parse(text: str):
    """Parse a text as the content of ``file.yaml``."""
    return parse_yaml(text.encode(), "file.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # YAML 1.1 has other values for these texts.
        ("no", "no"),
        ("yes", "yes"),
        ("off", "off"),
        ("1e-3", 0.001),
        ("010", 10),
        ("0o17", 15),
        ("12:30", "12:30"),
        ("2001-01-01", "2001-01-01"),
        ("1_000", "1_000"),
        # YAML 1.1 and YAML 1.2 have the same values for these texts.
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("0x1f", 31),
        ("-.5", -0.5),
        ("+3", 3),
        ("1.", 1.0),
        ("0.85", 0.85),
        ("en", "en"),
        ("1.5.2", "1.5.2"),
        ("inf", "inf"),
        ("nan", "nan"),
    ],
)
def test_plain_value_follows_yaml_1_2(text, value):
    assert plain_value(text) == value
    assert type(plain_value(text)) is type(value)
    assert parse(f"key: {text}").data == {"key": value}
    assert parse(f"key: '{text}'").data == {"key": text}


def test_document_locates_keys_and_items():
    document = parse("# comment\na: 1\nb:\n  c: [x,\n    y]\n  d:\n    - e: 2\n")
    assert document.data == {"a": 1, "b": {"c": ["x", "y"], "d": [{"e": 2}]}}
    lines_by_key_path = {
        ("a",): 2,
        ("b", "c"): 4,
        ("b", "c", 1): 5,
        ("b", "d", 0, "e"): 7,
        ("b", "d", 0, "missing"): 7,
    }
    for key_path, line in lines_by_key_path.items():
        assert document.location(key_path) == f"file.yaml:{line}"
    assert document.location(()) == "file.yaml"
    assert str(document.error(("b", "d", 0, "e"), "is wrong")) == "file.yaml:7: b.d[0].e: is wrong"
    assert str(Document({}).error(("beam",), "is wrong")) == "beam: is wrong"


def test_parser_reads_all_keys_as_texts():
    assert parse("no: 1\n1: 2\nnull: 3").data == {"no": 1, "1": 2, "null": 3}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "file.yaml: is empty"),
        (b"# nothing but a comment\n", "file.yaml: is empty"),
        (b"\xef\xbb\xbf", "file.yaml: is empty"),
        (
            b"a: 1\n---\nb: 2\n",
            "file.yaml:2: a second document begins; a file can hold only one document",
        ),
        (b"a: [1,\nb: 2\n", "file.yaml:3: is not YAML: "),
        (b"a: 'x\n", "file.yaml:2: is not YAML: "),
        (b"a:\n\t- b\n", "file.yaml:2: is not YAML: "),
        (b"a: \xe9\n", "file.yaml:1: is not UTF-8; save the file as UTF-8"),
        (b"a: 1\nb: \xff\n", "file.yaml:2: is not UTF-8; save the file as UTF-8"),
        ("a: 1".encode("utf-16"), "file.yaml:1: is not UTF-8; save the file as UTF-8"),
        (b"a: 1\nb: \0", "file.yaml: is not YAML: control characters are not allowed"),
        (b"a: \x1b[31m", "file.yaml: is not YAML: control characters are not allowed"),
        (b"\n? [a]\n: b", "file.yaml:2: ?: is a key that is not a text"),
        (
            b"a: !!python/object/apply:os.system ['x']",
            "file.yaml:1: a: has an anchor, an alias or a tag, which are not",
        ),
        (b"a: !path x", "file.yaml:1: a: has an anchor, an alias or a tag"),
        (b"\na: *x", "file.yaml:2: a: has an anchor, an alias or a tag"),
        (b"a: &x [*x]", "file.yaml:1: a: has an anchor, an alias or a tag"),
        (b"a: .inf", "file.yaml:1: a: is .inf; it must be a finite number"),
        (b"a:\n- .nan", "file.yaml:2: a[0]: is .nan; it must be a finite number"),
        (b"a: 1e999", "file.yaml:1: a: is 1e999; it must be a finite number"),
        (b"a: 1\nb: {c: 1}\n\nb: 2", "file.yaml:4: b: is given twice, on lines 2 and 4"),
        (b"\n" + b"[" * 100_000, "file.yaml:2: is not YAML: exceeded maximum nesting depth"),
        (b"{a: " * 100_000, "file.yaml:1: a: has more than 20000 values, or is nested more than 20 deep"),
        (b"- " * 25, "file.yaml:1: [0]: has more than 20000 values, or is nested more than 20 deep"),
        (b"[" + b"1," * 30_000 + b"]", "file.yaml:1: [20000]: has more than 20000 values"),
    ],
)
def test_parser_rejects_invalid_or_unsafe_documents(content, message):
    start = time.process_time()
    with pytest.raises(ConfigError) as caught:
        parse_yaml(content, "file.yaml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert time.process_time() - start < 2


LARGEST_FILES = {
    "spaces": b" " * SIZE_LIMIT,
    "lines": b"\n" * SIZE_LIMIT,
    "digits": b"a: " + b"1" * (SIZE_LIMIT - 3),
    "quotes": b"a: '" + b"''" * 500_000 + b"'",
    "words": b"a\n" * 500_000,
}


@pytest.mark.parametrize("content", LARGEST_FILES.values(), ids=LARGEST_FILES)
def test_parser_parses_the_largest_files_quickly(content):
    start = time.process_time()
    with contextlib.suppress(ConfigError):
        parse_yaml(content, "file.yaml")
    assert time.process_time() - start < 2


def test_python_parser_gives_the_same_results(monkeypatch):
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    test_document_locates_keys_and_items()
    with pytest.raises(ConfigError, match=r"file\.yaml:1: .* nested more than 20 deep"):
        parse("[" * 1000)
    with pytest.raises(ConfigError, match=r"file\.yaml:3: is not YAML: "):
        parse("a: [1,\nb: 2\n")


def test_reader_accepts_byte_order_marks_and_crlf(tmp_path):
    file = tmp_path / "file.yaml"
    file.write_bytes("\ufeffname: čeština 🦆\r\nb: 2\r\n".encode())
    document = read_yaml(file)
    assert document.data == {"name": "čeština 🦆", "b": 2}
    assert document.location(("b",)).endswith(":2")


def test_parser_accepts_json():
    assert parse('{"a": [1, 2.5, true, null, "\\u00e9"], "b": {}}').data == {"a": [1, 2.5, True, None, "é"], "b": {}}


def test_reader_reports_missing_and_too_large_files(tmp_path):
    with pytest.raises(ConfigError, match=r"missing\.yaml: cannot be read: No such file or directory"):
        read_yaml(tmp_path / "missing.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * (SIZE_LIMIT + 1))
    with pytest.raises(ConfigError, match=r"large\.yaml: cannot be read: it is larger than 1 MiB"):
        read_yaml(tmp_path / "large.yaml")


def test_document_resolves_paths_relative_to_its_file(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "file.yaml").write_text("a: 1")
    document = read_yaml("conf/file.yaml")
    for path, expected in (
        ("x.tsv", tmp_path / "conf" / "x.tsv"),
        ("../x.tsv", tmp_path / "conf" / ".." / "x.tsv"),
        ("/abs/x.tsv", "/abs/x.tsv"),
        ("~/x.tsv", "/home/u/x.tsv"),
        ("~nosuchuser/x.tsv", tmp_path / "conf" / "~nosuchuser" / "x.tsv"),
    ):
        assert document.path(path) == str(expected)


def test_document_replaces_terminal_controls_in_errors():
    document = parse(r'"\e[31m\nx": 1')
    assert str(document.error(("\x1b[31m\nx",), "unknown key")) == "file.yaml:1: �[31m�x: unknown key"


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
keys = st.text(max_size=10)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=10
)


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(keys, values, max_size=5))
def test_dump_yaml_writes_documents_that_parse_to_the_data(data):
    text = dump_yaml(data)
    document = parse(text)
    assert document.data == data
    assert repr(document.data) == repr(data)


@pytest.mark.parametrize("text", ["no", "1e-3", "0o17", "1.", "12:30", "~", "", "2001-01-01", "=", "<<", ".nan"])
def test_dump_yaml_writes_texts_that_yaml_1_1_reads_as_texts(text):
    document = dump_yaml({"key": text})
    assert yaml.safe_load(document) == parse(document).data == {"key": text}


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(alphabet="ab:-[]{}&*!|>'\"#%@\n \t,?~1", max_size=60).map(str.encode))
def test_parser_accepts_or_rejects_random_bytes(content):
    """Random bytes are a document with valid line numbers, or the error message begins with the name of the file."""
    document = Document({})
    error_message = None
    try:
        document = parse_yaml(content, "file.yaml")
    except ConfigError as error:
        error_message = str(error)
    assert error_message is None or error_message.startswith("file.yaml")
    assert all(line >= 1 for line in document.lines.values())


def test_packaged_yaml_files_do_not_require_libyaml(monkeypatch):
    """PyYAML's own parser rejects some plain values that libyaml accepts, such as ``NNP?S`` in a flow mapping."""
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    repository = Path(__file__).parents[2]
    files = [*repository.glob("resources/**/*.yaml"), *repository.glob("plugins/*/src/**/*.yaml")]
    assert len(files) > 100
    for file in files:
        assert read_yaml(file).data

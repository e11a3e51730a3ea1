"""Codes of languages as people write them, and languages without a file."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from meteor_e import ConfigError, Meteor
from meteor_e.api.languages import Evidence
from meteor_e.base.errors import MeteorWarning
from meteor_e.chains.chain import find_language
from meteor_e.cli.program import cli
from meteor_e.languages.codes import find_tag, language_names
from meteor_e.languages.files import language_files, read_language


def run(*arguments):
    return CliRunner().invoke(cli, arguments)


@pytest.mark.parametrize(
    ("written", "code"),
    [
        *((text, "en") for text in ("EN", "eng", "en-GB", "en_US", "English", "english")),
        *((text, "pt") for text in ("pt-BR", "pt_br", "por", "Portuguese")),
        *((text, "no") for text in ("nb", "nn", "nb-NO", "nno", "Norwegian Nynorsk")),
        *((text, "zh") for text in ("zh-TW", "zh-Hant", "zh_CN", "zho", "cmn")),
        *((text, "sr") for text in ("sr-Cyrl", "sr-Latn", "srp", "sr_RS")),
        *((text, "cs") for text in ("cz", "cs", "ces", "cz-CZ", "cze")),
        *((text, "sv") for text in ("se", "sv-SE", "swe")),
        *((text, "ar") for text in ("ar_EG", "arb", "ara")),
        *((text, "he") for text in ("iw", "he-IL", "heb")),
        ("Icelandic", "is"),
    ],
)
def test_a_code_finds_the_language_that_has_a_file(written, code):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_language(written).code == code


@pytest.mark.parametrize(
    ("written", "code", "script", "segmenter"),
    [
        ("xh", "xh", "Latn", "unicode"),
        ("xho", "xh", "Latn", "unicode"),
        ("dz", "dz", "Tibt", "characters"),
        ("az-Arab", "az-Arab", "Arab", "unicode"),
        ("bho", "bho", "Deva", "unicode"),
    ],
)
def test_a_language_without_a_file_gets_the_definition_of_its_script(written, code, script, segmenter):
    with pytest.warns(MeteorWarning, match=f"has no definition; it gets the generic one of the script {script}"):
        meteor = Meteor(written)
    assert f"|lang:{code}(generic {script})|" in meteor.signature
    assert meteor.chain.language.segmenter == segmenter
    assert meteor.score("a b c", "a b c").score == 1


@pytest.mark.parametrize(
    ("written", "miss"), [("Germn", "german"), ("icelandik", "icelandic"), ("xq", None), ("", None)]
)
def test_what_is_no_language_is_an_error_with_a_near_miss(written, miss):
    with pytest.raises(ConfigError, match=f"there is no language {written!r}" + (f".*{miss}" if miss else "")):
        find_language(written)


def test_every_code_of_two_letters_works():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MeteorWarning)
        for code in (code for code in language_names() if len(code) == 2):
            assert find_language(code).name


def test_files_have_their_own_code_and_are_known_by_name():
    for code, file in language_files().items():
        language = read_language(file)
        assert language.code == code
        assert code == "other" or find_tag(code).language
        assert list(language.task("all")[1].weights) == list(language.matchers)


@pytest.mark.filterwarnings("ignore:language 'xh'")
def test_a_language_without_a_file_has_the_chain_any():
    weights = find_language("xh").task("any")[1].weights
    assert weights == find_language("is").task("any")[1].weights
    assert len(weights) > 1
    assert dict(find_language("xh").task("universal")[1].weights) == {"exact": 1.0}


def test_the_command_lists_languages_and_shows_one():
    lines = run("languages").output.splitlines()
    assert len(lines) > 80
    assert any(line.startswith("is ") and "simplemma" in line for line in lines)
    assert "stem untested, off" in run("languages", "Estonian").output
    assert "WMT12 en-fr), on" in run("languages", "fr").output


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.1, 0.2, "proven"), (-0.1, 0.2, "neutral"), (-2, -1, "harmful")]
)
def test_the_interval_says_the_verdict(low, high, verdict):
    assert Evidence(0.0, low, high, "").verdict == verdict


def test_the_page_of_languages_is_current():
    script = Path(__file__).parents[2] / "docs" / "language_table.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

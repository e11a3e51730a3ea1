"""Tests for language definitions: files, codes, tasks, parameters and the command ``languages``."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from fixtures import BUILTIN_CODES

from meteor_e import Meteor
from meteor_e.api.languages import ISO_CODES, Evidence, Normalization
from meteor_e.base.errors import ConfigError, MeteorWarning
from meteor_e.base.yamlfile import parse_yaml, read_yaml
from meteor_e.chains.chain import find_language
from meteor_e.cli.program import cli
from meteor_e.languages.codes import language_names, parse_tag
from meteor_e.languages.files import (
    builtin_language,
    common_tasks,
    language_files,
    parse_language,
    read_language,
)
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry

EXACT, STEM, SYNONYM, PARAPHRASE = "exact", "stem", "synonym", "paraphrase"
ALL = (EXACT, STEM, SYNONYM, PARAPHRASE)
TUNED_LANGUAGES = ("en", "cs", "fr", "es", "de", "ru")
TUNED_WITH_STEMMER = ("fr", "es", "de", "ru")
STEMMED_LANGUAGES = ("da", "fi", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr")

# METEOR 1.5's parameters: language, task, alpha, beta, gamma, delta, matchers, weights.
# The command `java -jar meteor-1.5.jar hypothesis reference -l LANGUAGE -t TASK` prints them.
ROWS = [
    ("en", "rank", 0.85, 0.20, 0.60, 0.75, ALL, (1, 0.6, 0.8, 0.6)),
    ("en", "adq", 0.75, 1.40, 0.45, 0.70, ALL, (1, 1, 0.6, 0.8)),
    ("en", "hter", 0.40, 1.50, 0.35, 0.55, ALL, (1, 0.2, 0.6, 0.8)),
    ("en", "util", 0.65, 0.10, 0.55, 0.65, ALL, (1, 0, 0, 0.8)),
    ("cs", "rank", 0.95, 0.20, 0.60, 0.80, (EXACT, PARAPHRASE), (1, 0.4)),
    ("fr", "rank", 0.90, 1.40, 0.60, 0.65, (EXACT, STEM, PARAPHRASE), (1, 0.2, 0.4)),
    ("es", "rank", 0.65, 1.30, 0.50, 0.80, (EXACT, STEM, PARAPHRASE), (1, 0.8, 0.6)),
    ("de", "rank", 0.95, 1.00, 0.55, 0.55, (EXACT, STEM, PARAPHRASE), (1, 0.8, 0.2)),
    ("ru", "rank", 0.75, 1.40, 0.70, 0.50, (EXACT, STEM, PARAPHRASE), (1, 0.5, 0.5)),
    *((code, "li", 0.75, 1.40, 0.70, 0.50, (EXACT, STEM), (1, 0.5)) for code in STEMMED_LANGUAGES),
    ("other", "li", 0.75, 1.40, 0.70, 0.50, (EXACT,), (1,)),
    # Tasks that all languages have.
    ("en", "li", 0.75, 1.40, 0.70, 0.50, ALL, (1, 0.5, 0.5, 0.5)),
    ("cs", "li", 0.75, 1.40, 0.70, 0.50, (EXACT, PARAPHRASE), (1, 0.5)),
    *(
        (code, "li", 0.75, 1.40, 0.70, 0.50, (EXACT, STEM, PARAPHRASE), (1, 0.5, 0.5))
        for code in ("fr", "es", "de", "ru")
    ),
    ("en", "tune", 0.5, 1, 0.5, 0.5, ALL, (1, 0.5, 0.5, 0.5)),
    ("cs", "tune", 0.5, 1, 0.5, 0.5, (EXACT, PARAPHRASE), (1, 0.5)),
    *((code, "tune", 0.5, 1, 0.5, 0.5, (EXACT, STEM, PARAPHRASE), (1, 0.5, 0.5)) for code in TUNED_WITH_STEMMER),
    *((code, "tune", 0.5, 1, 0.5, 0.5, (EXACT, STEM), (1, 0.5)) for code in STEMMED_LANGUAGES),
    # The specification states the usual parameters of tune for this row, but the Java program uses those of li.
    ("other", "tune", 0.75, 1.4, 0.7, 0.5, (EXACT,), (1,)),
    *(
        (code, "universal", 0.70, 1.40, 0.30, 0.70, (EXACT, PARAPHRASE), (1, 0.6))
        for code in (*TUNED_LANGUAGES, *STEMMED_LANGUAGES, "other")
    ),
]


@pytest.mark.parametrize(("code", "task", "alpha", "beta", "gamma", "delta", "matchers", "weights"), ROWS)
def test_task_has_the_parameters_of_meteor_1_5(code, task, alpha, beta, gamma, delta, matchers, weights):
    name, settings = builtin_language(code).task(task)
    assert name == task
    assert (settings.alpha, settings.beta, settings.gamma, settings.delta) == (alpha, beta, gamma, delta)
    assert tuple(settings.weights) == matchers
    assert tuple(settings.weights.values()) == weights
    assert settings.parameters.weights == weights


def test_rows_cover_all_tasks_of_builtin_languages():
    languages = [builtin_language(code) for code in BUILTIN_CODES]
    tasks = {(language.code, task) for language in languages for task in language.tasks if task not in ("all", "any")}
    assert tasks == {row[:2] for row in ROWS}
    assert all(list(builtin_language(code).task("all")[1].weights) for code in BUILTIN_CODES)


@pytest.mark.parametrize("code", BUILTIN_CODES)
def test_default_task_is_rank_for_tuned_languages(code):
    assert builtin_language(code).task(None)[0] == ("rank" if code in TUNED_LANGUAGES else "li")


@pytest.mark.parametrize("code", BUILTIN_CODES)
def test_normalization_is_full_only_for_six_languages(code):
    language = builtin_language(code)
    if code in TUNED_LANGUAGES:
        assert language.normalization is Normalization.FULL
        assert language.pack == code
    else:
        assert language.normalization is Normalization.LOWER
        assert language.pack is None


def test_apostrophe_style_depends_on_the_language():
    styles = {code: builtin_language(code).apostrophes for code in TUNED_LANGUAGES}
    assert styles == {"en": "english", "fr": "french", "cs": "apart", "es": "apart", "de": "apart", "ru": "apart"}


def test_codes_of_the_java_program_are_aliases():
    assert ISO_CODES == {"cz": "cs", "se": "sv"}
    for alias, code in ISO_CODES.items():
        assert builtin_language(code).aliases == (alias,)
        assert builtin_language(code).meteor_code == alias
        assert plugin_registry().languages.get(alias) == plugin_registry().languages.get(code)
    for code in set(BUILTIN_CODES) - set(ISO_CODES.values()):
        assert builtin_language(code).meteor_code == code


@pytest.mark.parametrize("code", ["cs", "fr", "es", "de", "ru", "da", "other"])
@pytest.mark.parametrize("task", ["adq", "hter", "util"])
def test_other_languages_reject_english_tasks(code, task):
    with pytest.raises(
        ConfigError, match=f"language '{code}' has no task '{task}'; its tasks: li, tune, universal, all, any"
    ):
        builtin_language(code).task(task)


@pytest.mark.parametrize("code", BUILTIN_CODES)
def test_builtin_language_files_are_valid(code):
    # The program reads its own files without checking them, so this test checks them.
    source = builtin_language(code).source
    checked = parse_language(read_yaml(source).data, "a copy")
    assert replace(checked, source=source) == builtin_language(code)
    assert builtin_language(code).code == code
    assert plugin_registry().languages.get(code) == builtin_language(code)


def test_shared_tasks_are_valid():
    tasks = {}
    for name, task in common_tasks().items():
        tasks[name] = {**task, "weights": name_weights(task["weights"])}
    data = {"code": "xx", "name": "X", "matchers": ["exact"], "default_task": "li", "tasks": tasks}
    assert set(parse_language(data, "any.yaml").tasks) == set(common_tasks())


def name_weights(weights):
    """Return weights by matcher.

    The weights in a list apply to the matchers of a language in order. This function invents names for these matchers.
    """
    return weights if isinstance(weights, dict) else dict(zip("abcd", weights, strict=False))


LANGUAGE_FILE = """\
code: xx
name: Example
matchers: [exact, stem]
default_task: rank
tasks:
  rank: {alpha: 0.5, beta: 1, gamma: 0.25, delta: 1, weights: {exact: 1, stem: 0.5}}
normalization: full
apostrophes: french
stemmer: spanish
pack: ./xx-pack
aliases: [no-xx, no]
meteor_code: xy
"""


@pytest.fixture
def language_file(tmp_path):
    """Return the path of a language file with LANGUAGE_FILE as its content."""
    file = tmp_path / "xx.yaml"
    file.write_text(LANGUAGE_FILE, encoding="utf-8")
    return file


def test_language_file_defines_a_language(language_file):
    language = read_language(language_file)
    assert (language.code, language.name, language.aliases) == ("xx", "Example", ("no-xx", "no"))
    assert (language.apostrophes, language.stemmer, language.meteor_code) == ("french", "spanish", "xy")
    assert language.normalization is Normalization.FULL
    assert language.pack == str(language_file.parent / "xx-pack")
    assert language.source == str(language_file)
    assert list(language.tasks) == ["li", "tune", "universal", "all", "any", "rank"]
    assert language.task(None)[1].parameters.weights == (1.0, 0.5)
    assert language.task("li")[1].weights == {"exact": 1.0, "stem": 0.5}


def test_meteor_accepts_the_path_of_a_language_file(language_file, monkeypatch):
    monkeypatch.chdir(language_file.parent)
    meteor = Meteor("./xx.yaml", resources=LanguageResources())
    assert meteor.score("una casa", "una casa").score == 1.0
    assert "|lang:xx(french apostrophes)|task:rank|norm:full|a:0.5|b:1.0|g:0.25|d:1.0|" in meteor.signature
    assert meteor.chain.effective()["language"] == str(language_file)


@pytest.mark.parametrize(
    ("valid", "invalid", "expected"),
    [
        (
            "task: rank",
            "task: rnak",
            "xx.yaml:4: default_task: there is no task 'rnak' (did you mean 'rank'?); there are li, tune, universal, ",
        ),
        (
            "stem: 0.5",
            "stem: high",
            "xx.yaml:6: tasks.rank.weights.stem: must be a number from 0 to 1000000, not 'high'",
        ),
        ("spanish", "spanisch", "xx.yaml:9: stemmer: there is no stemmer 'spanisch' (did you mean 'spanish'?)"),
    ],
)
def test_parse_language_locates_errors(valid, invalid, expected):
    text = LANGUAGE_FILE.replace(valid, invalid)
    with pytest.raises(ConfigError) as raised:
        parse_language(parse_yaml(text.encode(), "xx.yaml"))
    assert str(raised.value).startswith(expected)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, r"^xx: must be a mapping of keys to values, not nothing$"),
        ({}, r"^xx: the key 'code' is missing$"),
        ({"code": "x|y", "name": "X", "matchers": ["exact"], "default_task": "li"}, r"^xx: code: must be letters and"),
        ({"code": "xx", "name": "X", "matchers": [], "default_task": "li"}, "^xx: matchers: must be a list that"),
        (
            {"code": "xx", "name": "X", "matchers": ["exact"], "default_task": "rank"},
            "^xx: default_task: there is no task",
        ),
        (
            {"code": "xx", "name": "X", "matchers": ["exact"], "default_task": "li", "tasks": [1]},
            "^xx: tasks: must be a mapping, not a list$",
        ),
    ],
)
def test_parse_language_rejects_invalid_definitions(data, message):
    with pytest.raises(ConfigError, match=message):
        parse_language(data, "xx")


def test_language_file_can_replace_shared_tasks():
    data = {"code": "xx", "name": "X", "matchers": ["exact"], "default_task": "li"}
    task_definition = {"alpha": 1, "beta": 1, "gamma": 1, "delta": 1, "weights": {"exact": 1}}
    assert parse_language({**data, "tasks": {"li": task_definition}}).tasks["li"].alpha == 1.0


@pytest.mark.parametrize("code", [code for code in (*TUNED_LANGUAGES, *STEMMED_LANGUAGES) if code != "en"])
def test_meteor_languages_use_english_function_words(code):
    # With -l fr, the Java program finds no function words in "le la chat" and two in "the of cat".
    assert builtin_language(code).function_words == "en"


def run_command(*arguments):
    """Run a command of meteor-e in this process, and return its result."""
    return CliRunner().invoke(cli, arguments)


@pytest.mark.parametrize(
    ("spelling", "code"),
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
def test_find_language_accepts_tags_names_and_aliases(spelling, code):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_language(spelling).code == code


@pytest.mark.parametrize(
    ("spelling", "code", "script", "segmenter"),
    [
        ("xh", "xh", "Latn", "unicode"),
        ("xho", "xh", "Latn", "unicode"),
        ("dz", "dz", "Tibt", "characters"),
        ("az-Arab", "az-Arab", "Arab", "unicode"),
        ("bho", "bho", "Deva", "unicode"),
    ],
)
def test_language_without_a_file_depends_on_its_script(spelling, code, script, segmenter):
    with pytest.warns(MeteorWarning, match=f"has no definition; the generic definition of the script {script} is used"):
        meteor = Meteor(spelling)
    assert f"|lang:{code}(generic {script})|" in meteor.signature
    assert meteor.chain.language.segmenter == segmenter
    assert meteor.score("a b c", "a b c").score == 1


@pytest.mark.parametrize(
    ("spelling", "suggestion"), [("Germn", "german"), ("icelandik", "icelandic"), ("xq", None), ("", None)]
)
def test_find_language_suggests_a_similar_name(spelling, suggestion):
    message = f"there is no language {spelling!r}"
    if suggestion:
        message += f".*{suggestion}"
    with pytest.raises(ConfigError, match=message):
        find_language(spelling)


def test_find_language_accepts_all_two_letter_codes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MeteorWarning)
        for code in language_names():
            if len(code) == 2:
                assert find_language(code).name


def test_language_files_define_the_code_in_their_name():
    for code, file in language_files().items():
        language = read_language(file)
        assert language.code == code
        assert code == "other" or parse_tag(code).language
        assert list(language.task("all")[1].weights) == list(language.matchers)


@pytest.mark.filterwarnings("ignore:language 'xh'")
def test_language_without_a_file_has_the_task_any():
    weights = find_language("xh").task("any")[1].weights
    assert weights == find_language("is").task("any")[1].weights
    assert len(weights) > 1
    assert dict(find_language("xh").task("universal")[1].weights) == {"exact": 1.0}


def test_languages_command_shows_all_or_one():
    lines = run_command("languages").output.splitlines()
    assert len(lines) > 80
    assert any(line.startswith("is ") and "lemmas, synonyms" in line for line in lines)
    wide_lines = run_command("languages", "--wide").output.splitlines()
    assert any(line.startswith("is ") and "simplemma" in line for line in wide_lines)
    assert "stem untested, off" in " ".join(run_command("languages", "Estonian").output.split())
    assert "WMT12 en-fr), on" in " ".join(run_command("languages", "fr").output.split())


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.1, 0.2, "proven"), (-0.1, 0.2, "neutral"), (-2, -1, "harmful")]
)
def test_evidence_verdict_depends_on_the_interval(low, high, verdict):
    assert Evidence(0.0, low, high, "").verdict == verdict


def test_documentation_page_of_languages_is_up_to_date():
    script = Path(__file__).parents[2] / "docs" / "language_table.py"
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_languages_json_shows_resources_and_evidence():
    # Welsh lists the matcher paraphrase for packs that users build. METEOR does not have a Welsh paraphrase table.
    table = json.loads(run_command("languages", "--json").stdout)
    rows = {row["code"]: row for row in table}
    assert rows["cy"]["paraphrases"] is False
    assert rows["cy"]["evidence"] == {"simplemma": "untested, off"}
    assert {code for code, row in rows.items() if row["paraphrases"]} == set(TUNED_LANGUAGES)
    untested_but_on = {
        (code, name) for code, row in rows.items() for name, state in row["evidence"].items() if state == "untested, on"
    }
    # The command's help states that only modules of METEOR 1.5 are on without a test, and only in METEOR's languages.
    assert {name for _, name in untested_but_on} == {"stem", "paraphrase"}
    assert {code for code, _ in untested_but_on} <= set(BUILTIN_CODES)


@pytest.mark.parametrize("code", ["cy", "da", "other", "zh"])
def test_languages_accept_explicit_normalizations(code):
    # docs/new-language.md recommends "full" for languages in Latin script.
    meteor = Meteor(code, matchers=["exact"], normalization="full", segmenter=None)
    assert meteor.chain.normalization is Normalization.FULL
    score = Meteor(code, matchers=["exact"], normalization="no-punctuation").score("Ie, da!", ["ie da"])
    assert score.precision == score.recall == 1

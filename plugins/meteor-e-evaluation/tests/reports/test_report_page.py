"""Tests of the HTML page of a report."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from meteor_e_evaluation.reports import score_systems, write_page, write_report
from meteor_e_evaluation.reports.page import render
from meteor_e_evaluation.reports.visible import visible
from report_systems import REFERENCES, SYSTEMS

from meteor_e import InputError


class Page(HTMLParser):
    """Collects the elements of a page, its text, and the text of its scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.contents, self.text = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.contents.append((tag, dict(attrs), ""))

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        self.elements.append((f"/{tag}", {}))

    def handle_data(self, data):
        self.text += data
        if self.elements and self.elements[-1][0] in ("script", "style"):
            tag, attributes, text = self.contents[-1]
            self.contents[-1] = (tag, attributes, text + data)


def test_page_policy_allows_only_its_script_and_style(report):
    page = Page(render(report))
    (policy,) = (
        attributes["content"]
        for _, attributes in page.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert set(rules) == {"default-src", "base-uri", "form-action", "script-src", "style-src"}
    executed_contents = [
        (tag, text) for tag, attributes, text in page.contents if attributes.get("type") != "application/gzip"
    ]
    assert [tag for tag, _ in executed_contents] == ["style", "script"]
    for tag, text in executed_contents:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{tag}-src"] == f"'sha256-{digest}'"


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "]]><!--",
        '"><b>',
        "\u202e\x00",
        "{{ 7*7 }}",
    ],
)
def test_page_treats_names_and_segments_as_data(meteor, hostile):
    harmless_page = Page(render(score_systems(meteor, {"a": ["x"], "b": ["x"]}, ["x"], samples=10)))
    page = Page(render(score_systems(meteor, {hostile: [hostile], "b": ["x"]}, [hostile], title=hostile, samples=10)))
    tags = {tag for tag, _ in page.elements}
    assert tags <= {tag for tag, _ in harmless_page.elements}
    assert [tag for tag, _, _ in page.contents] == ["style", "script", "script"]
    assert visible(hostile) in page.text


def test_page_overview_has_the_scores(report):
    text = re.sub(r"\s+", " ", Page(render(report)).text)
    for system in report.systems:
        assert f"{system.corpus.score:.4f}" in text
        for share in system.corpus.contributions():
            assert f"{share.score:.4f}" in text
    low, high = report.comparison.tests[0][0].interval
    assert f"95 % interval {low:.4f} to {high:.4f}" in render(report)
    test = report.comparison.between(0, 2)
    assert f"{test.difference:+.4f}".replace("-", "\N{MINUS SIGN}") in text
    assert report.signature in text


def test_page_summary_states_the_significance(meteor):
    references = [f"word{n} other{n} third{n} fourth" for n in range(40)]
    worse = [text.replace("third", "wrong") for text in references]
    text = Page(render(score_systems(meteor, {"w": worse, "r": references}, references))).text
    assert re.search(r"METEOR: B \(r\) is best \(1\.0000\), 0\.\d{4} above A \(w\)\.", text)
    assert "The difference is significant (p < 0.001)." in text
    text = Page(render(score_systems(meteor, {"w": worse, "r": worse}, references))).text
    assert "The difference is not significant (p = 1.000)." in text


def test_write_page_keeps_the_old_file_after_an_error(meteor, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    report = write_report(path, meteor, SYSTEMS, REFERENCES, samples=10)
    page = path.read_text(encoding="utf-8")
    assert page == render(report)
    assert page.startswith("<!doctype html>")
    monkeypatch.setattr("meteor_e_evaluation.reports.payload.LIMIT", 10)
    with pytest.raises(InputError):
        write_page(report, path)
    assert path.read_text(encoding="utf-8") == page
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("text", "visible_text"),
    [
        ("plain é ﷺ 🙂", "plain é ﷺ 🙂"),
        ("a\x00b\x1b\n\x7f", "a␀b␛␊␡"),
        ("\u202eabc\u202c", "[RLO]abc[PDF]"),
        ("\ud800", "\ufffd"),
        ("\x85\u2028", "[U+0085][U+2028]"),
    ],
)
def test_visible_replaces_invisible_characters(text, visible_text):
    assert visible(text) == visible_text

"""Tests of report pages in a browser."""

from __future__ import annotations

import time

import pytest
from meteor_e_evaluation.reports import write_report

from meteor_e import Meteor

pytestmark = pytest.mark.browser


def get_listed_segments(page):
    """Return the numbers of the visible segments, from top to bottom."""
    rows = page.locator(".sizer .list-row:not([hidden])").all()
    segments_by_position = {
        int(row.get_attribute("data-position")): int(row.get_attribute("data-segment")) for row in rows
    }
    return [segments_by_position[position] + 1 for position in sorted(segments_by_position)]


def get_selected_segment(page):
    """Return the number of the segment whose details are visible, after the next two frames."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return int(page.locator("#detail").get_attribute("data-segment")) + 1


def wait_until(page, condition):
    """Wait until a JavaScript expression is true in a page.

    Playwright's ``wait_for_function`` cannot be used, because it evaluates a string within the page. The page's content
    security policy forbids that. This function evaluates the expression repeatedly from outside.
    """
    end = time.monotonic() + 20
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"still not true: {condition}"
        page.wait_for_timeout(20)


def sort_by_number(page):
    """Sort the segments of a page by number in ascending order; return the page."""
    page.locator("#sort").select_option("number")
    return page


def test_browser_search_finds_segments(page_report, open_page):
    page = sort_by_number(open_page(page_report[0]))
    for words, segments in (("ZEBRA", [6]), ("vessel", [1]), ("the end the", [1, 3]), ("#5", [5]), ("people", [2, 3])):
        page.locator("#query").fill(words)
        # The list is updated with a delay.
        wait_until(page, f"document.querySelector('#status').innerText === '{len(segments)} of 6 segments'")
        wait_until(page, f"document.querySelector('.sizer .list-row[data-segment=\"{segments[0] - 1}\"]') !== null")
        assert get_listed_segments(page) == segments
        assert get_selected_segment(page) in segments


def test_browser_keyboard_selects_segments(page_report, open_page):
    page = sort_by_number(open_page(page_report[0]))
    page.locator("#list").focus()
    for key, segment in (("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2), ("End", 6), ("Home", 1)):
        page.keyboard.press(key)
        assert get_selected_segment(page) == segment
        active = page.locator("#list").get_attribute("aria-activedescendant")
        assert page.locator(f"#{active}").get_attribute("data-segment") == str(segment - 1)
    page.keyboard.press("j")
    assert get_selected_segment(page) == 2


@pytest.mark.parametrize("width", [390, 1400])
def test_browser_link_selects_a_segment(page_report, open_page, width):
    page = sort_by_number(open_page(page_report[0], width=width))
    page.locator(".list-row[data-segment='4']").click()
    get_selected_segment(page)
    assert page.evaluate("location.hash") == "#segment-5"
    page = open_page(page_report[0], width=width, fragment="#segment-3")
    assert get_selected_segment(page) == 3
    wait_until(page, "document.querySelector('.segment-heading').getBoundingClientRect().top < innerHeight / 2")


def test_browser_shows_ten_thousand_segments(own_packs, open_page, tmp_path):
    texts = [f"segment number {number} of many" for number in range(10_000)]
    write_report(tmp_path / "many.html", Meteor("en"), {"a": texts, "b": texts}, texts, samples=2)
    page = open_page(tmp_path / "many.html")
    sort_by_number(page)
    assert page.locator("#status").inner_text() == "10,000 segments"
    page.locator("#list").focus()
    page.keyboard.press("End")
    assert get_selected_segment(page) == 10_000
    assert get_listed_segments(page)[-1] == 10_000
    # The page contains elements only for the visible segments.
    assert page.locator(".sizer .list-row").count() < 60


def test_browser_lines_have_every_word_in_order(page_report, open_page):
    page = open_page(page_report[0], fragment="#segment-3")
    get_selected_segment(page)
    displayed_words = page.evaluate(
        """() => [...document.querySelectorAll(".aligned-lines")].map((lines) =>
            [":not(.reference)", ".reference"].map((row) =>
                [...lines.querySelectorAll(`.word-cell${row} .word`)].map((word) => word.textContent)))"""
    )
    alignments = [system.segments[2].alignment for system in page_report[1].systems]
    assert displayed_words == [[list(alignment.hypothesis), list(alignment.reference)] for alignment in alignments]


HOSTILE_TEXTS = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'> <svg onload=alert(1)>",
    "]]> <!-- --> <![CDATA[ </style> </title> </textarea>",
    "\u202egnp.exe\u202c \u2066isolate \u200fmark",
    "nul \x00 escape \x1b bell \x07",
    "javascript:alert(1) {{constructor}} ${1+1} %s &lt;b&gt;",
)


@pytest.fixture
def hostile_report(tmp_path):
    """Write a report on texts and system names with markup and control characters; return its path."""
    texts = list(HOSTILE_TEXTS)
    systems = {"<b>one</b>\u202e": texts, "</script>": texts[::-1]}
    meteor = Meteor("other", matchers=["exact"], normalization="none")
    write_report(tmp_path / "hostile.html", meteor, systems, texts, title="</title><script>", samples=2)
    return tmp_path / "hostile.html"


def test_browser_treats_segments_as_data(hostile_report, open_page):
    page = open_page(hostile_report)
    tags = page.evaluate("[...new Set([...document.body.querySelectorAll('*')].map((node) => node.localName))]")
    for number in range(1, len(HOSTILE_TEXTS) + 1):
        page.locator(f".list-row[data-segment='{number - 1}']").click()
        assert get_selected_segment(page) == number
        page.locator(".match-table summary").click()
        text = page.locator("#detail").inner_text()
        if number in (1, 2, 3, 8):
            assert HOSTILE_TEXTS[number - 1] in text
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.scripts.length") == 1
    assert not {"img", "b", "textarea", "iframe"} & set(tags)


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light")])
def test_browser_page_is_accessible(chromium, axe, page_report, scheme, width):
    # The checker adds a script to the page, which the page's content security policy forbids.
    context = chromium.new_context(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 1000})
    page = context.new_page()
    page.goto(page_report[0].as_uri() + "#segment-3")
    page.wait_for_selector("html[data-ready]")
    page.evaluate("document.querySelectorAll('details').forEach((node) => (node.open = true))")
    results = axe.run(page)
    assert results.violations_count == 0, results.generate_report()
    context.close()

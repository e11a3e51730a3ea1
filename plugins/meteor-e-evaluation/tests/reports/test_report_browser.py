from __future__ import annotations

import time

import pytest
from meteor_e_evaluation.reports import write_report

from meteor_e import Meteor

pytestmark = pytest.mark.browser


def listed(page):
    """Return the numbers of the segments in sight, from top to bottom."""
    rows = page.locator(".sizer .list-row:not([hidden])").all()
    places = sorted((int(row.get_attribute("data-place")), int(row.get_attribute("data-segment"))) for row in rows)
    return [segment + 1 for _, segment in places]


def shown(page):
    """Return the number of the segment that is shown in full."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return int(page.locator("#detail").get_attribute("data-segment")) + 1


def wait_until(page, condition):
    """Wait until an expression is true in a page.

    It is asked from here, again and again: the page's policy forbids that its own code evaluates a text, which is how
    Playwright's ``wait_for_function`` waits.
    """
    end = time.monotonic() + 20
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"still not true: {condition}"
        page.wait_for_timeout(20)


def by_number(page):
    """Sort a page's segments by number, from the first; return the page."""
    page.locator("#sort").select_option("number")
    return page


def test_browser_search(page_report, open_page):
    page = by_number(open_page(page_report[0]))
    for words, found in (("ZEBRA", [6]), ("vessel", [1]), ("the end the", [1, 3]), ("#5", [5]), ("people", [2, 3])):
        page.locator("#query").fill(words)
        # The list follows a moment after the last key.
        wait_until(page, f"document.querySelector('#status').innerText === '{len(found)} of 6 segments'")
        wait_until(page, f"document.querySelector('.sizer .list-row[data-segment=\"{found[0] - 1}\"]') !== null")
        assert listed(page) == found
        assert shown(page) in found


def test_browser_keyboard(page_report, open_page):
    page = by_number(open_page(page_report[0]))
    page.locator("#list").focus()
    for key, segment in (("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2), ("End", 6), ("Home", 1)):
        page.keyboard.press(key)
        assert shown(page) == segment
        active = page.locator("#list").get_attribute("aria-activedescendant")
        assert page.locator(f"#{active}").get_attribute("data-segment") == str(segment - 1)
    page.keyboard.press("j")
    assert shown(page) == 2


@pytest.mark.parametrize("width", [390, 1400])
def test_browser_link_to_a_segment(page_report, open_page, width):
    page = by_number(open_page(page_report[0], width=width))
    page.locator(".list-row[data-segment='4']").click()
    shown(page)
    assert page.evaluate("location.hash") == "#segment-5"
    page = open_page(page_report[0], width=width, fragment="#segment-3")
    assert shown(page) == 3
    wait_until(page, "document.querySelector('.segment-heading').getBoundingClientRect().top < innerHeight / 2")


def test_browser_shows_ten_thousand_segments(own_packs, open_page, tmp_path):
    texts = [f"segment number {number} of many" for number in range(10_000)]
    write_report(tmp_path / "many.html", Meteor("en"), {"a": texts, "b": texts}, texts, samples=2)
    page = open_page(tmp_path / "many.html")
    by_number(page)
    assert page.locator("#status").inner_text() == "10,000 segments"
    page.locator("#list").focus()
    page.keyboard.press("End")
    assert shown(page) == 10_000
    assert listed(page)[-1] == 10_000
    # However many segments there are, only those in sight are in the page.
    assert page.locator(".sizer .list-row").count() < 60


def test_browser_lines_have_every_word_in_order(page_report, open_page):
    page = open_page(page_report[0], fragment="#segment-3")
    shown(page)
    lanes = page.evaluate(
        """() => [...document.querySelectorAll(".lines")].map((lines) =>
            [":not(.reference)", ".reference"].map((row) =>
                [...lines.querySelectorAll(`.place${row} .word`)].map((word) => word.textContent)))"""
    )
    alignments = [system.segments[2].alignment for system in page_report[1].systems]
    assert lanes == [[list(one.hypothesis), list(one.reference)] for one in alignments]


HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'> <svg onload=alert(1)>",
    "]]> <!-- --> <![CDATA[ </style> </title> </textarea>",
    "\u202egnp.exe\u202c \u2066isolate \u200fmark",
    "nul \x00 escape \x1b bell \x07",
    "javascript:alert(1) {{constructor}} ${1+1} %s &lt;b&gt;",
)


@pytest.fixture
def hostile(tmp_path):
    texts = list(HOSTILE)
    systems = {"<b>one</b>\u202e": texts, "</script>": texts[::-1]}
    meteor = Meteor("other", matchers=["exact"], normalization="none")
    write_report(tmp_path / "hostile.html", meteor, systems, texts, title="</title><script>", samples=2)
    return tmp_path / "hostile.html"


def test_browser_treats_segments_as_data(hostile, open_page):
    page = open_page(hostile)
    tags = page.evaluate("[...new Set([...document.body.querySelectorAll('*')].map((node) => node.localName))]")
    for number in range(1, len(HOSTILE) + 1):
        page.locator(f".list-row[data-segment='{number - 1}']").click()
        assert shown(page) == number
        page.locator(".matches summary").click()
        text = page.locator("#detail").inner_text()
        if number in (1, 2, 3, 8):
            assert HOSTILE[number - 1] in text
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.scripts.length") == 1
    assert not {"img", "b", "textarea", "iframe"} & set(tags)


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light")])
def test_browser_page_is_accessible(chromium, axe, page_report, scheme, width):
    # The checker is a script of its own, which the page's policy would not let in.
    context = chromium.new_context(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 1000})
    page = context.new_page()
    page.goto(page_report[0].as_uri() + "#segment-3")
    page.wait_for_selector("html[data-ready]")
    page.evaluate("document.querySelectorAll('details').forEach((node) => (node.open = true))")
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()
    context.close()

from __future__ import annotations

import io
import re

import pytest
from meteor_e_evaluation.reports import write_report
from meteor_e_evaluation.reports.styles import matcher_style
from report_systems import PAGE_REFERENCES, PAGE_SYSTEMS, Saying

from meteor_e import Meteor
from meteor_e.scoring.alignment import chunk_numbers

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


def by_number(page):
    """Sort a page's segments by number, from the first; return the page."""
    page.locator("#sort").select_option("number")
    return page


def by_score(report, system, reverse=False):
    scores = [segment.score for segment in report.systems[system].segments]
    return [at + 1 for at in sorted(range(len(scores)), key=lambda at: (-scores[at] if reverse else scores[at], at))]


class TestList:
    def test_all_segments_are_there(self, page_report, open_page):
        page = by_number(open_page(page_report[0]))
        assert page.locator("#status").inner_text() == "6 segments"
        assert listed(page) == [1, 2, 3, 4, 5, 6]
        assert shown(page) == 1

    def test_what_differs_most_comes_first(self, page_report, open_page):
        page = open_page(page_report[0])
        one, two = ([s.score for s in system.segments] for system in page_report[1].systems)
        assert listed(page) == [at + 1 for at in sorted(range(6), key=lambda at: (-abs(one[at] - two[at]), at))]
        assert page.locator("#sort").input_value() == "distance"
        assert page.locator("#order").input_value() == "-1"

    def test_search(self, page_report, open_page):
        page = by_number(open_page(page_report[0]))
        for words, found in (("ZEBRA", [6]), ("vessel", [1]), ("the end the", [1, 3]), ("#5", [5]), ("people", [2, 3])):
            page.locator("#query").fill(words)
            # The list follows a moment after the last key.
            page.wait_for_timeout(250)
            assert listed(page) == found
            assert page.locator("#list").get_attribute("aria-rowcount") == str(len(found) + 1)
            assert page.locator("#status").inner_text() == f"{len(found)} of 6 segments"
            assert shown(page) in found
        page.locator("#query").fill("no such words")
        page.wait_for_timeout(250)
        assert listed(page) == []
        assert page.locator("#detail").inner_text() == "No segment is chosen."

    def test_sort_by_the_heads(self, page_report, open_page):
        page = by_number(open_page(page_report[0]))
        head = page.locator("#list").get_by_role("columnheader")
        head.nth(2).get_by_role("button").click()
        assert listed(page) == by_score(page_report[1], 0)
        assert head.nth(2).get_attribute("aria-sort") == "ascending"
        assert shown(page) == by_score(page_report[1], 0)[0]
        head.nth(2).get_by_role("button").click()
        assert listed(page) == by_score(page_report[1], 0, reverse=True)
        assert head.nth(2).get_attribute("aria-sort") == "descending"
        one, two = ([s.score for s in system.segments] for system in page_report[1].systems)
        head.nth(4).get_by_role("button").click()
        assert listed(page) == [at + 1 for at in sorted(range(6), key=lambda at: (one[at] - two[at], at))]

    @pytest.mark.parametrize("name", ["length", "distance", "matcher-3", "penalty"])
    def test_sort_by_choice(self, page_report, open_page, name):
        page = by_number(open_page(page_report[0]))
        page.locator("#sort").select_option("number")
        page.locator("#sort").select_option(name)
        page.locator("#order").select_option("-1")
        one, two = (system.segments for system in page_report[1].systems)
        value = {
            "length": lambda at: page_report[1].lengths[at],
            "distance": lambda at: round(abs(one[at].score - two[at].score), 6),
            "matcher-3": lambda at: round(one[at].contributions()[3].score, 6),
            "penalty": lambda at: round(one[at].fragmentation_penalty, 6),
        }[name]
        assert listed(page) == [at + 1 for at in sorted(range(6), key=lambda at: (-value(at), at))]

    def test_filters(self, page_report, open_page):
        page = by_number(open_page(page_report[0]))
        page.locator("#lengths").select_option("11-25")
        assert listed(page) == [at + 1 for at in range(6) if 11 <= page_report[1].lengths[at] <= 25] == [3, 4]
        page.locator("#lengths").select_option("0-")
        page.locator("#matched").select_option("3")
        paraphrased = [
            number
            for number, segment in enumerate(page_report[1].systems[0].segments, 1)
            if any(match.matcher == 3 for match in segment.alignment.matches)
        ]
        assert listed(page) == paraphrased
        assert 0 < len(paraphrased) < 6

    def test_scores_of_the_rows(self, page_report, open_page):
        page = by_number(open_page(page_report[0]))
        for number in range(6):
            cells = page.locator(f".list-row[data-segment='{number}']").locator("[role=gridcell]").all_inner_texts()
            one, two = (system.segments[number].score for system in page_report[1].systems)
            assert cells[:4] == [str(number + 1), str(page_report[1].lengths[number]), f"{one:.3f}", f"{two:.3f}"]
            assert cells[4].replace("\N{MINUS SIGN}", "-") in (f"{two - one:+.3f}", "0.000")

    def test_the_keyboard(self, page_report, open_page):
        page = by_number(open_page(page_report[0]))
        page.locator("#list").focus()
        for key, segment in (("ArrowDown", 2), ("ArrowDown", 3), ("ArrowUp", 2), ("End", 6), ("Home", 1)):
            page.keyboard.press(key)
            assert shown(page) == segment
            active = page.locator("#list").get_attribute("aria-activedescendant")
            assert page.locator(f"#{active}").get_attribute("data-segment") == str(segment - 1)
            assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "detail"
        page.keyboard.press("j")
        assert shown(page) == 2
        page.keyboard.press("k")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.id") == "list"
        page.keyboard.press("/")
        page.keyboard.type("jk")
        assert page.locator("#query").input_value() == "jk"

    def test_a_link_to_a_segment(self, page_report, open_page):
        page = by_number(open_page(page_report[0]))
        page.locator(".list-row[data-segment='4']").click()
        shown(page)
        assert page.evaluate("location.hash") == "#segment-5"
        assert shown(open_page(page_report[0], fragment="#segment-3")) == 3

    def test_ten_thousand_segments(self, own_packs, open_page, tmp_path):
        texts = [f"segment number {number} of many" for number in range(10_000)]
        write_report(tmp_path / "many.html", Meteor("en"), {"a": texts, "b": texts}, texts, samples=2)
        page = open_page(tmp_path / "many.html")
        by_number(page)
        assert page.locator("#status").inner_text() == "10,000 segments"
        page.locator("#list").focus()
        page.keyboard.press("End")
        assert shown(page) == 10_000
        assert listed(page)[-1] == 10_000
        page.locator(".scroller").evaluate("(node) => (node.scrollTop = node.scrollHeight / 2)")
        page.wait_for_function("() => document.querySelector('.list-row[data-place=\"5000\"]:not([hidden])')")
        middle = listed(page)
        assert middle == list(range(middle[0], middle[0] + len(middle)))
        # However many segments there are, only those in sight are in the page.
        assert page.locator(".sizer .list-row").count() < 60


class TestSegment:
    @pytest.mark.parametrize("number", range(1, 7))
    def test_the_table_of_matches_is_the_alignment(self, page_report, open_page, number):
        page = open_page(page_report[0], fragment=f"#segment-{number}")
        assert shown(page) == number
        page.locator(".matches summary").click()
        rows = [row.locator("td").all_inner_texts() for row in page.locator(".matches tbody tr").all()]
        expected = []
        for system, name in zip(page_report[1].systems, "AB", strict=True):
            alignment = system.segments[number - 1].alignment
            chunks = chunk_numbers(alignment.matches)
            for (hypothesis, reference, matcher), chunk in zip(alignment.pairs(), chunks, strict=True):
                expected.append([name, matcher, hypothesis, reference, str(chunk)])
        found = [[row[0][:1], row[1].strip(), *row[2:]] for row in rows]
        assert found == expected

    def test_the_lines_hold_every_word_in_order(self, page_report, open_page):
        page = open_page(page_report[0], fragment="#segment-3")
        shown(page)
        lanes = page.evaluate(
            """() => [...document.querySelectorAll(".lines")].map((lines) =>
                [":not(.reference)", ".reference"].map((row) =>
                    [...lines.querySelectorAll(`.place${row} .word`)].map((word) => word.textContent)))"""
        )
        alignments = [system.segments[2].alignment for system in page_report[1].systems]
        assert lanes == [[list(one.hypothesis), list(one.reference)] for one in alignments]

    @pytest.mark.parametrize("width", [360, 1400])
    def test_no_chunk_is_cut_apart(self, page_report, open_page, width):
        """A chunk is one box, or one on each side; it holds its words, and nothing of it is outside."""
        for number, segment in enumerate(page_report[1].systems[0].segments, 1):
            page = open_page(page_report[0], fragment=f"#segment-{number}", width=width)
            shown(page)
            boxes = page.evaluate(
                """() => [...document.querySelector(".lines").querySelectorAll(".unit.chunk")].map((box) => {
                    const outer = box.getBoundingClientRect();
                    const words = [...box.querySelectorAll(".word")];
                    const inside = words.map((word) => word.getBoundingClientRect()).every((own) =>
                        own.left >= outer.left - 1 && own.right <= outer.right + 1 && own.bottom <= outer.bottom + 1);
                    const number = parseInt(box.querySelector(".number").textContent);
                    return [number, box.className, words.map((word) => word.textContent), inside];
                })"""
            )
            alignment = segment.alignment
            chunks = chunk_numbers(alignment.matches)
            for chunk in set(chunks):
                held = [pair for pair, at in zip(alignment.pairs(), chunks, strict=True) if at == chunk]
                own = [box for box in boxes if box[0] == chunk]
                words = sorted(word for pair in held for side in pair[:2] for word in side.split())
                assert sorted(word for box in own for word in box[2]) == words
                assert len(own) == (2 if "moved" in own[0][1] else 1)
                assert all(box[3] for box in own)
            assert len({box[0] for box in boxes}) == alignment.chunks

    def test_words_that_match_are_coloured_by_matcher(self, page_report, open_page):
        page = open_page(page_report[0], fragment="#segment-1")
        shown(page)
        found = page.evaluate(
            """() => [...document.querySelector(".lines").querySelectorAll(".place:not(.reference) .word")]
                .map((word) => [word.textContent, word.title, word.classList.contains("functional"),
                 getComputedStyle(word).getPropertyValue("--c").trim()])"""
        )
        alignment = page_report[1].systems[0].segments[0].alignment
        chunks = chunk_numbers(alignment.matches)
        for position, (word, title, functional, colour) in enumerate(found):
            assert word == alignment.hypothesis[position]
            assert functional == (word in page_report[1].function_words)
            for match, chunk in zip(alignment.matches, chunks, strict=True):
                if 0 <= position - match.hypothesis_start < match.hypothesis_length:
                    assert title == f"{alignment.matchers[match.matcher]}, chunk {chunk}"
                    assert colour == matcher_style(match.matcher).light
                    break
            else:
                assert title == "no match"
                assert colour == ""
        assert any(functional for _, _, functional, _ in found)

    def test_one_system_alone(self, page_report, open_page):
        page = open_page(page_report[0])
        page.locator("#second").select_option("-1")
        assert page.locator(".lines").count() == 1
        assert page.locator(".segment-scores").first.locator("tbody tr td").count() == 1
        assert page.get_by_role("columnheader").filter(has_text="diff.").count() == 0

    def test_the_systems_exchanged(self, page_report, open_page):
        page = open_page(page_report[0], fragment="#segment-5")
        page.locator("#second").select_option("-1")
        page.locator("#first").select_option("1")
        page.locator("#second").select_option("0")
        assert shown(page) == 5
        one, two = (system.segments[4].score for system in page_report[1].systems)
        scores = page.locator(".segment-scores").first.locator("tbody tr").first.locator("td").all_inner_texts()
        assert scores[:2] == [f"{two:.4f}", f"{one:.4f}"]

    def test_words_that_belong_together_light_up(self, page_report, open_page):
        page = open_page(page_report[0], fragment="#segment-5")
        shown(page)
        page.locator(".lines").first.locator(".place:not(.reference) .word", has_text="z").hover()
        assert page.locator(".word.hot").all_inner_texts() == ["z", "z"]
        # A word of the reference lights up in both lanes.
        page.locator(".lines").first.locator(".place.reference .word", has_text="z").hover()
        assert page.locator(".word.hot").all_inner_texts() == ["z", "z", "z"]
        assert page.locator(".lines").nth(1).locator(".reference .word.hot").count() == 1

    def test_references_that_differ(self, own_packs, open_page, tmp_path):
        references = [["a b c", "d e f"]]
        write_report(tmp_path / "r.html", Meteor("en"), {"one": ["a b"], "two": ["d e"]}, references, samples=2)
        page = open_page(tmp_path / "r.html")
        assert page.locator(".lines").count() == 2
        assert page.locator(".matrix").count() == 2
        assert "best of 2 references: 1 and 2" in page.locator(".segment-heading").inner_text()


class TestScreenshots:
    """Pixels of screenshots against what is described."""

    @staticmethod
    def pixels(locator):
        pillow = pytest.importorskip("PIL.Image")
        return pillow.open(io.BytesIO(locator.screenshot())).convert("RGB")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_the_matrix_has_the_matchers_colour_where_words_match(self, page_report, open_page, scheme):
        page = open_page(page_report[0], fragment="#segment-3", color_scheme=scheme, height=1800)
        page.locator("#second").select_option("-1")
        shown(page)
        page.mouse.move(0, 0)
        matrix = page.locator(".matrix .cells")
        left, top, width = map(float, matrix.get_attribute("viewBox").split()[:3])
        assert (left, top) == (0, 0)
        picture = self.pixels(matrix)
        scale = picture.width / width
        alignment = page_report[1].systems[0].segments[2].alignment
        matched = {
            (match.reference_start + i, match.hypothesis_start + j): match.matcher
            for match in alignment.matches
            for i in range(match.reference_length)
            for j in range(match.hypothesis_length)
        }
        assert len(matched) > 4
        card = (0xFF, 0xFF, 0xFF) if scheme == "light" else (0x1D, 0x1F, 0x25)
        for i in range(len(alignment.reference)):
            for j in range(len(alignment.hypothesis)):
                at = int((i * 22 + 11 - left) * scale), int((j * 22 + 11 - top) * scale)
                colour = card
                if (i, j) in matched:
                    style = matcher_style(matched[i, j])
                    colour = tuple(bytes.fromhex((style.light if scheme == "light" else style.dark)[1:]))
                found = picture.getpixel(at)
                assert max(abs(a - b) for a, b in zip(found, colour, strict=True)) <= 24, (i, j, found, colour)

    def test_two_systems_have_two_lanes(self, page_report, open_page):
        page = open_page(page_report[0], fragment="#segment-3", height=1800)
        shown(page)
        one, two = (system.segments[2].alignment for system in page_report[1].systems)
        words = page.locator(".matrix [data-row] .label").all_text_contents()
        # Both hypotheses can be read off the rows, in order.
        for alignment in (one, two):
            rest = iter(words)
            assert all(any(word in row for row in rest) for word in alignment.hypothesis)
        assert len(words) < len(one.hypothesis) + len(two.hypothesis)
        assert page.locator(".matrix .track.second").count() == two.chunks
        assert page.locator(".matrix .track:not(.second)").count() == one.chunks

    def test_light_and_dark(self, page_report, open_page):
        def brightness(page):
            picture = self.pixels(page.locator("#overview")).convert("L").resize((1, 1))
            return picture.getpixel((0, 0))

        assert brightness(open_page(page_report[0], color_scheme="light")) > 200
        page = open_page(page_report[0], color_scheme="dark")
        assert brightness(page) < 70
        page.locator("#theme").click()
        assert page.locator("#theme").inner_text() == "Theme: light"
        assert brightness(page) > 200
        page.locator("#theme").click()
        assert brightness(page) < 70

    @pytest.mark.parametrize("width", [360, 768, 1400, 2200])
    def test_nothing_is_wider_than_the_window(self, page_report, open_page, width):
        page = open_page(page_report[0], width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    def test_three_systems_on_a_telephone(self, own_packs, open_page, tmp_path):
        """Tables scroll in themselves, also where they hide something for screen readers; all parts can be reached."""
        texts = ["a b c d", "e f g h"] * 30
        systems = {"one": texts, "two": [text[2:] for text in texts], "a third one": [text[4:] for text in texts]}
        write_report(tmp_path / "r.html", Meteor("en"), systems, texts, samples=100)
        page = open_page(tmp_path / "r.html", width=400)
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        last = page.locator("nav a").last.bounding_box()
        assert last["x"] + last["width"] <= 400

    def test_the_controls_are_one_row(self, page_report, open_page):
        page = open_page(page_report[0], width=1280)
        tops = [label.bounding_box()["y"] for label in page.locator("#controls label:visible").all()]
        assert max(tops) - min(tops) < 2

    def test_a_system_is_brought_forward(self, page_report, open_page):
        page = open_page(page_report[0])
        key = page.locator(".key").nth(1)
        key.click()
        assert key.get_attribute("aria-pressed") == "true"
        assert page.locator(".distribution g.back[data-system='0']").count() > 0
        assert page.locator(".distribution g.back[data-system='1']").count() == 0
        key.click()
        assert page.locator(".distribution g.back").count() == 0


class TestHostileSegments:
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
    def hostile(self, tmp_path):
        texts = list(self.HOSTILE)
        systems = {"<b>one</b>\u202e": texts, "</script>": texts[::-1]}
        meteor = Meteor("other", matchers=["exact"], normalization="none")
        write_report(tmp_path / "hostile.html", meteor, systems, texts, title="</title><script>", samples=2)
        return tmp_path / "hostile.html"

    def test_segments_stay_data(self, hostile, open_page):
        page = open_page(hostile)
        tags = page.evaluate("[...new Set([...document.body.querySelectorAll('*')].map((node) => node.localName))]")
        for number in range(1, len(self.HOSTILE) + 1):
            page.locator(f".list-row[data-segment='{number - 1}']").click()
            assert shown(page) == number
            page.locator(".matches summary").click()
            text = page.locator("#detail").inner_text()
            if number in (1, 2, 3, 8):
                assert self.HOSTILE[number - 1] in text
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.scripts.length") == 1
        assert not {"img", "b", "textarea", "iframe"} & set(tags)

    def test_what_cannot_be_seen_is_shown(self, hostile, open_page):
        page = open_page(hostile)
        for number, words in ((5, ["[RLO]gnp.exe[PDF]", "[LRI]isolate", "[RLM]mark"]), (6, ["nul ␀", "␛", "␇"])):
            page.locator(f".list-row[data-segment='{number - 1}']").click()
            shown(page)
            text = page.locator(".texts").inner_text()
            for word in words:
                assert word in text
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b]", page.locator("#segments").inner_text())

    def test_a_script_that_gets_in_does_not_run(self, chromium, hostile):
        page = chromium.new_page()
        refused = []
        page.on("console", lambda message: refused.append(message.text))
        page.goto(hostile.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.hacked = 1";
                document.body.append(script);
                document.body.insertAdjacentHTML("beforeend", "<img src='https://example.org/x.png'>");
            }"""
        )
        page.wait_for_timeout(200)
        assert page.evaluate("window.hacked") is None
        assert any("Content Security Policy" in text for text in refused)
        page.close()

    def test_a_segment_of_a_megabyte(self, open_page, tmp_path):
        long = " ".join(f"w{number}" for number in range(150_000))
        meteor = Meteor("other", matchers=["exact"], normalization="none")
        write_report(tmp_path / "long.html", meteor, {"a": [long, "x" * 1_000_000]}, [long, "x" * 1_000_000], samples=2)
        page = open_page(tmp_path / "long.html")
        assert page.locator(".column").count() == 400
        assert "has up to 150,000" in page.locator("#detail").inner_text()
        assert page.locator("#detail").inner_text().count("\n") < 3000
        page.locator(".list-row[data-segment='1']").click()
        assert shown(page) == 2
        button = page.get_by_role("button", name="Show all 1,000,000 characters").first
        button.click()
        assert page.locator(".texts dd").first.inner_text().strip() == "x" * 1_000_000

    def test_right_to_left(self, open_page, tmp_path):
        reference = "ذهب الولد إلى المدرسة في الصباح"
        meteor = Meteor("other", matchers=["exact"])
        write_report(tmp_path / "r.html", meteor, {"a": ["الولد ذهب إلى المدرسة"]}, [reference], samples=2)
        page = open_page(tmp_path / "r.html")
        assert page.locator(".lines").get_attribute("dir") == "rtl"
        boxes = [word.bounding_box()["x"] for word in page.locator(".place.reference .word").all()]
        assert boxes == sorted(boxes, reverse=True)
        # The first word of the reference heads the last column of the matrix.
        labels = page.locator(".matrix [data-column]").all()
        places = [float(re.search(r"translate\(([\d.]+)", node.get_attribute("transform")).group(1)) for node in labels]
        assert places == sorted(places, reverse=True)
        assert page.evaluate("getComputedStyle(document.querySelector('.sizer .excerpt')).direction") == "rtl"


class TestAccessibility:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("width", [400, 1280])
    def test_axe_finds_nothing(self, chromium, axe, page_report, scheme, width):
        # The checker is a script of its own, which the page's policy would not let in.
        context = chromium.new_context(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 1000})
        page = context.new_page()
        page.goto(page_report[0].as_uri() + "#segment-3")
        page.wait_for_selector("html[data-ready]")
        page.evaluate("document.querySelectorAll('details').forEach((node) => (node.open = true))")
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()
        context.close()

    def test_what_a_metric_says_is_text(self, chromium, axe, own_packs, tmp_path):
        path = tmp_path / "report.html"
        write_report(path, Meteor("en"), PAGE_SYSTEMS, PAGE_REFERENCES, metrics=[Saying(), None], method=None)
        context = chromium.new_context(bypass_csp=True)
        page = context.new_page()
        page.goto(path.as_uri() + "#segment-2")
        page.wait_for_selector("html[data-ready]")
        said = page.get_by_role("heading", name="What saying found").locator("+ .why").inner_text()
        assert "nothing is <b>right</b>" in said
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()
        context.close()

    def test_roles_and_labels(self, page_report, open_page):
        page = open_page(page_report[0])
        grid = page.get_by_role("grid", name="Segments")
        assert grid.get_attribute("aria-rowcount") == "7"
        for label in ("Search", "System", "Compare with", "Sort by", "Order", "Length", "Matched by"):
            assert page.get_by_label(label).first.is_visible()
        assert page.get_by_role("img", name="Alignment matrix of system one and system two").count() == 1
        assert page.get_by_role("status").inner_text() == "6 segments"
        by_number(page)
        spoken = page.locator(".lane-of .hidden").first.text_content()
        assert "Hypothesis of system one: in the end the big ship left" in spoken
        assert "Reference: at last the vessel leaves" in spoken

    def test_without_javascript(self, page_report, chromium):
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(page_report[0].as_uri())
        assert f"{page_report[1].systems[0].corpus.score:.4f}" in page.locator("#overview").inner_text()
        assert page.locator(".distribution").count() > 0
        assert "needs JavaScript" in page.locator("noscript").inner_text()
        context.close()

"""Reports in a real browser: Chromium, driven by Playwright. Run by ``tox -e tests -- -m browser``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from meteor_e import Meteor
from meteor_e.report import write_report


@pytest.fixture
def open_page(chromium) -> Iterator:
    """Open a report; at the end of the test, nothing has gone wrong in it, and nothing was loaded but the file."""
    contexts, problems = [], []

    def open_page(path: Path, *, width=1400, height=1000, fragment="", **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, locale="en-GB", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}") or dialog.dismiss())
        page.on("request", lambda request: request.url.startswith("file:") or problems.append(request.url))
        page.goto(path.as_uri() + fragment)
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


REFERENCES = [
    "at last the vessel leaves",
    "a lot of people hurry",
    "in the end the ship of the people left the town",
    "one two three four five six seven eight nine ten eleven twelve",
    "x y z",
    "nothing here is alike",
]
SYSTEMS = {
    "system one": [
        "in the end the big ship left",
        "many people run",
        "the town the people left in the end",
        "one two three four five six seven eight nine ten eleven twelve",
        "z x y",
        "Zebra",
    ],
    "system two": [
        "at last a vessel left",
        "",
        "in the end the ship left the town",
        "twelve eleven ten nine",
        "x y z",
        "nothing there",
    ],
}


@pytest.fixture(scope="session")
def report(_own_packs, tmp_path_factory):
    """A report on two systems: its path, and what it shows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METEOR_E_PACKS", str(_own_packs))
        path = tmp_path_factory.mktemp("report") / "report.html"
        return path, write_report(path, Meteor("en"), SYSTEMS, REFERENCES, samples=100)

"""Fixtures of the report tests: reports, and a browser that opens them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import *  # noqa: F403
from fixtures import report_missing_data
from meteor_e_evaluation.reports import score_systems, write_report
from report_systems import PAGE_REFERENCES, PAGE_SYSTEMS, REFERENCES, SYSTEMS

from meteor_e import Meteor


@pytest.fixture
def meteor(own_packs):
    """Return English METEOR."""
    return Meteor("en")


@pytest.fixture
def report(meteor):
    """Return a report on three systems."""
    return score_systems(meteor, SYSTEMS, REFERENCES, title="A <b>title</b>", samples=100)


@pytest.fixture(scope="session")
def page_report(_own_packs, tmp_path_factory):
    """Write a report on two systems for the browser; return its path and its data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METEOR_E_PACKS", str(_own_packs))
        path = tmp_path_factory.mktemp("report") / "report.html"
        return path, write_report(path, Meteor("en"), PAGE_SYSTEMS, PAGE_REFERENCES, samples=100)


@pytest.fixture(scope="session")
def chromium():
    """Start Chromium under Playwright: the program in METEOR_E_CHROMIUM, or the first Chromium on the PATH."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        report_missing_data("playwright is not installed (tox -e plugins has it)")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("METEOR_E_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        report_missing_data(
            "no Chromium on the PATH; install it (Debian: apt-get install chromium), or set METEOR_E_CHROMIUM"
        )
    with sync_playwright() as playwright:
        # Chromium's sandbox does not work for root, the user of CI containers. The pages are trusted.
        arguments = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def axe():
    """Return the accessibility checker axe-core."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ModuleNotFoundError:
        report_missing_data("axe-playwright-python is not installed (tox -e plugins has it)")
    return Axe()


@pytest.fixture
def open_page(chromium) -> Iterator:
    """Return a function that opens a report.

    At the end of the test, check that the page reported no errors and loaded no other file.
    """
    contexts, problems = [], []

    def open_page(path: Path, *, width=1400, height=1000, fragment="", allowed="file:", **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, locale="en-GB", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}") or dialog.dismiss())
        page.on("request", lambda request: request.url.startswith(("file:", allowed)) or problems.append(request.url))
        page.goto(path.as_uri() + fragment)
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []

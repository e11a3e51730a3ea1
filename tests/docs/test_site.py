"""Test the home page of the documentation site in Chromium. ``tox -e docs`` builds the site and runs this test."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from fixtures import REPOSITORY, report_missing_data

PAGE = REPOSITORY / ".tox/site/index.html"


@pytest.mark.skipif(not PAGE.exists(), reason="the site is not built (tox -e docs builds it)")
def test_home_page_shows_its_cards():
    browser = os.environ.get("METEOR_E_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        report_missing_data(
            "no Chromium on the PATH; install it (Debian: apt-get install chromium), or set METEOR_E_CHROMIUM"
        )
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", PAGE.as_uri()]
    html = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    # Without the extension md_in_html, the cards would be raw Markdown and not contain any links.
    cards = html.partition('<div class="grid cards">')[2].partition("</div>")[0]
    links = re.findall(r'<a href="([^"]+)">', cards)
    assert len(links) == 5, links
    assert all((PAGE.parent / link).is_file() for link in links), links

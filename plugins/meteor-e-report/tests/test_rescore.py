"""An edited hypothesis is scored again, by a real server."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from meteor_e_report import score_systems, write_page
from report_systems import PAGE_REFERENCES, PAGE_SYSTEMS

from meteor_e.api import ConfigError


@pytest.fixture
def server(own_packs):
    """Return what starts a server, with options, and returns its address."""
    pytest.importorskip("meteor_e_server")
    started = []

    def server(*options):
        command = (sys.executable, "-m", "meteor_e", "serve", "--port", "0", "--cors-origin", "null", *options)
        environment = {**os.environ, "METEOR_E_PACKS": str(own_packs)}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        started.append(process)
        return process.stdout.readline().split()[-1]

    yield server
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.browser
def test_an_edited_hypothesis(server, meteor, open_page, axe, tmp_path):
    report = score_systems(meteor, PAGE_SYSTEMS, PAGE_REFERENCES, samples=100)
    address = server("-l", "en")
    write_page(report, tmp_path / "r.html", server=address)
    page = open_page(tmp_path / "r.html", fragment="#segment-1", allowed=address)
    page.locator(".rescore summary").click()
    assert f"sent to {address}" in page.locator(".rescore").inner_text()
    page.locator(".rescore textarea").fill("The vessel <b>sails</b>.")
    page.get_by_role("button", name="Score", exact=True).click()
    page.wait_for_function("() => document.querySelector('.rescore [role=status]').textContent.length > 1")
    assert page.locator(".rescore .lines .matched").count()
    expected = meteor.score("The vessel <b>sails</b>.", PAGE_REFERENCES[0])
    said = page.locator(".rescore [role=status]").inner_text()
    assert said.startswith(f"METEOR {expected.score:.4f}: precision {expected.precision:.4f}, ")
    assert f"{len(expected.alignment.matches)} match" in said
    found = axe.run(page, context=".rescore").response
    assert [each["id"] for each in found["violations"]] == []


@pytest.mark.browser
def test_a_server_with_another_meteor(server, meteor, open_page, tmp_path):
    report = score_systems(meteor, PAGE_SYSTEMS, PAGE_REFERENCES, samples=100)
    address = server("-l", "en", "-x", "7")
    write_page(report, tmp_path / "r.html", server=address)
    page = open_page(tmp_path / "r.html", fragment="#segment-1", allowed=address)
    page.locator(".rescore summary").click()
    page.get_by_role("button", name="Score", exact=True).click()
    page.get_by_text("Not scored: the server has another METEOR").wait_for()
    assert page.locator(".rescore .lanes > *").count() == 0


def test_the_page_may_call_the_server_only(report, tmp_path):
    write_page(report, tmp_path / "r.html")
    assert "connect-src" not in (tmp_path / "r.html").read_text(encoding="utf-8")
    write_page(report, tmp_path / "r.html", server="http://127.0.0.1:8765")
    assert "; connect-src http://127.0.0.1:8765; base-uri 'none'" in (tmp_path / "r.html").read_text(encoding="utf-8")
    for wrong in ("127.0.0.1:8765", "http://a; script-src *", "http://a/b", "ftp://a", "http://a'"):
        with pytest.raises(ConfigError, match="it has the form"):
            write_page(report, tmp_path / "x.html", server=wrong)
    assert not (tmp_path / "x.html").exists()

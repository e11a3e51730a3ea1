"""Make the picture of docs/report.md: a report on the example systems, in Chromium.

    python benchmarks/data/report_picture.py docs/report.png

It wants the English resource pack, playwright, pillow, and Chromium (METEOR_E_CHROMIUM, or on the PATH).
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
SEGMENT = 3


def main(target: Path) -> None:
    """Draw it: the light page's overview over a segment of the dark one."""
    from meteor_e_report import write_report
    from PIL import Image
    from playwright.sync_api import sync_playwright

    from meteor_e import Meteor

    texts = {file.name[:-7]: file.read_text(encoding="utf-8").splitlines() for file in EXAMPLES.glob("*.en.txt")}
    references = texts.pop("reference")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        systems = dict(sorted(texts.items()))
        write_report(page, Meteor("en"), systems, references, title="Twelve sentences", method="randomization")
        path = os.environ.get("METEOR_E_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        shots = []
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=path, args=["--no-sandbox"] if os.getuid() == 0 else []
            )
            for scheme, fragment in (("light", ""), ("dark", f"#segment-{SEGMENT}")):
                tab = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
                tab.goto(page.as_uri() + fragment)
                tab.wait_for_selector("html[data-ready]")
                tab.evaluate("() => new Promise((done) => setTimeout(done, 300))")
                if fragment:
                    tab.evaluate("document.querySelector('#segments').scrollIntoView({ behavior: 'instant' })")
                shots.append(Image.open(io.BytesIO(tab.screenshot())).convert("RGB"))
            browser.close()
    picture = Image.new("RGB", (max(shot.width for shot in shots), sum(shot.height for shot in shots)))
    top = 0
    for shot in shots:
        picture.paste(shot, (0, top))
        top += shot.height
    # Fewer colors make a smaller file; this method keeps rare ones, such as those of the matchers.
    picture.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Create the screenshots of docs/report.md in wide and narrow, light and dark versions.

    python benchmarks/data/report_pictures.py docs/images

The script runs the command that docs/report.md shows, and opens the report in Chromium. METEOR_E_CHROMIUM is the path
of Chromium. By default, Chromium must be on the PATH. The script needs the English resource pack, sacreBLEU, playwright
and pillow.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COMMAND = (
    "meteor-e report examples/system-a.en.txt examples/system-b.en.txt -r examples/reference.en.txt "
    "-M meteor -M chrf --name baseline --name ours -o {}"
)
WIDE, NARROW = (1280, 860), (400, 860)
PARTS = ("#overview", "#differences", "#segments", ".lanes")
"""What the narrow picture shows, side by side."""


def main(folder: Path) -> None:
    """Create the report on the example systems, and write its screenshots."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    path = os.environ.get("METEOR_E_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        page = Path(temporary) / "report.html"
        command = [sys.executable, "-m", "meteor_e", *COMMAND.format(page).split()[1:]]
        subprocess.run(command, cwd=ROOT, check=True)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"] if os.getuid() == 0 else [])

        def shots(size: tuple[int, int], scheme: Any, parts: tuple[str, ...]) -> list[Image.Image]:
            tab = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
            tab.goto(page.as_uri())
            tab.wait_for_selector("html[data-ready]")
            images = []
            for part in parts:
                tab.evaluate("(part) => document.querySelector(part).scrollIntoView({ behavior: 'instant' })", part)
                tab.wait_for_timeout(300)
                images.append(Image.open(io.BytesIO(tab.screenshot())).convert("RGB"))
            tab.close()
            return images

        for scheme in ("light", "dark"):
            # The wide screenshots are below each other, and the narrow ones are side by side with a gap.
            for name, size, parts, step in (
                ("wide", WIDE, ("body", "#segments"), (0, WIDE[1])),
                ("narrow", NARROW, PARTS, (NARROW[0] + 20, 0)),
            ):
                images = shots(size, scheme, parts)
                width, height = (length + move * (len(images) - 1) for length, move in zip(size, step, strict=True))
                picture = Image.new("RGB", (width, height), "#8a8a8a")
                for index, shot in enumerate(images):
                    picture.paste(shot, (index * step[0], index * step[1]))
                picture.save(folder / f"report-{name}-{scheme}.webp", quality=72, method=6)
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the pictures, such as docs/images")
    main(parser.parse_args().folder)

"""Time a report of five systems: making it, its size, its first paint in Chromium, and scrolling through it.

    python benchmarks/speed/report.py --data ../shared/data/wmt12

It wants the English resource pack, and for the browser playwright and Chromium (METEOR_E_CHROMIUM, or on the PATH).
``--systems`` takes how many systems; ``--segments`` repeats the test set up to a number of segments.
"""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RUNS = 5

SCROLL = """async () => {
    // Scroll by what a fast wheel moves, and take the time from frame to frame.
    const scroller = document.querySelector(".scroller");
    document.querySelector("#segments").scrollIntoView();
    const frames = [];
    let last = await new Promise(requestAnimationFrame);
    for (let step = 0; step < 240; step++) {
        scroller.scrollTop += step % 40 === 39 ? scroller.scrollHeight / 8 : 300;
        const now = await new Promise(requestAnimationFrame);
        frames.push(now - last);
        last = now;
    }
    frames.sort((one, other) => one - other);
    return [frames[Math.floor(frames.length / 2)], frames[Math.floor(frames.length * 0.99)], frames.at(-1)];
}"""

SEGMENT = """() => {
    const list = document.querySelector("#list");
    const times = [];
    for (let step = 0; step < 50; step++) {
        const start = performance.now();
        list.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
        times.push(performance.now() - start);
    }
    return Math.max(...times);
}"""


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of WMT12's data")
    parser.add_argument("--systems", type=int, default=5)
    parser.add_argument("--segments", type=int, help="repeat the test set up to as many segments")
    parser.add_argument("--keep", type=Path, help="keep the report here")
    arguments = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        files = _files(arguments.data, arguments.systems, arguments.segments, Path(folder))
        page = arguments.keep or Path(folder) / "report.html"
        seconds = []
        for _ in range(RUNS):
            start = time.perf_counter()
            command = [sys.executable, "-m", "meteor_e", "report", *map(str, files), "-o", str(page)]
            subprocess.run(command, check=True)
            seconds.append(time.perf_counter() - start)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"made in      {statistics.median(seconds):6.2f} s   (median of {RUNS}, {min(seconds):.2f} at best)")
        print(f"processors   {(used.ru_utime + used.ru_stime) / RUNS:6.2f} s   (all of them together, a run)")
        print(f"size         {page.stat().st_size / 1e6:6.2f} MB")
        _browse(page)


def _files(data: Path, count: int, segments: int | None, folder: Path) -> list[Path]:
    systems = sorted((data / "system-outputs" / "de-en").iterdir())[:count]
    files = [*systems, data / "references" / "newstest2012-ref.en"]
    if segments is None:
        return files
    repeated = []
    for file in files:
        lines = itertools.islice(itertools.cycle(file.read_text(encoding="utf-8").splitlines()), segments)
        repeated.append(folder / file.name)
        repeated[-1].write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return repeated


def _browse(page: Path) -> None:
    from playwright.sync_api import sync_playwright

    path = os.environ.get("METEOR_E_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=sandbox)
        paints, ready = [], []
        for _ in range(RUNS):
            # A context of its own has no cache.
            context = browser.new_context(viewport={"width": 1400, "height": 1000})
            tab = context.new_page()
            tab.goto(page.resolve().as_uri())
            tab.wait_for_selector("html[data-ready]", timeout=120_000)
            ready.append(tab.evaluate("performance.now()"))
            paints.append(_first_paint(tab))
            frames, longest = tab.evaluate(SCROLL), tab.evaluate(SEGMENT)
            context.close()
        print(f"first paint  {statistics.median(paints):6.0f} ms  (median of {RUNS}, {max(paints):.0f} at worst)")
        print(f"list ready   {statistics.median(ready):6.0f} ms  (at most)")
        median, most, slowest = frames
        print(f"scrolling    {median:6.1f} ms a frame in the median, {most:.1f} at the 99th percentile")
        print(f"             {slowest:6.1f} ms for the slowest frame")
        print(f"next segment {longest:6.1f} ms  (the slowest of 50)")
        browser.close()


def _first_paint(tab: Any) -> float:
    for _ in range(100):
        entries = tab.evaluate("performance.getEntriesByType('paint').map((entry) => [entry.name, entry.startTime])")
        if entries:
            return float(dict(entries)["first-contentful-paint"])
        tab.wait_for_timeout(20)
    raise SystemExit("the browser reports no paint")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What must pass before a change lands: the README's own test command, on a clean clone, and then everything else.

    .ci/run                 # all steps, one after the other
    .ci/run plugins docs    # these only

Each step uses all processors by itself, so that none waits for another. What is printed is kept in ``.tox/logs``. At
the end stand what was skipped and why, the steps with their times, and a line that counts as pytest's does. The status
is 0 only if every step succeeded.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".tox" / "logs"
TOX = ".tox/run/bin/tox --quiet run -e"
STEPS = {
    "main": "",  # the README's
    "lint": f"{TOX} lint",
    "type": f"{TOX} type",
    "more": f"{TOX} more",
    "pure": f"{TOX} pure",
    "sanitize": f"{TOX} sanitize",
    "plugins": f"{TOX} plugins",
    "docs": f"{TOX} docs",
    "package": f"{TOX} package",
}
"""The steps by name, in their order: lint, types, the core's long tests, without the native core, with sanitizers, …"""
SUMMARY = re.compile(r"^=* *(?:\x1b\[\S*m)*((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s")
COUNT = re.compile(r"(\d+) (failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?)")
COLOR = re.compile(r"\x1b\[[0-9;]*m")


def readme_command() -> str:
    """Return the command that runs the main tests, as a reader of the README finds it."""
    found = re.search(r"^\$ (python3 -m venv \.tox/run .*)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    if found is None:
        sys.exit("the README has no test command")
    return found[1]


def variables() -> dict[str, str]:
    """Return the environment of all steps: a native core, and data that must not be missed where they are."""
    found = {**os.environ, "CI": "1", "METEOR_E_REQUIRE_NATIVE": "1", "PY_COLORS": "0", "NO_COLOR": "1"}
    shared = ROOT.parent / "shared"
    if "METEOR_E_SHARED" not in found and shared.is_dir():
        found["METEOR_E_SHARED"] = str(shared)
    if "METEOR_E_SHARED" in found:
        found["METEOR_E_REQUIRE_DATA"] = "1"
    for name, folder in (("METEOR_E_PACKS", "packs"), ("METEOR_E_CACHE", "cache")):
        found.setdefault(name, str(ROOT / ".tox" / folder))
    return found


def install_programs() -> None:
    """Install Java and Chromium where a test would be skipped without, if this machine lets us."""
    packages = {"java": "default-jre-headless", "chromium": "chromium"}
    absent = [package for program, package in packages.items() if shutil.which(program) is None]
    if absent and shutil.which("apt-get"):
        sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
        subprocess.run([*sudo, "apt-get", "update", "-qq"], check=False)
        install = [*sudo, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *absent]
        if subprocess.run(install, check=False).returncode:
            print(f"not installed: {', '.join(absent)}; tests that need them are skipped", flush=True)


def run(name: str, command: str, environment: dict[str, str]) -> tuple[int, list[str]]:
    """Run a step; return its status and what it printed."""
    print(f"\n==== {name}: {command}", flush=True)
    lines = []
    with (LOGS / f"{name}.txt").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            ["bash", "-c", command], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert process.stdout is not None
        for raw in process.stdout:
            line = COLOR.sub("", raw.decode("utf-8", "replace"))
            sys.stdout.write(line)
            sys.stdout.flush()
            log.write(line)
            lines.append(line.rstrip("\n"))
    return process.wait(), lines


def main() -> int:
    """Run the steps that were asked for, or all."""
    wanted = sys.argv[1:] or list(STEPS)
    if unknown := [name for name in wanted if name not in STEPS]:
        sys.exit(f"no step {', '.join(unknown)}; there are {', '.join(STEPS)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    # A caller that ignores interrupts, as a shell in the background does, would have every test ignore them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    environment = variables()
    install_programs()
    steps = {**STEPS, "main": readme_command()}
    begin = time.monotonic()
    total: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    table, failed = [], []
    for name in wanted:
        if name != "main" and not (ROOT / ".tox/run/bin/tox").exists():
            prepare = "python3 -m venv .tox/run && .tox/run/bin/pip install --quiet tox"
            subprocess.run(["bash", "-c", prepare], cwd=ROOT, check=True)
        start = time.monotonic()
        status, lines = run(name, steps[name], environment)
        counts: Counter[str] = Counter()
        for line in lines:
            if summary := SUMMARY.match(line):
                counts.update({kind: int(number) for number, kind in COUNT.findall(summary[1])})
            elif line.startswith("SKIPPED ["):
                skipped[f"{name}: {line}"] += 1
        total += counts
        if status:
            failed.append(name)
        said = ", ".join(f"{number} {kind}" for kind, number in counts.items()) or "no tests"
        table.append(f"{'FAILED' if status else 'ok':6} {name:9} {time.monotonic() - start:6.0f} s  {said}")
    print("\n==== skipped, and why", *skipped, sep="\n")
    print("\n==== steps", *table, sep="\n")
    if failed:
        print(f"failed: {', '.join(failed)}")
        total.setdefault("failed", len(failed))
    order = ("failed", "passed", "skipped", "deselected", "xfailed", "xpassed", "errors", "error")
    said = ", ".join(f"{total[kind]} {kind}" for kind in order if total[kind])
    print(f"{said} in {time.monotonic() - begin:.0f}s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

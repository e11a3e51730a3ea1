"""What is killed leaves nothing half-written, and the next run works; benchmarks/robustness/kills.py has more."""

from __future__ import annotations

import subprocess
import sys


def test_an_interrupt_within_exec_ends_with_its_code(tmp_path):
    """As in an import that makes a class from text. Python would end itself by SIGINT."""
    program = (
        "import runpy\nfrom unittest import mock\nfrom meteor_e.cli import program\n"
        "def interrupted(*_, **__):\n    exec('raise KeyboardInterrupt')\n"
        "with mock.patch.object(program.cli, 'main', interrupted):\n"
        "    runpy.run_module('meteor_e', run_name='__main__')\n"
    )
    (tmp_path / "interrupted.py").write_text(program)
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "meteor-e: interrupted\n")

"""The command line: one module for each command."""


def main() -> None:
    """Run ``meteor-e``; its modules are imported now."""
    from meteor_e.cli.program import main as run

    run()

"""``python -m meteor_e`` is ``meteor-e``."""

from meteor_e.cli.program import main

if __name__ == "__main__":
    main()

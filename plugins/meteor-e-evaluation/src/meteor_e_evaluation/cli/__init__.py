"""The commands ``meteor-e evaluate`` and ``meteor-e tune``."""

"""What the plugins of this repository share with the core beyond :mod:`meteor_e.api`. It is not stable.

Names come, go and change in any release. The plugins that use them are released together with the core, and ask for
exactly its version. A plugin of your own imports :mod:`meteor_e.api` and :mod:`meteor_e.testing`.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)

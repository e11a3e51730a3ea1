"""Which METEOR a reported number is, and what to write in a paper.

:func:`which` computes every METEOR that people run on the texts and says which round to the number::

    found = which("27.3", hypotheses, [references])
    print(found.text())
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)

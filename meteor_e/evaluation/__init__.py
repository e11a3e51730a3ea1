"""Meta-evaluation: how well metrics agree with people, and whether differences are more than chance.

A data index (:mod:`.index`) says which files of a shared task belong together; :mod:`.data` lines them up;
metrics (:mod:`.metrics`) score the outputs once, and the scores are kept (:mod:`.cache`); measures
(:mod:`.measures`) compare scores with judgements; :mod:`.evaluate` joins all that to a table.
:mod:`.significance` compares systems with one another.
"""

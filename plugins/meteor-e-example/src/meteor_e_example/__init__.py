"""An example of a meteor_e plugin; copy what you need.

:mod:`~meteor_e_example.plugin` has the hooks, every other module one thing that they return.
"""

"""What :mod:`meteor_e.testing` checks: the steps, and the samples that they run on."""

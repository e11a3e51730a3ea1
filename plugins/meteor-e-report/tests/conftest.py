from __future__ import annotations

import pytest
from report_systems import REFERENCES, SYSTEMS

from meteor_e import Meteor
from meteor_e.report import score_systems


@pytest.fixture
def meteor(own_packs):
    return Meteor("en")


@pytest.fixture
def report(meteor):
    return score_systems(meteor, SYSTEMS, REFERENCES, title="A <b>title</b>", samples=100)

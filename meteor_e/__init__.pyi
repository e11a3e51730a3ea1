from meteor_e._version import __version__ as __version__
from meteor_e.api import *
from meteor_e.meteor import Meteor as Meteor
from meteor_e.metrics.specs import load_metric as load_metric
from meteor_e.packs.build import build_pack as build_pack
from meteor_e.plugins.registry import plugin_registry as plugin_registry
from meteor_e.scoring.alignment import AlignedMatch as AlignedMatch, Alignment as Alignment
from meteor_e.api.languages import Parameters as Parameters
from meteor_e.scoring.results import (
    MeteorCorpusScore as MeteorCorpusScore,
    MeteorSegmentScore as MeteorSegmentScore,
)
from meteor_e.scoring.statistics import MatcherCounts as MatcherCounts, Statistics as Statistics

from meteor_e.api.batches import Batch as Batch
from meteor_e.api.component import Component as Component
from meteor_e.api.context import MatcherContext as MatcherContext
from meteor_e.api.estimators import Estimator as Estimator, Examples as Examples
from meteor_e.api.features import (
    Feature as Feature,
    FeatureBatch as FeatureBatch,
    SegmentFeature as SegmentFeature,
)
from meteor_e.api.hooks import hookimpl as hookimpl
from meteor_e.api.languages import Language as Language
from meteor_e.api.lemmatizers import Lemmatizer as Lemmatizer
from meteor_e.api.matchers import (
    KeyMatcher as KeyMatcher,
    Match as Match,
    Matcher as Matcher,
    PhraseMatcher as PhraseMatcher,
    SimilarityMatcher as SimilarityMatcher,
)
from meteor_e.api.contextual_matchers import ContextualMatcher as ContextualMatcher
from meteor_e.api.measures import Measure as Measure
from meteor_e.api.metrics import (
    Metric as Metric,
    MetricContext as MetricContext,
    SegmentMetric as SegmentMetric,
    SystemOutputs as SystemOutputs,
    SystemsMetric as SystemsMetric,
)
from meteor_e.api.options import (
    ComponentOptions as ComponentOptions,
    FilePath as FilePath,
    Meta as Meta,
    SimilarityOptions as SimilarityOptions,
)
from meteor_e.api.formats import (
    MetricColumn as MetricColumn,
    OutputFormat as OutputFormat,
    OutputOptions as OutputOptions,
    Result as Result,
)
from meteor_e.api.perturbations import Perturbation as Perturbation
from meteor_e.api.scores import CorpusScore as CorpusScore, SegmentScore as SegmentScore
from meteor_e.api.segmenters import Segmenter as Segmenter
from meteor_e.api.segments import (
    Segment as Segment,
    System as System,
    TextColumns as TextColumns,
    TextContext as TextContext,
    TextTable as TextTable,
)
from meteor_e.api.tables import TableFormat as TableFormat
from meteor_e.api.tokens import Token as Token
from meteor_e.base.errors import (
    ConfigError as ConfigError,
    InputError as InputError,
    MeteorError as MeteorError,
    MeteorWarning as MeteorWarning,
    PluginError as PluginError,
    ResourceError as ResourceError,
)

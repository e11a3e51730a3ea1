from meteor_e.api.component import Component as Component
from meteor_e.api.context import (
    MatcherContext as MatcherContext,
    PhraseTable as PhraseTable,
    Resources as Resources,
    SynonymTable as SynonymTable,
)
from meteor_e.api.estimators import Estimator as Estimator, Examples as Examples, TrainingRun as TrainingRun
from meteor_e.api.features import (
    Feature as Feature,
    FeatureBatch as FeatureBatch,
    ReferenceFeature as ReferenceFeature,
    SegmentFeature as SegmentFeature,
)
from meteor_e.api.hooks import API_VERSION as API_VERSION, hookimpl as hookimpl
from meteor_e.api.java_modules import JavaModule as JavaModule, JavaSettings as JavaSettings
from meteor_e.api.languages import (
    Language as Language,
    NonbreakingPrefixes as NonbreakingPrefixes,
    Normalization as Normalization,
    Task as Task,
)
from meteor_e.api.lemmatizers import Lemmatizer as Lemmatizer
from meteor_e.api.matchers import (
    ContextualMatcher as ContextualMatcher,
    KeyMatcher as KeyMatcher,
    Match as Match,
    Matcher as Matcher,
    PhraseMatcher as PhraseMatcher,
    SentenceMemory as SentenceMemory,
    OverlapMatcher as OverlapMatcher,
    SimilarityMatcher as SimilarityMatcher,
)
from meteor_e.api.measures import Agreement as Agreement, Measure as Measure
from meteor_e.api.metrics import (
    Metric as Metric,
    MetricContext as MetricContext,
    MetricScore as MetricScore,
    Scores as Scores,
    SegmentMetric as SegmentMetric,
    SystemOutputs as SystemOutputs,
    named_options as named_options,
)
from meteor_e.api.options import (
    ComponentOptions as ComponentOptions,
    FilePath as FilePath,
    FolderPath as FolderPath,
    Meta as Meta,
    SimilarityOptions as SimilarityOptions,
)
from meteor_e.api.outputs import (
    Grid as Grid,
    MetricColumn as MetricColumn,
    OutputFormat as OutputFormat,
    OutputOptions as OutputOptions,
    Result as Result,
    SegmentRow as SegmentRow,
    WmtNames as WmtNames,
)
from meteor_e.api.perturbations import (
    Perturbation as Perturbation,
    PerturbationContext as PerturbationContext,
)
from meteor_e.api.segmenters import Segmenter as Segmenter
from meteor_e.api.tables import (
    ScoreRun as ScoreRun,
    ScoreRunner as ScoreRunner,
    SystemInput as SystemInput,
    TableFormat as TableFormat,
    TextColumns as TextColumns,
    TextTable as TextTable,
)
from meteor_e.api.tokens import Token as Token
from meteor_e.base.errors import (
    ConfigError as ConfigError,
    InputError as InputError,
    MeteorError as MeteorError,
    MeteorWarning as MeteorWarning,
    PluginError as PluginError,
    PluginWarning as PluginWarning,
    ResourceError as ResourceError,
    located as located,
    near_miss as near_miss,
)
from meteor_e.base.errors import guarded as guarded
from meteor_e.base.progress import Progress as Progress

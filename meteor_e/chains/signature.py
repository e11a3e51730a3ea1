"""The signature: what must be the same for a score to be the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from meteor_e._version import __version__
from meteor_e.base.errors import guarded
from meteor_e.chains.keys import described
from meteor_e.plugins.registry import BUILTIN

if TYPE_CHECKING:
    from meteor_e.api.languages import Language
    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.api.matchers import Matcher
    from meteor_e.api.segmenters import Segmenter
    from meteor_e.chains.chain import Chain
    from meteor_e.plugins.registry import Registry


def plugins_of(chain: Chain, registry: Registry) -> list[str]:
    """Return ``distribution@version`` of each third party that a chain draws on, sorted."""
    wanted = [("matcher", matcher.name) for matcher in chain.matchers]
    if not chain.language.path and not chain.language.script:
        wanted.append(("language", chain.language.code))
    if chain.lemmatizer is not None:
        wanted.append(("lemmatizer", chain.lemmatizer[0]))
    if chain.language.segmenter is not None:
        wanted.append(("segmenter", chain.language.segmenter))
    sources = {registry.source(kind, name) for kind, name in wanted}
    return sorted({f"{source.distribution or source.plugin}@{source.version}" for source in sources - {BUILTIN}})


def signature(
    chain: Chain,
    matchers: Sequence[Matcher],
    resources: str,
    plugins: Sequence[str] = (),
    lemmatizer: Lemmatizer | None = None,
    segmenter: Segmenter | None = None,
) -> str:
    """Return the signature of a chain.

    Args:
        chain: the chain.
        matchers: its matchers, made.
        resources: name and digest of the resource pack.
        plugins: ``distribution@version`` of each third-party plugin that the chain uses.
        lemmatizer: the chain's lemmatizer, made.
        segmenter: the language's segmenter, made.

    Returns:
        ``key:value`` pairs joined by ``|``, as in ``meteor_e:0.1.0|lang:en|task:rank|…``.
    """
    parameters = chain.parameters
    names = [
        f"{matcher.name}={weight!r}{_details('matcher', matcher)}"
        for matcher, weight in zip(matchers, parameters.weights, strict=True)
    ]
    parts = [
        ("meteor_e", __version__),
        ("lang", _language(chain.language)),
        ("task", chain.task),
        ("norm", chain.normalization.value),
        ("a", repr(parameters.alpha)),
        ("b", repr(parameters.beta)),
        ("g", repr(parameters.gamma)),
        ("d", repr(parameters.delta)),
        ("match", "+".join(names)),
        *described(chain),
        ("pack", resources),
    ]
    if lemmatizer is not None:
        parts.append(("lemmas", f"{lemmatizer.name}{_details('lemmatizer', lemmatizer)}"))
    if segmenter is not None:
        parts.append(("segmenter", f"{segmenter.name}{_details('segmenter', segmenter)}"))
    if plugins:
        parts.append(("plugins", "+".join(plugins)))
    return "|".join(f"{key}:{value}" for key, value in parts)


def _details(kind: str, thing: Matcher | Lemmatizer | Segmenter) -> str:
    with guarded(f"{kind} {thing.name!r}"):
        details = thing.describe()
    return f"({details})" if details else ""


def _language(language: Language) -> str:
    """Return a language's code; of one without a file, or from one of your own, also what nothing else tells."""
    if language.script:
        return f"{language.code}(generic {language.script})"
    return f"{language.code}({language.apostrophes} apostrophes)" if language.path else language.code

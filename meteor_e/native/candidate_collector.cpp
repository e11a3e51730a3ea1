#include "candidate_collector.hpp"

#include <algorithm>

namespace meteor {

bool are_equal(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference) {
    const auto is_same_word = [&](std::uint32_t type, std::uint32_t other_type) {
        return type == other_type ||
               (chain.identity == Identity::java && vocabulary.identity(type) == vocabulary.identity(other_type));
    };
    return std::ranges::equal(hypothesis, reference, is_same_word);
}

Outcome CandidateCollector::collect(Words hypothesis, Words reference, std::uint64_t reference_hash,
                                    const PairFeatures& features) {
    const bool is_equal = are_equal(chain_, vocabulary_, hypothesis, reference);
    const std::size_t matcher_count =
        is_equal ? std::min<std::size_t>(1, chain_.matchers.size()) : chain_.matchers.size();
    // Features are cached only if they are computed for all matchers.
    const bool is_cached = !is_equal && reference.size() <= MAX_CACHED_WORDS;
    const Outcome outcome =
        collect_separately(hypothesis, reference, reference_hash, features, matcher_count, is_cached);
    if (outcome.failure != Failure::too_many_candidates) return outcome;
    return collect_many(hypothesis, reference, features, matcher_count);
}

Outcome CandidateCollector::collect_separately(Words hypothesis, Words reference, std::uint64_t reference_hash,
                                               const PairFeatures& features, std::size_t matcher_count,
                                               bool is_cached) {
    if (!is_cached) uncached_features_.compute(chain_, vocabulary_, reference);
    ReferenceFeatures& reference_features =
        is_cached ? reference_cache_.find_or_insert(reference, reference_hash) : uncached_features_;
    candidates_.start(hypothesis.size(), reference.size(),
                      std::min(chain_.limits.separate_candidates, chain_.limits.max_candidates));
    const Outcome outcome =
        chain_matcher_.add_candidates(reference_features, hypothesis, features, matcher_count, candidates_);
    if (!outcome.has_failed()) candidates_.finish();
    return outcome;
}

// Collects the candidates of a pair with very many candidates. Positions share lists if the matchers allow it.
Outcome CandidateCollector::collect_many(Words hypothesis, Words reference, const PairFeatures& features,
                                         std::size_t matcher_count) {
    const bool can_share = std::max(hypothesis.size(), reference.size()) <= chain_.limits.max_shared_words &&
                           shared_positions_.can_share(matcher_count);
    if (can_share) {
        shared_positions_.group({reference}, matcher_count, chain_matcher_.phrase_matcher());
        shared_positions_.load_features(vocabulary_, chain_matcher_.phrase_matcher(), uncached_features_);
    } else {
        uncached_features_.compute(chain_, vocabulary_, reference);
    }
    candidates_.start(hypothesis.size(), uncached_features_.words.size(), chain_.limits.max_candidates);
    const Outcome outcome =
        chain_matcher_.add_candidates(uncached_features_, hypothesis, features, matcher_count, candidates_);
    if (outcome.has_failed()) return outcome;
    if (can_share) {
        candidates_.finish_shared(shared_positions_.list_of_position());
    } else {
        candidates_.finish();
    }
    return outcome;
}

}  // namespace meteor

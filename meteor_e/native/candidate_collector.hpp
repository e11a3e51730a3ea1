// Collects the candidate matches of one pair of segments; meteor_e/engine/candidates.py is the definition.
#pragma once

#include "chain_matcher.hpp"
#include "reference_cache.hpp"
#include "shared_positions.hpp"

namespace meteor {

// Longer references are neither cached nor searched together with other references.
constexpr std::size_t MAX_CACHED_WORDS = 256;

// Whether two segments have the same words.
[[nodiscard]] bool are_equal(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference);

class CandidateCollector {
public:
    CandidateCollector(const Chain& chain, const Vocabulary& vocabulary)
        : chain_(chain),
          vocabulary_(vocabulary),
          reference_cache_(chain, vocabulary),
          chain_matcher_(chain, vocabulary),
          shared_positions_(chain) {}

    // Collects the candidates of a pair. For two equal segments, only the first matcher is called.
    [[nodiscard]] Outcome collect(Words hypothesis, Words reference, std::uint64_t reference_hash,
                                  const PairFeatures& features);
    [[nodiscard]] const CandidateSet& candidates() const noexcept { return candidates_; }
    [[nodiscard]] const ReferenceCache& reference_cache() const noexcept { return reference_cache_; }

private:
    [[nodiscard]] Outcome collect_separately(Words hypothesis, Words reference, std::uint64_t reference_hash,
                                             const PairFeatures& features, std::size_t matcher_count, bool is_cached);
    [[nodiscard]] Outcome collect_many(Words hypothesis, Words reference, const PairFeatures& features,
                                       std::size_t matcher_count);

    const Chain& chain_;
    const Vocabulary& vocabulary_;
    ReferenceCache reference_cache_;
    ReferenceFeatures uncached_features_;
    ChainMatcher chain_matcher_;
    SharedPositions shared_positions_;
    CandidateSet candidates_;
};

}  // namespace meteor

// Calls the matchers of a chain in their order, and collects the candidate matches of a pair of segments.
#pragma once

#include "candidate_set.hpp"
#include "phrase_matcher.hpp"
#include "piece_matcher.hpp"
#include "reference_features.hpp"
#include "word_matcher.hpp"

namespace meteor {

class ChainMatcher {
public:
    ChainMatcher(const Chain& chain, const Vocabulary& vocabulary)
        : chain_(chain),
          vocabulary_(vocabulary),
          word_matcher_(chain, vocabulary),
          phrase_matcher_(vocabulary),
          piece_matcher_(vocabulary) {}

    // Adds the candidates of the first `matcher_count` matchers. Call `candidates.start()` before.
    [[nodiscard]] Outcome add_candidates(ReferenceFeatures& reference, Words hypothesis, const PairFeatures& features,
                                         std::size_t matcher_count, CandidateSet& candidates);

    [[nodiscard]] PhraseMatcher& phrase_matcher() noexcept { return phrase_matcher_; }

private:
    [[nodiscard]] Outcome ask(std::uint32_t index, ReferenceFeatures& reference, Words hypothesis,
                              const PairFeatures& features, CandidateSet& candidates);
    [[nodiscard]] Outcome compare_sentences(std::uint32_t index, Words hypothesis, Words reference,
                                            const PairFeatures& features, CandidateSet& candidates) const;
    [[nodiscard]] static Outcome take_proposals(std::uint32_t index, const std::vector<Proposal>& proposals,
                                                Words hypothesis, Words reference, CandidateSet& candidates);

    const Chain& chain_;
    const Vocabulary& vocabulary_;
    WordMatcher word_matcher_;
    PhraseMatcher phrase_matcher_;
    PieceMatcher piece_matcher_;
};

}  // namespace meteor

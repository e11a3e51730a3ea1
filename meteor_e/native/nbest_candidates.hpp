// Collects candidate matches for n-best lists, in which every hypothesis is compared with the same references.
#pragma once

#include "chain_matcher.hpp"
#include "shared_positions.hpp"

namespace meteor {

// The positions of all references share lists, so candidates are collected only once per hypothesis. If this is not
// possible or not faster, the functions return false, and each pair has to be aligned separately (CandidateCollector).
class NbestCandidates {
public:
    NbestCandidates(const Chain& chain, const Vocabulary& vocabulary)
        : chain_(chain), vocabulary_(vocabulary), chain_matcher_(chain, vocabulary), shared_positions_(chain) {}

    [[nodiscard]] bool load_references(const std::vector<Words>& references);
    [[nodiscard]] bool load_hypothesis(Words hypothesis);
    // Selects a reference by its index. candidates() then contains its candidates.
    [[nodiscard]] bool select_reference(std::size_t reference);
    [[nodiscard]] const CandidateSet& candidates() const noexcept { return candidates_; }

private:
    const Chain& chain_;
    const Vocabulary& vocabulary_;
    ChainMatcher chain_matcher_;
    SharedPositions shared_positions_;
    ReferenceFeatures features_;  // of the lists
    CandidateSet candidates_;
};

}  // namespace meteor

// Aligns a hypothesis with a reference. The class can align any number of pairs one after the other.
#pragma once

#include <vector>

#include "alignment_search.hpp"
#include "candidate_collector.hpp"

namespace meteor {

class Aligner {
public:
    Aligner(const Chain& chain, const Vocabulary& vocabulary)
        : chain_(chain), collector_(chain, vocabulary), search_(chain) {}

    // Sets `alignment` to the chosen matches of a pair, sorted by their position in the reference.
    [[nodiscard]] Outcome align(Words hypothesis, Words reference, std::uint64_t reference_hash,
                                const PairFeatures& features, bool maximum_accuracy, std::vector<Match>& alignment);

    [[nodiscard]] const ReferenceCache& reference_cache() const noexcept { return collector_.reference_cache(); }

private:
    const Chain& chain_;
    CandidateCollector collector_;
    AlignmentSearch search_;
};

}  // namespace meteor

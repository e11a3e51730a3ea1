// Chooses the best alignment of a pair of segments. The size of the pair determines which beam search is used.
#pragma once

#include <vector>

#include "beam_search.hpp"
#include "candidate_set.hpp"
#include "chain.hpp"
#include "path_search.hpp"

namespace meteor {

class AlignmentSearch {
public:
    explicit AlignmentSearch(const Chain& chain) : chain_(chain), path_search_(chain) {}

    // Appends the chosen matches to `alignment`, sorted by reference position. Fails if there are too many paths.
    [[nodiscard]] Failure run(const CandidateSet& candidates, std::size_t hypothesis_size, const SearchOptions& options,
                              std::vector<Match>& alignment);

private:
    // Upper bounds: of each criterion for a path, and of the number of candidates at a position.
    struct Bounds {
        std::uint64_t distance = 0, words = 0, weighted = 0;
        std::size_t choices = 0;
    };

    [[nodiscard]] Bounds compute_weights(const CandidateSet& candidates, bool maximum_accuracy);
    void convert_weights_to_gains(const CandidateSet& candidates, const RankUnits& units, bool maximum_accuracy);

    const Chain& chain_;
    std::vector<std::int64_t> gains_;  // of the candidates
    BeamSearch<1> short_;
    BeamSearch<2> medium_;
    BeamSearch<4> long_;
    PathSearch path_search_;
};

}  // namespace meteor

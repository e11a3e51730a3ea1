// Combines the word alignments of both directions.
#pragma once

#include <vector>

#include "corpus.hpp"

namespace meteor::bitext {

enum class Heuristic { intersection, union_, grow_diag, grow_diag_final, grow_diag_final_and };
constexpr int HEURISTIC_COUNT = static_cast<int>(Heuristic::grow_diag_final_and) + 1;

// The links of all sentences, as pairs of a source position and a target position.
struct Links {
    std::vector<std::uint16_t> positions;  // two positions per link
    std::vector<std::uint64_t> starts{0};  // the first link of each sentence, then the number of links
};

// `forward` contains a source position for each target word, and `backward` a target position for each source word.
[[nodiscard]] Links symmetrize(View<std::uint64_t> source_starts, View<std::uint64_t> target_starts,
                               View<std::uint16_t> forward, View<std::uint16_t> backward, Heuristic heuristic);

}  // namespace meteor::bitext

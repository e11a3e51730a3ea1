// The distortion model: target words prefer source words near the diagonal (section 2 of the paper).
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "common.hpp"

namespace meteor::bitext {

// The number of source words and the number of target words of a sentence pair.
using SentenceSize = std::pair<std::size_t, std::size_t>;
// The number of sentence pairs of each size.
using SizeCounts = std::vector<std::pair<SentenceSize, std::size_t>>;

// Returns the distance of a pair of positions from the diagonal: h of the paper, whose positions start at 1.
[[nodiscard]] inline double diagonal_distance(std::size_t source_position, std::size_t target_position,
                                              SentenceSize size) noexcept {
    return std::fabs(static_cast<double>(source_position + 1) / static_cast<double>(size.first) -
                     static_cast<double>(target_position + 1) / static_cast<double>(size.second));
}

// Computes the probability of each source position for a target position. The sum of the probabilities is `mass`.
void compute_distortion(std::size_t target_position, SentenceSize size, double tension, double mass,
                        double* probabilities) noexcept;

// Returns the expected distance from the diagonal per target word. The result does not depend on the number of threads.
[[nodiscard]] double expected_distance(const SizeCounts& size_counts, double tension, std::size_t threads);

}  // namespace meteor::bitext

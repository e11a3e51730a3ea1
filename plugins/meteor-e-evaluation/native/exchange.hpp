// Rank correlations of scores that two metrics exchange at random, for many samples at once.
//
// The definition is one_by_one in meteor_e_evaluation/exchange.py; tests compare both. All results are whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace meteor::evaluation {

// The scores of both metrics in ascending order. Score p < count is that of the first metric for rating p, score
// count + p that of the second.
struct Joined {
    const std::int32_t* order;  // 2 * count scores
    const std::uint8_t* fresh;  // 2 * count: whether a score differs from the one before
    const std::int32_t* units;  // count: the row of the masks that says whether a rating's scores change places
    std::size_t count;
};

// Which units are exchanged, (units, samples).
struct Masks {
    const std::uint8_t* rows;
    std::size_t units, samples;
};

// Kendall. `levels` are people's scores as dense ranks below `size`; of equal scores, equal levels stand together.
// For each sample: concordant pairs, pairs that the first metric ties, pairs that both sides tie, and the number of
// different scores; (samples, 4).
void kendall(const Joined& joined, const Masks& masks, const std::int32_t* levels, std::size_t size,
             std::int64_t* result);

// Spearman. `weights` are what is summed over the ranks, at most 2^23 and 0 in sum; ranks are doubled, and whole.
// For each sample: the sum of weights times doubled ranks, and the sum of t³ − t over t equal scores; (samples, 2).
void spearman(const Joined& joined, const Masks& masks, const std::int32_t* weights, double* result);

}  // namespace meteor::evaluation

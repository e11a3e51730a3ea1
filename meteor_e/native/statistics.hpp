// Statistics and formula; meteor_e/scoring is the definition.
#pragma once

#include <vector>

#include "candidates.hpp"
#include "chain.hpp"
#include "vocabulary.hpp"

namespace meteor {

// The numbers of a row of statistics, as Statistics.to_vector() orders them.
inline std::size_t statistics_width(const Chain& chain) { return 7 + 4 * chain.matchers.size(); }

struct Scores {
    double precision, recall, f1, fmean, fragmentation_penalty, score;
};
constexpr std::size_t SCORES_WIDTH = 6;

// Chunks of matches sorted by reference position.
std::int64_t count_chunks(const std::vector<Match>& matches);

void count_statistics(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                      const std::vector<Match>& matches, std::int64_t* row);

// Whether all words of both sides match in one chunk.
bool is_perfect(const Chain& chain, const std::int64_t* row);

Scores compute_scores(const Chain& chain, const std::int64_t* row);

}  // namespace meteor

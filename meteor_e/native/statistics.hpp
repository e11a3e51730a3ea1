// Statistics and formula; meteor_e/scoring is the definition.
#pragma once

#include <vector>

#include "candidates.hpp"
#include "chain.hpp"
#include "vocabulary.hpp"

namespace meteor {

// The names of a row's columns, in their order, and of the parts of a score. Python checks that they are its own.
struct Layout {
    std::vector<const char*> before, matcher, after, scores;
};
const Layout& layout();

std::size_t statistics_width(const Chain& chain);
std::size_t scores_width();

void count_statistics(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                      const std::vector<Match>& matches, std::int64_t* row);

// Adds a row to a sum as a corpus does: a segment that matches in one perfect chunk has no penalty.
void add_row(const Chain& chain, const std::int64_t* row, std::vector<std::int64_t>& total);

// Applies the formula; `scores` has scores_width() parts. Returns the score.
double compute_scores(const Chain& chain, const std::int64_t* row, double* scores);

}  // namespace meteor

// Statistics and scores of aligned pairs; meteor_e/scoring is the definition.
#pragma once

#include <vector>

#include "chain.hpp"
#include "match.hpp"
#include "vocabulary.hpp"

namespace meteor {

// The names of the columns of a row of statistics: before the columns of the matchers, of each matcher, and after them;
// and the names of the parts of a score. Python compares them with its own.
struct Layout {
    std::vector<const char*> before, matcher, after, scores;
};
[[nodiscard]] const Layout& layout();

[[nodiscard]] std::size_t statistics_width(const Chain& chain) noexcept;
[[nodiscard]] std::size_t scores_width() noexcept;

// Fills a row of statistics.
void count_statistics(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                      const std::vector<Match>& alignment, std::int64_t* row);

// Adds a row to the sum of a corpus, in which the chunk of a perfect match does not count.
void add_to_total(const Chain& chain, const std::int64_t* row, std::vector<std::int64_t>& total) noexcept;

// Computes the scores_width() parts of the score; returns the score itself.
double compute_scores(const Chain& chain, const std::int64_t* row, double* scores) noexcept;

}  // namespace meteor

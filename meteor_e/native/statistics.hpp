// Statistics and scores of aligned pairs, as defined in meteor_e/scoring.
#pragma once

#include <vector>

#include "chain.hpp"
#include "match.hpp"
#include "vocabulary.hpp"

namespace meteor {

// The names of the columns in a row of statistics (before the matchers, for each matcher, and after the matchers), and
// the names of the parts of a score. Python compares these names with its own names.
struct Layout {
    std::vector<const char*> before, matcher, after, scores;
};
[[nodiscard]] const Layout& layout();

[[nodiscard]] std::size_t statistics_width(const Chain& chain) noexcept;
[[nodiscard]] std::size_t scores_width() noexcept;

// Computes the statistics of an aligned pair, and writes them to a row.
void count_statistics(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                      const std::vector<Match>& alignment, std::int64_t* row);

// Adds a row of statistics to the sum of a corpus. The chunk of a perfect match is not counted.
void add_to_total(const Chain& chain, const std::int64_t* row, std::vector<std::int64_t>& total) noexcept;

// Computes the parts of the score, whose number is scores_width(). Returns the score itself.
double compute_scores(const Chain& chain, const std::int64_t* row, double* scores) noexcept;

}  // namespace meteor

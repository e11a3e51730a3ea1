#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "shared_characters.hpp"

namespace meteor {

namespace {

// Each list defines columns. Macros turn it into the values of an enumeration and into names for Python.
#define METEOR_ENUMERATOR(name) name,
#define METEOR_NAME(name) #name,
#define METEOR_COLUMNS(Type, COLUMNS)                                              \
    struct Type {                                                                  \
        enum : std::size_t { COLUMNS(METEOR_ENUMERATOR) COUNT };                   \
        static std::vector<const char*> names() { return {COLUMNS(METEOR_NAME)}; } \
    };

#define METEOR_BEFORE(X) \
    X(hypothesis_length) X(reference_length) X(hypothesis_function_words) X(reference_function_words)
#define METEOR_MATCHER(X) X(hypothesis_content) X(reference_content) X(hypothesis_function) X(reference_function)
#define METEOR_AFTER(X) X(chunks) X(hypothesis_matched) X(reference_matched)
#define METEOR_PARTS(X) X(precision) X(recall) X(f1) X(fmean) X(fragmentation_penalty) X(score)

METEOR_COLUMNS(Before, METEOR_BEFORE)
METEOR_COLUMNS(Counts, METEOR_MATCHER)
METEOR_COLUMNS(After, METEOR_AFTER)
METEOR_COLUMNS(Part, METEOR_PARTS)

std::size_t counts_of(std::size_t matcher) noexcept { return Before::COUNT + Counts::COUNT * matcher; }
std::size_t after_matchers(const Chain& chain) noexcept { return counts_of(chain.matchers.size()); }

// Divides according to IEEE 754. A division by zero gives an infinite number or NaN.
double divide(double numerator, double denominator) noexcept {
    if (denominator != 0) return numerator / denominator;
    const bool is_undefined = numerator == 0 || std::isnan(numerator);
    return is_undefined ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
}

std::int64_t round_share(std::int64_t units, double share) noexcept {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(units) * share + 0.5));
}

// Whether all words of both segments match in a single chunk. The counts of the matchers are compared with the lengths.
// In character mode, both are numbers of characters. Because of a matcher for whole segments, the counts can be larger
// than the lengths.
bool is_perfect(const Chain& chain, const std::int64_t* row) noexcept {
    if (row[after_matchers(chain) + After::chunks] != 1) return false;
    std::int64_t hypothesis = 0, reference = 0;
    for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
        const std::int64_t* const counts = row + counts_of(k);
        hypothesis += counts[Counts::hypothesis_content] + counts[Counts::hypothesis_function];
        reference += counts[Counts::reference_content] + counts[Counts::reference_function];
    }
    return hypothesis >= row[Before::hypothesis_length] && reference >= row[Before::reference_length];
}

// Counts the chunks of an alignment, which is sorted by reference position.
std::int64_t count_chunks(const std::vector<Match>& alignment) noexcept {
    std::int64_t chunks = 0, reference_end = -1, hypothesis_end = -1;
    for (const Match& match : alignment) {
        if (match.reference_start != reference_end || match.hypothesis_start != hypothesis_end) ++chunks;
        reference_end = std::int64_t{match.reference_start} + match.reference_length;
        hypothesis_end = std::int64_t{match.hypothesis_start} + match.hypothesis_length;
    }
    return chunks;
}

void count_lengths(const Vocabulary& vocabulary, Words words, std::int64_t& length,
                   std::int64_t& function_words) noexcept {
    for (const std::uint32_t type : words) {
        length += vocabulary.units(type);
        if (vocabulary.is_function_word(type)) function_words += vocabulary.units(type);
    }
}

void count_matched_words(const Vocabulary& vocabulary, Words words, double share, std::int64_t& content,
                         std::int64_t& function) noexcept {
    for (const std::uint32_t type : words) {
        (vocabulary.is_function_word(type) ? function : content) += round_share(vocabulary.units(type), share);
    }
}

void count_match(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                 const Match& match, std::int64_t* row) noexcept {
    std::int64_t* const counts = row + counts_of(match.matcher);
    const double share = chain.matchers[match.matcher].graded ? match.probability : 1.0;
    count_matched_words(vocabulary, hypothesis.subspan(match.hypothesis_start, match.hypothesis_length), share,
                        counts[Counts::hypothesis_content], counts[Counts::hypothesis_function]);
    count_matched_words(vocabulary, reference.subspan(match.reference_start, match.reference_length), share,
                        counts[Counts::reference_content], counts[Counts::reference_function]);
    std::int64_t* const after = row + after_matchers(chain);
    after[After::hypothesis_matched] += match.hypothesis_length;
    after[After::reference_matched] += match.reference_length;
}

// Counts the matches of matchers that compare whole segments. Each matches a fraction of both lengths.
void count_shared_characters(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                             std::int64_t* row) {
    thread_local SharedCharacters shared_characters;
    bool is_compared = false;
    for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
        const Family family = chain.matchers[k].family;
        if (family != Family::characters && family != Family::subsequence) continue;
        if (!std::exchange(is_compared, true)) {
            shared_characters.compare(vocabulary, chain.limits.characters, hypothesis, reference);
        }
        const CharacterShares shares =
            family == Family::characters ? shared_characters.ngram_shares() : shared_characters.subsequence_shares();
        const std::int64_t hypothesis_function = row[Before::hypothesis_function_words];
        const std::int64_t reference_function = row[Before::reference_function_words];
        const std::int64_t hypothesis_content = row[Before::hypothesis_length] - hypothesis_function;
        const std::int64_t reference_content = row[Before::reference_length] - reference_function;
        std::int64_t* const counts = row + counts_of(k);
        counts[Counts::hypothesis_content] = round_share(hypothesis_content, shares.precision);
        counts[Counts::reference_content] = round_share(reference_content, shares.recall);
        counts[Counts::hypothesis_function] = round_share(hypothesis_function, shares.precision);
        counts[Counts::reference_function] = round_share(reference_function, shares.recall);
    }
}

// Scales all counts of words so that every segment counts the same.
void normalize_lengths(const Chain& chain, std::int64_t* row) noexcept {
    const std::int64_t both_lengths = row[Before::hypothesis_length] + row[Before::reference_length];
    if (!both_lengths) return;
    const double scale = 2 * chain.limits.segment_unit / static_cast<double>(both_lengths);
    std::for_each(row, row + after_matchers(chain),
                  [scale](std::int64_t& count) { count = round_share(count, scale); });
}

}  // namespace

const Layout& layout() {
    static const Layout names{Before::names(), Counts::names(), After::names(), Part::names()};
    return names;
}

std::size_t statistics_width(const Chain& chain) noexcept { return after_matchers(chain) + After::COUNT; }

std::size_t scores_width() noexcept { return Part::COUNT; }

void count_statistics(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                      const std::vector<Match>& alignment, std::int64_t* row) {
    std::fill_n(row, statistics_width(chain), 0);
    count_lengths(vocabulary, hypothesis, row[Before::hypothesis_length], row[Before::hypothesis_function_words]);
    count_lengths(vocabulary, reference, row[Before::reference_length], row[Before::reference_function_words]);
    for (const Match& match : alignment) count_match(chain, vocabulary, hypothesis, reference, match, row);
    row[after_matchers(chain) + After::chunks] = count_chunks(alignment);
    count_shared_characters(chain, vocabulary, hypothesis, reference, row);
    if (chain.macro_average) normalize_lengths(chain, row);
}

void add_to_total(const Chain& chain, const std::int64_t* row, std::vector<std::int64_t>& total) noexcept {
    const std::size_t chunks = after_matchers(chain) + After::chunks;
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += row[k];
    if (is_perfect(chain, row)) total[chunks] -= row[chunks];
}

// The order of additions is the same as in meteor_e/scoring/formula.py, because it affects the last digit.
double compute_scores(const Chain& chain, const std::int64_t* row, double* scores) noexcept {
    const Parameters& parameters = chain.parameters;
    const double alpha = parameters.alpha, delta = parameters.delta;
    const auto to_double = [](std::int64_t value) { return static_cast<double>(value); };
    const auto weighted_matches = [&](std::size_t content, std::size_t function) {
        double sum = 0;
        for (const auto& [column, share] : {std::pair(content, delta), std::pair(function, 1 - delta)}) {
            for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
                sum += to_double(row[counts_of(k) + column]) * parameters.weights[k] * share;
            }
        }
        return sum;
    };
    const auto weighted_length = [&](std::size_t length, std::size_t function) {
        return delta * to_double(row[length] - row[function]) + (1 - delta) * to_double(row[function]);
    };
    const double precision = divide(weighted_matches(Counts::hypothesis_content, Counts::hypothesis_function),
                                    weighted_length(Before::hypothesis_length, Before::hypothesis_function_words));
    const double recall = divide(weighted_matches(Counts::reference_content, Counts::reference_function),
                                 weighted_length(Before::reference_length, Before::reference_function_words));
    const double fmean = divide(1.0, divide(1 - alpha, precision) + divide(alpha, recall));
    const std::int64_t* const after = row + after_matchers(chain);
    const double matched_words = to_double(after[After::hypothesis_matched] + after[After::reference_matched]) / 2;
    const double fragmentation = is_perfect(chain, row) ? 0.0 : divide(to_double(after[After::chunks]), matched_words);
    const double penalty = parameters.gamma * std::pow(fragmentation, parameters.beta);
    const double score = fmean * (1 - penalty);
    scores[Part::precision] = precision;
    scores[Part::recall] = recall;
    scores[Part::f1] = divide(2 * precision * recall, precision + recall);
    scores[Part::fmean] = fmean;
    scores[Part::fragmentation_penalty] = penalty;
    scores[Part::score] = score > 0 ? score : 0.0;  // 0 also replaces NaN
    return scores[Part::score];
}

}  // namespace meteor

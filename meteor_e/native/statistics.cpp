#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "shared_characters.hpp"

namespace meteor {

namespace {

// Each list names its columns once: as enumerators, and for Python, which compares them with its own.
#define METEOR_ENUMERATOR(name) name,
#define METEOR_NAME(name) #name,
#define METEOR_COLUMNS(Type, COLUMNS)                                              \
    struct Type {                                                                  \
        enum : std::size_t { COLUMNS(METEOR_ENUMERATOR) COUNT };                   \
        static std::vector<const char*> names() { return {COLUMNS(METEOR_NAME)}; } \
    };

// Of the whole pair, before the matchers' columns.
#define METEOR_BEFORE(X) \
    X(hypothesis_length) X(reference_length) X(hypothesis_function_words) X(reference_function_words)
// Of each matcher.
#define METEOR_MATCHER(X) X(hypothesis_content) X(reference_content) X(hypothesis_function) X(reference_function)
// Of the whole pair, after them.
#define METEOR_AFTER(X) X(chunks) X(hypothesis_matched) X(reference_matched)
#define METEOR_PARTS(X) X(precision) X(recall) X(f1) X(fmean) X(fragmentation_penalty) X(score)

METEOR_COLUMNS(Before, METEOR_BEFORE)
METEOR_COLUMNS(Counts, METEOR_MATCHER)
METEOR_COLUMNS(After, METEOR_AFTER)
METEOR_COLUMNS(Part, METEOR_PARTS)

std::size_t last_columns(const Chain& chain) { return Before::COUNT + Counts::COUNT * chain.matchers.size(); }

// Division of IEEE 754: 0/0 is not a number.
double ratio(double numerator, double denominator) {
    if (denominator != 0) return numerator / denominator;
    return numerator == 0 || std::isnan(numerator) ? std::numeric_limits<double>::quiet_NaN()
                                                   : std::numeric_limits<double>::infinity();
}

std::int64_t part(std::int64_t units, double share) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(units) * share + 0.5));
}

// Whether all words of both sides match in one chunk. The matchers' counts are compared with the lengths: both are in
// characters in character mode. A matcher of n-grams can make them more.
bool is_perfect(const Chain& chain, const std::int64_t* row) {
    if (row[last_columns(chain) + After::chunks] != 1) return false;
    std::int64_t hypothesis = 0, reference = 0;
    for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
        const std::int64_t* counts = row + Before::COUNT + Counts::COUNT * k;
        hypothesis += counts[Counts::hypothesis_content] + counts[Counts::hypothesis_function];
        reference += counts[Counts::reference_content] + counts[Counts::reference_function];
    }
    return hypothesis >= row[Before::hypothesis_length] && reference >= row[Before::reference_length];
}

// Chunks of matches sorted by reference position.
std::int64_t count_chunks(const std::vector<Match>& matches) {
    std::int64_t chunks = 0;
    std::int64_t reference_end = -1, hypothesis_end = -1;
    for (const Match& match : matches) {
        if (match.reference_start != reference_end || match.hypothesis_start != hypothesis_end) ++chunks;
        reference_end = std::int64_t{match.reference_start} + match.reference_length;
        hypothesis_end = std::int64_t{match.hypothesis_start} + match.hypothesis_length;
    }
    return chunks;
}

}  // namespace

const Layout& layout() {
    static const Layout names{Before::names(), Counts::names(), After::names(), Part::names()};
    return names;
}

std::size_t statistics_width(const Chain& chain) { return last_columns(chain) + After::COUNT; }

std::size_t scores_width() { return Part::COUNT; }

void count_statistics(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                      const std::vector<Match>& matches, std::int64_t* row) {
    std::fill_n(row, statistics_width(chain), 0);
    const auto count_words = [&](Words words, std::size_t length, std::size_t function) {
        for (const std::uint32_t type : words) {
            row[length] += vocabulary.units(type);
            if (vocabulary.functional(type)) row[function] += vocabulary.units(type);
        }
    };
    count_words(hypothesis, Before::hypothesis_length, Before::hypothesis_function_words);
    count_words(reference, Before::reference_length, Before::reference_function_words);
    std::int64_t* const last = row + last_columns(chain);
    for (const Match& match : matches) {
        std::int64_t* const counts = row + Before::COUNT + Counts::COUNT * match.matcher;
        const double share = chain.matchers[match.matcher].graded ? match.probability : 1.0;
        const auto count_matched = [&](Words words, std::size_t content, std::size_t function) {
            for (const std::uint32_t type : words) {
                counts[vocabulary.functional(type) ? function : content] += part(vocabulary.units(type), share);
            }
        };
        count_matched(hypothesis.subspan(match.hypothesis_start, match.hypothesis_length), Counts::hypothesis_content,
                      Counts::hypothesis_function);
        count_matched(reference.subspan(match.reference_start, match.reference_length), Counts::reference_content,
                      Counts::reference_function);
        last[After::hypothesis_matched] += match.hypothesis_length;
        last[After::reference_matched] += match.reference_length;
    }
    last[After::chunks] = count_chunks(matches);
    thread_local SharedCharacters shared;
    bool compared = false;
    for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
        const Family family = chain.matchers[k].family;
        if (family != Family::characters && family != Family::subsequence) continue;
        if (!std::exchange(compared, true)) shared.compare(vocabulary, chain.limits.characters, hypothesis, reference);
        const auto [precision, recall] = family == Family::characters ? shared.ngram_shares() : shared.subsequence_shares();
        const std::int64_t hypothesis_function = row[Before::hypothesis_function_words];
        const std::int64_t reference_function = row[Before::reference_function_words];
        std::int64_t* const counts = row + Before::COUNT + Counts::COUNT * k;
        counts[Counts::hypothesis_content] = part(row[Before::hypothesis_length] - hypothesis_function, precision);
        counts[Counts::reference_content] = part(row[Before::reference_length] - reference_function, recall);
        counts[Counts::hypothesis_function] = part(hypothesis_function, precision);
        counts[Counts::reference_function] = part(reference_function, recall);
    }
    const std::int64_t both = row[Before::hypothesis_length] + row[Before::reference_length];
    if (!chain.equal_segments || !both) return;
    const double scale = 2 * chain.limits.segment_unit / static_cast<double>(both);
    for (std::int64_t* at = row; at != last; ++at) *at = part(*at, scale);
}

void add_row(const Chain& chain, const std::int64_t* row, std::vector<std::int64_t>& total) {
    const std::size_t chunks = last_columns(chain) + After::chunks;
    const std::int64_t left_out = is_perfect(chain, row) ? row[chunks] : 0;
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += row[k];
    total[chunks] -= left_out;
}

// The order of the additions is fixed: the last digit depends on it.
double compute_scores(const Chain& chain, const std::int64_t* row, double* scores) {
    const Parameters& parameters = chain.parameters;
    const double alpha = parameters.alpha, delta = parameters.delta;
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    const auto weighted = [&](std::size_t content, std::size_t function) {
        double sum = 0;
        for (const auto& [column, share] : {std::pair(content, delta), std::pair(function, 1 - delta)}) {
            for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
                sum += number(row[Before::COUNT + Counts::COUNT * k + column]) * parameters.weights[k] * share;
            }
        }
        return sum;
    };
    const auto words = [&](std::size_t length, std::size_t function) {
        return delta * number(row[length] - row[function]) + (1 - delta) * number(row[function]);
    };
    const double precision = ratio(weighted(Counts::hypothesis_content, Counts::hypothesis_function),
                                   words(Before::hypothesis_length, Before::hypothesis_function_words));
    const double recall = ratio(weighted(Counts::reference_content, Counts::reference_function),
                                words(Before::reference_length, Before::reference_function_words));
    const double fmean = ratio(1.0, ratio(1 - alpha, precision) + ratio(alpha, recall));
    const std::int64_t* const last = row + last_columns(chain);
    const double matched = number(last[After::hypothesis_matched] + last[After::reference_matched]) / 2;
    const double fragmentation = is_perfect(chain, row) ? 0.0 : ratio(number(last[After::chunks]), matched);
    const double penalty = parameters.gamma * std::pow(fragmentation, parameters.beta);
    const double score = fmean * (1 - penalty);
    scores[Part::precision] = precision;
    scores[Part::recall] = recall;
    scores[Part::f1] = ratio(2 * precision * recall, precision + recall);
    scores[Part::fmean] = fmean;
    scores[Part::fragmentation_penalty] = penalty;
    return scores[Part::score] = score > 0 ? score : 0.0;
}

}  // namespace meteor

#include "statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace meteor {

namespace {

enum Column : std::size_t { HYPOTHESIS_LENGTH, REFERENCE_LENGTH, HYPOTHESIS_FUNCTION, REFERENCE_FUNCTION, MATCHERS };
enum Count : std::size_t {
    HYPOTHESIS_CONTENT_MATCHES,
    REFERENCE_CONTENT_MATCHES,
    HYPOTHESIS_FUNCTION_MATCHES,
    REFERENCE_FUNCTION_MATCHES,
    COUNTS
};
enum Last : std::size_t { CHUNKS, HYPOTHESIS_MATCHED, REFERENCE_MATCHED, LAST };
enum Part : std::size_t { PRECISION, RECALL, F1, FMEAN, PENALTY, SCORE, PARTS };

constexpr std::size_t LONGEST_NGRAM = 6;

std::size_t last_columns(const Chain& chain) { return MATCHERS + COUNTS * chain.matchers.size(); }

// Division of IEEE 754: 0/0 is not a number.
double ratio(double numerator, double denominator) {
    if (denominator != 0) return numerator / denominator;
    return numerator == 0 || std::isnan(numerator) ? std::numeric_limits<double>::quiet_NaN()
                                                   : std::numeric_limits<double>::infinity();
}

// A segment's n-grams of characters, hashed and sorted; its words are joined and surrounded by spaces.
void find_ngrams(const Vocabulary& vocabulary, Words words, std::array<std::vector<std::uint64_t>, LONGEST_NGRAM>& ngrams) {
    std::u32string text(1, U' ');
    for (const std::uint32_t type : words) {
        const View<char32_t> form = vocabulary.form(type);
        text.append(form.data, form.size).push_back(U' ');
    }
    for (std::vector<std::uint64_t>& some : ngrams) some.clear();
    for (std::size_t start = 0; words.size && start < text.size(); ++start) {
        std::uint64_t hash = 0;
        for (std::size_t length = 0; length < LONGEST_NGRAM && start + length < text.size(); ++length) {
            hash = (hash ^ text[start + length]) * 0x9E3779B97F4A7C15u + 1;
            hash ^= hash >> 29;
            ngrams[length].push_back(hash);
        }
    }
    for (std::vector<std::uint64_t>& some : ngrams) std::sort(some.begin(), some.end());
}

// What share of the n-grams of characters is the other segment's, too, of the hypothesis and of the reference: the
// means over the lengths; meteor_e/scoring/statistics.py is the definition.
std::pair<double, double> character_shares(const Vocabulary& vocabulary, Words hypothesis, Words reference) {
    thread_local std::array<std::vector<std::uint64_t>, LONGEST_NGRAM> own, others;
    find_ngrams(vocabulary, hypothesis, own);
    find_ngrams(vocabulary, reference, others);
    double precision = 0, recall = 0;
    int lengths = 0;
    for (std::size_t k = 0; k < LONGEST_NGRAM && !own[k].empty() && !others[k].empty(); ++k) {
        std::size_t i = 0, j = 0, common = 0;
        while (i < own[k].size() && j < others[k].size()) {
            const bool same = own[k][i] == others[k][j], less = own[k][i] < others[k][j];
            common += same;
            i += same || less;
            j += !less;
        }
        precision += static_cast<double>(common) / static_cast<double>(own[k].size());
        recall += static_cast<double>(common) / static_cast<double>(others[k].size());
        ++lengths;
    }
    return lengths ? std::make_pair(precision / lengths, recall / lengths) : std::make_pair(0.0, 0.0);
}

std::int64_t part(std::int64_t units, double share) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(units) * share + 0.5));
}

// Whether all words of both sides match in one chunk. The matchers' counts are compared with the lengths: both are in
// characters in character mode. A matcher of n-grams can make them more.
bool is_perfect(const Chain& chain, const std::int64_t* row) {
    if (row[last_columns(chain) + CHUNKS] != 1) return false;
    std::int64_t hypothesis = 0, reference = 0;
    for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
        const std::int64_t* counts = row + MATCHERS + COUNTS * k;
        hypothesis += counts[HYPOTHESIS_CONTENT_MATCHES] + counts[HYPOTHESIS_FUNCTION_MATCHES];
        reference += counts[REFERENCE_CONTENT_MATCHES] + counts[REFERENCE_FUNCTION_MATCHES];
    }
    return hypothesis >= row[HYPOTHESIS_LENGTH] && reference >= row[REFERENCE_LENGTH];
}

}  // namespace

const Layout& layout() {
    static const Layout names{
        {"hypothesis_length", "reference_length", "hypothesis_function_words", "reference_function_words"},
        {"hypothesis_content", "reference_content", "hypothesis_function", "reference_function"},
        {"chunks", "hypothesis_matched", "reference_matched"},
        {"precision", "recall", "f1", "fmean", "fragmentation_penalty", "score"},
    };
    return names;
}

std::size_t statistics_width(const Chain& chain) { return last_columns(chain) + LAST; }

std::size_t scores_width() { return PARTS; }

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

void count_statistics(const Chain& chain, const Vocabulary& vocabulary, Words hypothesis, Words reference,
                      const std::vector<Match>& matches, std::int64_t* row) {
    std::fill_n(row, statistics_width(chain), 0);
    for (const std::uint32_t type : hypothesis) {
        row[HYPOTHESIS_LENGTH] += vocabulary.units(type);
        if (vocabulary.functional(type)) row[HYPOTHESIS_FUNCTION] += vocabulary.units(type);
    }
    for (const std::uint32_t type : reference) {
        row[REFERENCE_LENGTH] += vocabulary.units(type);
        if (vocabulary.functional(type)) row[REFERENCE_FUNCTION] += vocabulary.units(type);
    }
    std::int64_t* const last = row + last_columns(chain);
    for (const Match& match : matches) {
        std::int64_t* const counts = row + MATCHERS + COUNTS * match.matcher;
        const double share = chain.matchers[match.matcher].graded ? match.probability : 1.0;
        const auto units = [&](std::uint32_t type) {
            return part(vocabulary.units(type), share);
        };
        for (std::uint32_t k = 0; k < match.hypothesis_length; ++k) {
            const std::uint32_t type = hypothesis[match.hypothesis_start + k];
            counts[vocabulary.functional(type) ? HYPOTHESIS_FUNCTION_MATCHES : HYPOTHESIS_CONTENT_MATCHES] += units(type);
        }
        for (std::uint32_t k = 0; k < match.reference_length; ++k) {
            const std::uint32_t type = reference[match.reference_start + k];
            counts[vocabulary.functional(type) ? REFERENCE_FUNCTION_MATCHES : REFERENCE_CONTENT_MATCHES] += units(type);
        }
        last[HYPOTHESIS_MATCHED] += match.hypothesis_length;
        last[REFERENCE_MATCHED] += match.reference_length;
    }
    last[CHUNKS] = count_chunks(matches);
    for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
        if (chain.matchers[k].family != Family::characters) continue;
        const auto [precision, recall] = character_shares(vocabulary, hypothesis, reference);
        std::int64_t* const counts = row + MATCHERS + COUNTS * k;
        counts[HYPOTHESIS_CONTENT_MATCHES] = part(row[HYPOTHESIS_LENGTH] - row[HYPOTHESIS_FUNCTION], precision);
        counts[REFERENCE_CONTENT_MATCHES] = part(row[REFERENCE_LENGTH] - row[REFERENCE_FUNCTION], recall);
        counts[HYPOTHESIS_FUNCTION_MATCHES] = part(row[HYPOTHESIS_FUNCTION], precision);
        counts[REFERENCE_FUNCTION_MATCHES] = part(row[REFERENCE_FUNCTION], recall);
    }
}

void add_row(const Chain& chain, const std::int64_t* row, std::vector<std::int64_t>& total) {
    const std::size_t chunks = last_columns(chain) + CHUNKS;
    const std::int64_t left_out = is_perfect(chain, row) ? row[chunks] : 0;
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += row[k];
    total[chunks] -= left_out;
}

// The order of the additions is fixed: the last digit depends on it.
double compute_scores(const Chain& chain, const std::int64_t* row, double* scores) {
    const Parameters& parameters = chain.parameters;
    const double alpha = parameters.alpha, delta = parameters.delta;
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    double hypothesis_weighted = 0, reference_weighted = 0;
    for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
        const std::int64_t* counts = row + MATCHERS + COUNTS * k;
        hypothesis_weighted += number(counts[HYPOTHESIS_CONTENT_MATCHES]) * parameters.weights[k] * delta;
        reference_weighted += number(counts[REFERENCE_CONTENT_MATCHES]) * parameters.weights[k] * delta;
    }
    for (std::size_t k = 0; k < chain.matchers.size(); ++k) {
        const std::int64_t* counts = row + MATCHERS + COUNTS * k;
        hypothesis_weighted += number(counts[HYPOTHESIS_FUNCTION_MATCHES]) * parameters.weights[k] * (1 - delta);
        reference_weighted += number(counts[REFERENCE_FUNCTION_MATCHES]) * parameters.weights[k] * (1 - delta);
    }
    const auto words = [&](Column length, Column function) {
        return delta * number(row[length] - row[function]) + (1 - delta) * number(row[function]);
    };
    const double precision = ratio(hypothesis_weighted, words(HYPOTHESIS_LENGTH, HYPOTHESIS_FUNCTION));
    const double recall = ratio(reference_weighted, words(REFERENCE_LENGTH, REFERENCE_FUNCTION));
    const double fmean = ratio(1.0, ratio(1 - alpha, precision) + ratio(alpha, recall));
    const std::int64_t* const last = row + last_columns(chain);
    const double matched = number(last[HYPOTHESIS_MATCHED] + last[REFERENCE_MATCHED]) / 2;
    const double fragmentation = is_perfect(chain, row) ? 0.0 : ratio(number(last[CHUNKS]), matched);
    const double penalty = parameters.gamma * std::pow(fragmentation, parameters.beta);
    const double score = fmean * (1 - penalty);
    scores[PRECISION] = precision;
    scores[RECALL] = recall;
    scores[F1] = ratio(2 * precision * recall, precision + recall);
    scores[FMEAN] = fmean;
    scores[PENALTY] = penalty;
    return scores[SCORE] = score > 0 ? score : 0.0;
}

}  // namespace meteor

// Matches of single words by the similarity of their vectors.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "chain.hpp"
#include "sentence_rows.hpp"
#include "vocabulary.hpp"

namespace meteor {

// Calls `add(j, i, probability)` for each reference word j that matches a hypothesis word i. Different words match if
// their similarity is in the interval of the matcher. Equal words match if the interval has no upper bound.
// `comparison` is an object of a class below. If `add` returns false, the function stops and returns false.
template <class Comparison, class Add>
[[nodiscard]] bool visit_similar_words(const Vocabulary& vocabulary, const Matcher& matcher, Words hypothesis,
                                       Words reference, Comparison& comparison, const Add& add) {
    const bool matches_equal_words = matcher.below > 1;
    for (std::uint32_t j = 0; j < reference.size(); ++j) {
        const std::uint32_t identity = vocabulary.identity(reference[j]);
        comparison.select_reference_word(j);
        for (std::uint32_t i = 0; i < hypothesis.size(); ++i) {
            double similarity = 1.0;
            if (vocabulary.identity(hypothesis[i]) == identity) {
                if (!matches_equal_words) continue;
            } else {
                similarity = comparison.similarity(i);
                // The similarity of a word without a vector is NaN. NaN is not in any interval.
                if (!(similarity >= matcher.threshold && similarity < matcher.below)) continue;
            }
            if (!add(j, i, std::min(1.0, similarity))) return false;
        }
    }
    return true;
}

// Compares words by the vectors of their word types.
class TypeComparison {
public:
    void load(const VectorColumn& column, Words hypothesis, Words reference);
    void select_reference_word(std::uint32_t j);
    [[nodiscard]] double similarity(std::uint32_t i) const noexcept {
        const bool has_vectors = has_reference_vector_ && column_->has_vector[hypothesis_[i]];
        return has_vectors ? (1 + dot_products_[i]) / 2 : std::numeric_limits<double>::quiet_NaN();
    }

private:
    const VectorColumn* column_ = nullptr;
    Words hypothesis_, reference_;
    bool has_reference_vector_ = false;
    std::vector<double> transposed_;    // the vectors of the hypothesis, by dimension
    std::vector<double> dot_products_;  // of the selected reference word with each hypothesis word
};

// Compares words by contextual vectors, which depend on the sentence.
class SentenceComparison {
public:
    SentenceComparison(const SentenceRows& hypothesis, const SentenceRows& reference)
        : hypothesis_(hypothesis), reference_(reference) {}
    void select_reference_word(std::uint32_t j) noexcept { j_ = j; }
    [[nodiscard]] double similarity(std::uint32_t i) const noexcept {
        const bool has_vectors = reference_.has_vector(j_) && hypothesis_.has_vector(i);
        return has_vectors ? reference_.similarity(j_, hypothesis_, i) : std::numeric_limits<double>::quiet_NaN();
    }

private:
    const SentenceRows &hypothesis_, &reference_;
    std::uint32_t j_ = 0;
};

}  // namespace meteor

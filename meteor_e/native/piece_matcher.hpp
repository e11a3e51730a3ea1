// Partial matches of words that have pieces in common, such as character n-grams.
#pragma once

#include <array>
#include <compare>
#include <vector>

#include "candidate_set.hpp"
#include "chain.hpp"
#include "vocabulary.hpp"

namespace meteor {

// Runs matchers of the families `overlap` and `ngrams`. Words that occur in both segments are left to the exact
// matcher. The other words are paired greedily, from the most similar pair to the least similar pair. A word is in at
// most one pair.
class PieceMatcher {
public:
    explicit PieceMatcher(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    [[nodiscard]] Failure add_candidates(const Matcher& matcher, std::uint32_t matcher_index, Words hypothesis,
                                         Words reference, CandidateSet& candidates);

private:
    struct Overlap {
        double similarity;
        std::int64_t displacement;  // difference of the words' relative positions, scaled to an integer
        std::uint32_t j, i;

        // Pairs are chosen in this order: higher similarity first, then lower displacement, lower j, and lower i.
        [[nodiscard]] bool operator<(const Overlap& other) const noexcept;
    };
    // A block of up to 64 reference words. Each word has a bit.
    static constexpr std::size_t BLOCK = 64;
    using CountBits = std::array<std::uint64_t, 32>;

    void find_common_words(Words hypothesis, Words reference);
    [[nodiscard]] bool is_common(std::uint32_t type) const noexcept {
        return occurrence_[vocabulary_.identity(type)] == (IN_HYPOTHESIS | IN_REFERENCE);
    }
    void clear_common_words(Words hypothesis, Words reference) noexcept;
    void find_overlaps(const KeyColumn& pieces, double threshold, Words hypothesis, Words reference);
    void compare_with_block(const KeyColumn& pieces, double threshold, Words hypothesis, Words reference,
                            View<std::uint32_t> block, std::uint32_t i);
    [[nodiscard]] Failure choose_pairs(std::uint32_t matcher_index, std::size_t hypothesis_size,
                                       std::size_t reference_size, CandidateSet& candidates);

    static constexpr std::uint8_t IN_HYPOTHESIS = 1, IN_REFERENCE = 2;

    const Vocabulary& vocabulary_;
    std::vector<std::uint8_t> occurrence_;        // by identity; 0 between two calls
    std::vector<std::uint32_t> reference_words_;  // positions of the words that are not common
    std::vector<std::uint64_t> words_of_piece_;   // by piece, the block's words that have it; 0 between two blocks
    std::vector<Overlap> overlaps_;
    std::vector<std::uint8_t> is_hypothesis_word_taken_, is_reference_word_taken_;
};

}  // namespace meteor

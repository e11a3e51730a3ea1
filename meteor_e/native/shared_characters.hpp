// Common character n-grams and subsequences of two segments, as defined in meteor_e/scoring/characters.py.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common.hpp"
#include "limits.hpp"
#include "vocabulary.hpp"

namespace meteor {

// Precision (matched fraction of the hypothesis) and recall (matched fraction of the reference).
struct CharacterShares {
    double precision = 0, recall = 0;
};

// Compares pairs of segments. The buffers are reused for the next pair.
class SharedCharacters {
public:
    static constexpr std::size_t MAX_NGRAM = 6;          // characters of the longest n-grams
    static constexpr std::size_t MAX_ORDERED_NGRAM = 2;  // characters of the longest n-grams in subsequences

    // Loads a pair of segments and counts their common n-grams.
    void compare(const Vocabulary& vocabulary, const CharacterLimits& limits, Words hypothesis, Words reference);

    [[nodiscard]] CharacterShares ngram_shares() const noexcept { return ngram_shares_; }
    [[nodiscard]] CharacterShares subsequence_shares();

private:
    // An n-gram of up to six characters. Each half contains three characters of 21 bits. A character is stored as its
    // code point + 1, so n-grams of different lengths are different, and every n-gram has its own key.
    struct NgramKey {
        std::uint64_t high = 0, low = 0;

        void append(char32_t character) noexcept {
            high = high << 21 | low >> 42;
            low = (low << 21 | (character + 1)) & ((std::uint64_t{1} << 63) - 1);
        }
        [[nodiscard]] std::uint64_t hash() const noexcept;
        bool operator==(const NgramKey&) const = default;
    };
    // An entry of the hash table. An unused entry has an empty key.
    struct NgramCounts {
        NgramKey key;
        std::uint32_t in_reference = 0, in_hypothesis = 0;
    };

    [[nodiscard]] std::size_t slot_of(const NgramKey& key) const noexcept;
    void prepare_table(std::size_t max_ngrams);
    void count_reference_ngrams();
    std::size_t count_hypothesis_ngrams(std::array<std::size_t, MAX_NGRAM>& common);
    [[nodiscard]] std::size_t common_subsequence(const std::vector<std::uint32_t>& hypothesis,
                                                 const std::vector<std::uint32_t>& reference, std::uint32_t symbols);

    CharacterLimits limits_;
    std::u32string hypothesis_, reference_;
    CharacterShares ngram_shares_;
    double unrepeated_ = 1;  // factor that penalizes repetition

    std::vector<NgramCounts> table_;
    std::size_t table_mask_ = 0;
    // The symbols of the subsequences are the n-grams of the reference. For each length, they are numbered from 0.
    std::vector<std::uint32_t> symbol_of_slot_;
    std::array<std::uint32_t, MAX_ORDERED_NGRAM> symbol_count_{};
    std::array<std::vector<std::uint32_t>, MAX_ORDERED_NGRAM> hypothesis_symbols_, reference_symbols_;

    std::vector<std::uint64_t> symbol_masks_;
    std::vector<std::uint8_t> carries_;
};

}  // namespace meteor

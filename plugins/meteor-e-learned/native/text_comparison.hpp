// Computes the columns of the feature "text" for a text and its reference.
//
// The definition is meteor_e_learned/features/text.py, in the same order; tests compare both bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "count_table.hpp"
#include "item_table.hpp"
#include "key_counter.hpp"
#include "text.hpp"

namespace meteor::learned {

struct Settings {
    double total;                             // of the counts of words
    double back_off;                          // factor for a pair of words that is not listed
    double unlisted;                          // count of a word that is not listed
    double max_association;                   // of a pair of words
    std::size_t usual_lists, frequent_lists;  // numbers of wordfreq's lists with usual and with frequent words
};

// Assigns ids from 0 to strings, in the order of their first appearance.
class StringIds {
public:
    std::int32_t find_or_insert(const std::string& text) {
        return ids_.emplace(text, static_cast<std::int32_t>(ids_.size())).first->second;
    }
    [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }

private:
    std::unordered_map<std::string, std::int32_t> ids_;
};

// Buffers and the probabilities of word pairs are reused from one call to the next.
class TextComparison {
public:
    static constexpr std::size_t WIDTH = 37;
    static constexpr std::size_t MAX_NGRAM = 6;
    static constexpr std::size_t MAX_EDIT_CHARACTERS = 2000;  // of a text, for the edit distance

    TextComparison(const CountTable& word_counts, const CountTable& pair_counts, Settings settings)
        : word_counts_(word_counts), pair_counts_(pair_counts), settings_(settings) {}

    // The ids of the parts of a Word.
    StringIds forms, stems;
    std::int32_t plain_id(const std::string& text);
    [[nodiscard]] std::size_t cached_pair_count() const noexcept { return pairs_.size(); }

    // Fills the WIDTH columns.
    void compare(const Text& hypothesis, const Text& reference, double* columns);

private:
    struct Ngram {
        std::int32_t start;
        std::int32_t id;
    };
    // Two consecutive plain words.
    struct WordPair {
        std::uint64_t key;
        double log_probability;  // of the second word given the first
        double association;
        bool is_listed;
    };
    using KindCounts = std::vector<std::int64_t>;
    // Counts of the words of the hypothesis.
    struct WordCounts {
        std::int64_t distinct_reference_words = 0;
        std::int64_t frequent = 0, unknown = 0, rare = 0, capitalized = 0, repeated = 0;
        KindCounts common, hypothesis, reference;
    };

    double* compare_characters(const Text& hypothesis, const Text& reference, double* columns);
    double* compare_words(const Text& hypothesis, const Text& reference, double* columns);
    double* compare_pairs(const Text& hypothesis, const Text& reference, double* columns);
    void count_words(const Text& hypothesis, const Text& reference, WordCounts& counts);
    const WordPair& pair_of(std::int32_t first, std::int32_t second);
    [[nodiscard]] WordPair compute_pair(std::int32_t first, std::int32_t second) const;
    [[nodiscard]] std::int64_t count_polarity_changes(const Text& hypothesis, const Text& reference) const;
    [[nodiscard]] std::int64_t edit_distance(std::u32string_view first, std::u32string_view second);
    void count_common_ngrams(const Text& hypothesis, const Text& reference, std::int64_t* common);

    const CountTable& word_counts_;
    const CountTable& pair_counts_;
    Settings settings_;
    StringIds plain_ids_;
    std::vector<std::string> plain_forms_;  // by id
    std::vector<double> plain_counts_;      // by id; -1 if the form is not listed
    ItemTable<WordPair> pairs_;
    std::vector<std::int32_t> unmatched_;      // by form, the reference's words; 0 between calls
    std::vector<bool> is_in_reference_;        // by form; false between calls
    std::vector<bool> is_plain_in_reference_;  // by plain form; false between calls
    KeyCounter key_counter_;
    std::vector<Ngram> hypothesis_ngrams_, reference_ngrams_;
    std::vector<std::uint64_t> character_masks_, increases_, decreases_;
};

}  // namespace meteor::learned

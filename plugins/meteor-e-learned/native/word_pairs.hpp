// How usual a text's pairs of words are, by counts of words and of pairs of words.
//
// The definition is meteor_e_learned/features/word_pairs.py; tests compare both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meteor::learned {

// Counts by key, found in a file's own text: lines of a key, a tab and a whole number. The text outlives the table.
// Of a key that stands there twice, the last line counts.
class CountTable {
public:
    // Throws std::invalid_argument for a line that has another form.
    explicit CountTable(std::string_view text);

    // The count of a key, or `missing`.
    double count(std::string_view key, double missing) const;

private:
    // The upper half of a key's hash, and one more than where its line begins; 0 where nothing is.
    using Slot = std::uint64_t;

    // Where the line of a key begins, or the place for it.
    std::size_t find(std::string_view key, std::uint64_t hash) const;

    std::string_view text_;
    std::vector<Slot> slots_;
};

// What a pair that is not listed counts for, and limits: see meteor_e_learned/features/word_pairs.py.
struct PairSettings {
    double total, back_off, unlisted, strongest;
};

// The counts that probabilities come from.
struct PairLists {
    CountTable words, pairs;
    PairSettings settings;
};

// A word of a text, which outlives it; words and pairs of them are in order by hash, then by characters.
struct HashedWord {
    std::uint64_t hash;
    std::string_view text;
};

// Two words that follow each other.
struct WordPair {
    HashedWord first, second;
};

// The pairs of one text in lower case: of its runs of a-z and of 0-9, anything else parts them.
class PairedText {
public:
    explicit PairedText(std::string_view text);

    // Sorts words and pairs, for the two questions below.
    void prepare();
    bool has(const HashedWord& word) const;
    bool has(const WordPair& pair) const;

    // Seven numbers of the pairs that no reference has; each pair is looked up when it is needed.
    void added(const std::vector<const PairedText*>& references, const PairLists& lists, double* result) const;

    static constexpr std::size_t width = 7;

private:
    std::vector<HashedWord> words_, sorted_words_;
    std::vector<WordPair> pairs_, sorted_pairs_;
};

}  // namespace meteor::learned

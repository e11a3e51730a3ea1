// What the feature "text" counts of a text beside a reference.
//
// The definition is meteor_e_learned/features/text.py, whose names are used here; tests compare both, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "count_table.hpp"
#include "table.hpp"

namespace meteor::learned {

// What is known about a word; words with equal forms, stems or plain forms have the same numbers for these.
struct Word {
    std::int32_t form, stem;
    std::int32_t plain;  // -1 for a mark of punctuation
    std::int32_t kind;
    std::int64_t letters;
    bool wordlike, unknown, rare, frequent, capital, denies, implies;
};

// The kinds of words, in the order of meteor_e_learned/features/text.py.
enum Kind { determiner, pronoun, preposition, conjunction, auxiliary, question, negation, number, mark, content };

// What a pair that is not listed counts for, limits, and up to which lists of wordfreq words are usual, or frequent.
struct Settings {
    double total, back_off, unlisted, strongest;
    std::size_t usual, frequent;
};

// Numbers strings from 0 in the order in which they come.
class Strings {
public:
    std::int32_t number(const std::string& text) {
        return places_.emplace(text, static_cast<std::int32_t>(places_.size())).first->second;
    }
    std::size_t size() const { return places_.size(); }

private:
    std::unordered_map<std::string, std::int32_t> places_;
};

// Counts keys. Emptied in no time.
class Counts {
public:
    // Makes room for `count` keys, and forgets all.
    void start(std::size_t count);
    // The place of a key, which is its number; a new one has a count of 0.
    std::int32_t number(std::uint64_t key) {
        const std::size_t at = place(key);
        if (slots_[at].round != round_) slots_[at] = Slot{key, round_, 0, false};
        return static_cast<std::int32_t>(at);
    }
    // The number of a key, or -1 for one that is not there.
    std::int32_t known(std::uint64_t key) const {
        const std::size_t at = place(key);
        return slots_[at].round == round_ ? static_cast<std::int32_t>(at) : -1;
    }
    std::int32_t& count(std::int32_t number) { return slots_[static_cast<std::size_t>(number)].count; }
    // Takes one of a number's count; false if none is left.
    bool take(std::int32_t number) {
        Slot& slot = slots_[static_cast<std::size_t>(number)];
        slot.taken = true;
        const bool left = slot.count > 0;
        slot.count -= left;
        return left;
    }
    bool taken(std::int32_t number) const { return slots_[static_cast<std::size_t>(number)].taken; }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t round = 0;
        std::int32_t count = 0;
        bool taken = false;
    };

    std::size_t place(std::uint64_t key) const {
        const std::uint64_t mixed = key * 0x9E3779B97F4A7C15ull;
        std::size_t at = static_cast<std::size_t>(mixed ^ (mixed >> 32)) & mask_;
        while (slots_[at].round == round_ && slots_[at].key != key) at = (at + 1) & mask_;
        return at;
    }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint32_t round_ = 0;
};

// A text, split: words, and characters without spaces.
struct Side {
    std::u32string text;  // with spaces
    std::vector<const Word*> words;
    std::u32string characters;
    std::u32string capitals;  // sorted
    std::int64_t digits = 0;
    bool capital = false;  // The first character is one.
    std::vector<std::int32_t> plain;

    // Forgets all but how much room was needed.
    void clear() {
        text.clear();
        words.clear();
        characters.clear();
        capitals.clear();
        plain.clear();
        digits = 0;
        capital = false;
    }
};

// Counts texts beside references. What it keeps between calls is memory only.
class Counter {
public:
    static constexpr std::size_t width = 37;
    static constexpr std::size_t orders = 6;
    // Characters of a text that the edit distance compares.
    static constexpr std::size_t longest = 2000;

    Counter(const CountTable& words, const CountTable& pairs, Settings settings)
        : words_(words), pairs_(pairs), settings_(settings) {}

    // Numbers of the parts of words: what `Word` holds.
    Strings forms, stems;
    std::int32_t plain(const std::string& text);
    std::size_t known_pairs() const { return known_pairs_.size(); }

    // Writes the numbers of a text beside a reference, `width` of them.
    void count(const Side& left, const Side& right, double* result);

private:
    // An n-gram: where it begins, and its number.
    struct Gram {
        std::int32_t at, number;
    };

    // Two plain words that follow each other: logarithm of the second's probability, association, and if it is listed.
    struct Pair {
        std::uint64_t key;
        double logarithm, association;
        bool listed;
    };

    double* characters(const Side& left, const Side& right, double* result);
    double* words(const Side& left, const Side& right, double* result);
    double* pairs(const Side& left, const Side& right, double* result);
    const Pair& pair(std::int32_t first, std::int32_t second);
    Pair looked_up(std::int32_t first, std::int32_t second) const;
    std::int64_t polarity(const Side& left, const Side& right);
    std::int64_t edits(std::u32string_view one, std::u32string_view other);
    void common_ngrams(const Side& left, const Side& right, std::int64_t* common);

    const CountTable& words_;
    const CountTable& pairs_;
    Settings settings_;
    Strings plain_numbers_;
    std::vector<std::string> plain_;
    std::vector<double> counts_;  // of plain words; -1 for one that is not listed
    Table<Pair> known_pairs_;
    std::vector<std::int32_t> rest_;  // By form, how many of the reference's words are not matched; 0 between calls.
    std::vector<bool> here_, plain_here_;  // By form or plain form, whether the reference has it; false between calls.
    Counts counted_;
    std::vector<Gram> left_grams_, right_grams_;
    std::vector<std::uint64_t> places_, plus_, minus_;
};

}  // namespace meteor::learned

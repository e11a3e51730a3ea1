// A text, split into words and characters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace meteor::learned {

// The kinds of words, in the order of meteor_e_learned/features/text.py.
enum Kind { determiner, pronoun, preposition, conjunction, auxiliary, question, negation, number, mark, content };
constexpr std::size_t KIND_COUNT = std::size_t{content} + 1;

// A word type. Words with the same form, stem or plain form have the same id for it.
struct Word {
    std::int32_t form, stem;
    std::int32_t plain;  // the form without quotes, or -1 for a punctuation mark
    std::int32_t kind;
    std::int64_t letters;
    bool is_word, is_unknown, is_rare, is_frequent, is_capitalized, denies, implies_denial;
};

struct Text {
    std::u32string raw;
    std::vector<const Word*> words;
    std::vector<std::int32_t> plain_words;
    std::u32string characters;  // without spaces
    std::u32string capitals;    // sorted
    std::int64_t digits = 0;
    bool starts_with_capital = false;

    // Removes everything except for the allocated memory.
    void clear() noexcept {
        raw.clear();
        words.clear();
        plain_words.clear();
        characters.clear();
        capitals.clear();
        digits = 0;
        starts_with_capital = false;
    }
};

}  // namespace meteor::learned

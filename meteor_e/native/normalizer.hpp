// From raw text to words: the passes of meteor_e/text/normalization.py, which says what each is for.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "common.hpp"

namespace meteor {

// Character classes of METEOR's normalization (section 1 of the specification).
enum CharacterClass : std::uint8_t {
    ALPHA = 1,       // letters, as METEOR knows them
    DIGIT = 2,       // 0-9
    SPACE = 4,       // white space of ASCII
    PLAIN = 8,       // . ' ` , - ‘ ’: left alone by the first step
    SEPARATOR = 16,  // what words are split on
    BLANK = 32,      // Unicode's spaces, which the last step merges
};
constexpr std::uint8_t ALNUM = ALPHA | DIGIT;

constexpr char32_t CLASSED = 0xA698;  // no character from here on has a class

inline constexpr std::array<std::uint8_t, CLASSED> CHARACTER_CLASSES = [] {
    std::array<std::uint8_t, CLASSED> made{};
    const auto mark = [&made](std::initializer_list<std::array<char32_t, 2>> ranges, std::uint8_t flag) {
        for (const auto& [first, last] : ranges) {
            for (char32_t character = first; character <= last; ++character) made[character] |= flag;
        }
    };
    mark({{'A', 'Z'}, {'a', 'z'}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x17E}}, ALPHA);
    mark({{0x400, 0x4FF}, {0x500, 0x527}}, ALPHA);
    mark({{0xA640, 0xA66E}, {0xA67E, 0xA697}, {0x1D00, 0x1D7F}}, ALPHA);
    mark({{'0', '9'}}, DIGIT);
    mark({{'\t', '\r'}, {' ', ' '}}, SPACE);
    mark({{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}, SEPARATOR);
    mark({{'\'', '\''}, {',', '.'}, {'`', '`'}, {0x2018, 0x2019}}, PLAIN);
    mark({{' ', ' '}, {0xA0, 0xA0}, {0x2000, 0x200A}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}}, BLANK);
    return made;
}();

inline std::uint8_t classes(char32_t character) {
    return character < CLASSED ? CHARACTER_CLASSES[character] : std::uint8_t{0};
}

enum class Mode { none, lower, full, no_punctuation };
enum class Apostrophes { english, french, apart };

// A text as Python holds it: `width` bytes a character.
struct Text {
    const void* data = nullptr;
    std::size_t size = 0;
    int width = 1;
};

// The words of a text: slices of `characters`.
struct NormalizedText {
    std::u32string characters;
    std::vector<std::pair<std::size_t, std::size_t>> words;  // offset and length
    std::u32string spare;                                    // the passes' second buffer
};

class Normalizer {
public:
    using Lowercase = char32_t (*)(char32_t);
    using Prefixes = std::unordered_set<std::u32string>;

    Normalizer(Mode mode, Apostrophes apostrophes, Prefixes always, Prefixes numeric,
               const std::u32string& kept_capitals, Lowercase lowercase)
        : mode_(mode),
          apostrophes_(apostrophes),
          always_(std::move(always)),
          numeric_(std::move(numeric)),
          kept_capitals_(kept_capitals.begin(), kept_capitals.end()),
          lowercase_(lowercase) {}

    // Fills `result`. `following`: the character behind the text and white space, if there is any. False: the text
    // needs the Python normalizer (a letter whose lower case depends on its neighbours or is two characters, or
    // METEOR's own marker for dots).
    bool words(const Text& text, char32_t following, NormalizedText& result) const;

private:
    struct Found;  // which characters the text holds, so that passes without work are left out

    template <class Character>
    bool words_of(const Character* text, std::size_t size, char32_t following, NormalizedText& result) const;
    template <class Character>
    static bool set_symbols_apart(const Character* text, std::size_t size, std::u32string& out, Found& found);
    bool normalize_punctuation(NormalizedText& result, char32_t following, const Found& found) const;
    void split_apostrophes(std::u32string& text, std::u32string& spare) const;
    bool split_final_dots(const std::u32string& text, char32_t following, std::u32string& out) const;
    bool split_final_dot(const char32_t* first, const char32_t* last, char32_t following, std::u32string& out) const;
    bool split_words(NormalizedText& result) const;
    bool lower(char32_t& character) const;  // false: its lower case is for Python

    Mode mode_;
    Apostrophes apostrophes_;
    Prefixes always_, numeric_;
    std::unordered_set<char32_t> kept_capitals_;  // that stay as they are, whatever `lowercase_` has of them
    Lowercase lowercase_;
};

}  // namespace meteor

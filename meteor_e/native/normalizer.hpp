// Splits raw text into words. meteor_e/text/normalization.py documents the steps.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common.hpp"

namespace meteor {

// Character classes of METEOR's normalization (section 1 of the specification).
enum CharacterClass : std::uint8_t {
    ALPHA = 1,       // what METEOR considers a letter
    DIGIT = 2,       // 0-9
    SPACE = 4,       // white space of ASCII
    PLAIN = 8,       // . ' ` , - ‘ ’, which the first step does not set apart
    SEPARATOR = 16,  // separates words
    BLANK = 32,      // Unicode spaces, which the last step merges
};
constexpr std::uint8_t ALNUM = ALPHA | DIGIT;

constexpr char32_t CLASSIFIED_END = 0xA698;  // characters from here on do not have a class

inline constexpr std::array<std::uint8_t, CLASSIFIED_END> CHARACTER_CLASSES = [] {
    std::array<std::uint8_t, CLASSIFIED_END> flags{};
    const auto mark = [&flags](std::initializer_list<std::array<char32_t, 2>> ranges, std::uint8_t flag) {
        for (const auto& [first, last] : ranges) {
            for (char32_t character = first; character <= last; ++character) flags[character] |= flag;
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
    return flags;
}();

[[nodiscard]] inline std::uint8_t classes(char32_t character) noexcept {
    return character < CLASSIFIED_END ? CHARACTER_CLASSES[character] : std::uint8_t{0};
}

enum class Mode { none, lower, full, no_punctuation };
constexpr const char* MODE_NAMES[] = {"none", "lower", "full", "no-punctuation"};  // of Python, in the same order
static_assert(std::size(MODE_NAMES) == static_cast<std::size_t>(Mode::no_punctuation) + 1);

enum class Apostrophes { english, french, apart };
constexpr const char* APOSTROPHES_NAMES[] = {"english", "french", "apart"};  // of Python, in the same order
static_assert(std::size(APOSTROPHES_NAMES) == static_cast<std::size_t>(Apostrophes::apart) + 1);

// A text in the memory of a Python string, with `width` bytes per character.
struct Text {
    const void* data = nullptr;
    std::size_t size = 0;
    int width = 1;
};

// The words of a text, as slices of `characters`.
struct NormalizedText {
    std::u32string characters;
    std::vector<std::pair<std::size_t, std::size_t>> words;  // offset and length
    std::u32string buffer;                                   // the output of a pass
};

class Normalizer {
public:
    using Lowercase = char32_t (*)(char32_t);
    using Prefixes = std::unordered_set<std::u32string>;

    // The characters in `kept_capitals` are not lowercased.
    Normalizer(Mode mode, Apostrophes apostrophes, Prefixes always, Prefixes numeric,
               const std::u32string& kept_capitals, Lowercase lowercase)
        : mode_(mode),
          apostrophes_(apostrophes),
          always_(std::move(always)),
          numeric_(std::move(numeric)),
          kept_capitals_(kept_capitals.begin(), kept_capitals.end()),
          lowercase_(lowercase) {}

    // Fills `result` with the words of a text. `following` is the first character after the text and white space, or 0.
    // Returns false if the text needs the normalizer in Python. This is the case if it contains METEOR's marker for
    // dots, or a letter whose lower case depends on its neighbors or consists of two characters.
    [[nodiscard]] bool split_words(const Text& text, char32_t following, NormalizedText& result) const;

private:
    struct Content;  // what the text contains, so that passes without effect are left out

    template <class Character>
    [[nodiscard]] bool split_words_of(const Character* text, std::size_t size, char32_t following,
                                      NormalizedText& result) const;
    template <class Character>
    [[nodiscard]] static bool set_symbols_apart(const Character* text, std::size_t size, std::u32string& output,
                                                Content& content);
    [[nodiscard]] bool normalize_punctuation(NormalizedText& result, char32_t following, const Content& content) const;
    void split_apostrophes(std::u32string& text, std::u32string& buffer) const;
    [[nodiscard]] bool split_final_dots(const std::u32string& text, char32_t following, std::u32string& output) const;
    [[nodiscard]] bool split_final_dot(const char32_t* first, const char32_t* last, char32_t following,
                                       std::u32string& output) const;
    [[nodiscard]] bool split_at_spaces(NormalizedText& result) const;
    [[nodiscard]] bool lowercase_word(std::u32string& characters, std::size_t start) const;

    Mode mode_;
    Apostrophes apostrophes_;
    Prefixes always_, numeric_;
    std::unordered_set<char32_t> kept_capitals_;
    Lowercase lowercase_;
};

}  // namespace meteor

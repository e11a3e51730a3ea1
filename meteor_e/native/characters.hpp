// Character classes of METEOR's normalization (section 1 of the specification).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

namespace meteor {

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

}  // namespace meteor

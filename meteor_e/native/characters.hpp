// Character classes of METEOR's normalization (section 1 of the specification).
#pragma once

#include <cstdint>

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
extern std::uint8_t character_classes[CLASSED];

inline std::uint8_t classes(char32_t character) {
    return character < CLASSED ? character_classes[character] : std::uint8_t{0};
}

// Fills the table; to be called once, before anything else.
void prepare_character_classes();

}  // namespace meteor

#include "characters.hpp"

#include <initializer_list>

namespace meteor {

std::uint8_t character_classes[CLASSED];

namespace {

void mark(char32_t first, char32_t last, std::uint8_t flag) {
    for (char32_t character = first; character <= last; ++character) character_classes[character] |= flag;
}

}  // namespace

void prepare_character_classes() {
    const char32_t alpha[][2] = {
        {'A', 'Z'},     {'a', 'z'},     {0x160, 0x160},   {0x17D, 0x17D},   {0x161, 0x161},
        {0x17E, 0x17E}, {0x178, 0x178}, {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x17E},
        {0x400, 0x4FF}, {0x500, 0x527}, {0xA640, 0xA66E}, {0xA67E, 0xA697}, {0x1D00, 0x1D7F},
    };
    for (const auto& range : alpha) mark(range[0], range[1], ALPHA);
    mark('0', '9', DIGIT);
    for (char32_t space : {U' ', U'\t', U'\n', U'\v', U'\f', U'\r'}) mark(space, space, SPACE);
    for (char32_t separator : {U' ', U'\t', U'\n', U'\f', U'\r'}) mark(separator, separator, SEPARATOR);
    for (char32_t plain : {U'.', U'\'', U'`', U',', U'-', U'\u2018', U'\u2019'}) mark(plain, plain, PLAIN);
    mark(0x2000, 0x200A, BLANK);
    for (char32_t blank : {U'\u0020', U'\u00A0', U'\u202F', U'\u205F', U'\u3000'}) mark(blank, blank, BLANK);
}

}  // namespace meteor

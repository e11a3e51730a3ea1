// A hash of strings.
#pragma once

#include <cstdint>
#include <string_view>

namespace meteor::learned {

// FNV-1a, with a final shift.
template <class Character>
[[nodiscard]] std::uint64_t hash_string(std::basic_string_view<Character> string) noexcept {
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (const Character character : string) hash = (hash ^ static_cast<std::uint32_t>(character)) * 0x100000001B3ull;
    return hash ^ (hash >> 29);
}

}  // namespace meteor::learned

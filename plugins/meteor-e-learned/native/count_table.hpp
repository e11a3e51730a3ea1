// Words and their counts or ranks, found in a file's own text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "table.hpp"

namespace meteor::learned {

template <class Character>
std::uint64_t hash_of(std::basic_string_view<Character> key) {
    std::uint64_t found = 0xCBF29CE484222325ull;
    const auto add = [&found](std::uint64_t part) {
        found = (found ^ part) * 0x9E3779B97F4A7C15ull;
        found ^= found >> 29;
    };
    constexpr std::size_t several = sizeof(std::uint64_t) / sizeof(Character);
    std::size_t at = 0;
    for (; at + several <= key.size(); at += several) {
        std::uint64_t part;
        std::memcpy(&part, key.data() + at, sizeof part);
        add(part);
    }
    std::uint64_t rest = 0;
    for (; at < key.size(); ++at) rest = rest << 8 | static_cast<std::uint32_t>(key[at]);
    add(rest ^ key.size() << 56);
    return found;
}

// Counts by key: lines of a key, a tab and a whole number. The text outlives the table.
// Of a key that stands there twice, the last line counts.
class CountTable {
public:
    // Throws std::invalid_argument for a line that has another form.
    explicit CountTable(std::string_view text);

    // The count of a key, or `missing`.
    double count(std::string_view key, double missing) const;

private:
    std::string_view text_;
    Table<std::uint32_t> starts_;
};

// Lists of words in the form of msgpack, the most frequent words first. The text outlives the lists.
class WordLists {
public:
    // Throws std::invalid_argument for another form.
    explicit WordLists(std::string_view text);

    static constexpr std::size_t none = ~std::size_t{0};

    // The number of the list that has a word, or `none`.
    std::size_t list(std::string_view word) const;

private:
    std::string_view text_;
    std::vector<std::size_t> ends_;  // where each list ends
    Table<std::uint32_t> starts_;
};

}  // namespace meteor::learned

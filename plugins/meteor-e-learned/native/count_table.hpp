// Words and their counts or ranks, found in a file's own text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "table.hpp"

namespace meteor::learned {

template <class Character>
std::uint64_t hash_of(std::basic_string_view<Character> key) {
    std::uint64_t found = 0xCBF29CE484222325ull;
    for (const Character character : key) found = (found ^ static_cast<std::uint32_t>(character)) * 0x100000001B3ull;
    return found ^ (found >> 29);
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

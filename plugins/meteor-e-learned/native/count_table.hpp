// Counts by key, found in a file's own text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace meteor::learned {

// Counts by key, found in a file's own text: lines of a key, a tab and a whole number. The text outlives the table.
// Of a key that stands there twice, the last line counts.
class CountTable {
public:
    // Throws std::invalid_argument for a line that has another form.
    explicit CountTable(std::string_view text);

    // The count of a key, or `missing`.
    double count(std::string_view key, double missing) const;

private:
    // The upper half of a key's hash, and one more than where its line begins; 0 where nothing is.
    using Slot = std::uint64_t;

    // Where the line of a key begins, or the place for it.
    std::size_t find(std::string_view key, std::uint64_t hash) const;

    std::string_view text_;
    std::vector<Slot> slots_;
};

}  // namespace meteor::learned

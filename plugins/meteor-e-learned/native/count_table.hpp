// Counts by key, in the text of a file.
#pragma once

#include <string_view>

#include "item_table.hpp"

namespace meteor::learned {

// Each line consists of a key, a tab and a whole number. If a key has several lines, the last one is used. The text
// must outlive the table.
class CountTable {
public:
    // Throws std::invalid_argument for a line in another format.
    explicit CountTable(std::string_view text);

    // Returns the count of a key, or `default_count`.
    [[nodiscard]] double count(std::string_view key, double default_count) const;

private:
    std::string_view text_;
    ItemTable<std::uint32_t> line_starts_;
};

}  // namespace meteor::learned

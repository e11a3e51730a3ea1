// Lists of words by frequency, in the text of a file.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "item_table.hpp"

namespace meteor::learned {

// The file has the msgpack format of wordfreq; the list of the most frequent words comes first. The text must outlive
// the lists.
class WordLists {
public:
    static constexpr std::size_t NOT_LISTED = ~std::size_t{0};

    // Throws std::invalid_argument for another format.
    explicit WordLists(std::string_view text);

    // Returns the index of the list that contains a word, or NOT_LISTED.
    [[nodiscard]] std::size_t list_of(std::string_view word) const;

private:
    std::string_view text_;
    std::vector<std::size_t> list_ends_;
    ItemTable<std::uint32_t> word_starts_;
};

}  // namespace meteor::learned

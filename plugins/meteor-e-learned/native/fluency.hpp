// How usual a text's pairs of words are, by counts of words and of pairs of words.
//
// The definition is meteor_e_learned/features/fluency.py; tests compare both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

struct Fluency {
    double log_probability, least_log_probability, listed, unlisted, association;
};

// What a pair that is not listed counts for, and limits: see fluency.py.
struct FluencySettings {
    double total, back_off, unlisted, strongest;
};

// The numbers of one text in lower case: of its runs of a-z and of 0-9, anything else parts them.
Fluency fluency(std::string_view text, const CountTable& words, const CountTable& pairs,
                const FluencySettings& settings);

}  // namespace meteor::learned

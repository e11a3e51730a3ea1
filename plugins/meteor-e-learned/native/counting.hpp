// What the features of a batch count: words of texts, and n-grams that two sides have in common.
//
// The definition is meteor_e_learned/counting.py in numpy; tests compare both. All counts are integers, so that no
// digit depends on which of the two counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace meteor::learned {

// Sequences of numbered items in pairs: the hypotheses 0 … count - 1, then their references in the same order.
struct Sequences {
    const std::int64_t* items;
    const std::int64_t* starts;  // 2 * count + 1, ascending
    std::size_t count;

    std::size_t length(std::size_t sequence) const {
        return static_cast<std::size_t>(starts[sequence + 1] - starts[sequence]);
    }
    const std::int64_t* begin(std::size_t sequence) const { return items + starts[sequence]; }
};

// For each pair and each order from 1 to `longest` how many n-grams both sides have; (count, longest).
void common_ngrams(const Sequences& sequences, std::size_t longest, std::int64_t* result);

// A row for each item that a pair has: how often each side has it. By pair, then by item.
struct Tally {
    std::vector<std::int64_t> pair, item, left, right;
};
Tally tally(const Sequences& sequences, std::size_t size);

}  // namespace meteor::learned

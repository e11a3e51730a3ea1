// Ranks of partial alignments. The criteria are: more weighted matches, then more matched words (in the mode for
// maximum accuracy), then fewer chunks, and then a lower distance. Lower ranks are better. Ranks can be added.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdlib>

#include "chain.hpp"
#include "match.hpp"

namespace meteor {

// A rank with a number for each criterion. It is needed for segments of many thousand words and for huge weights.
struct Rank {
    std::int64_t weighted = 0, words = 0, chunks = 0, distance = 0;

    Rank operator+(const Rank& other) const noexcept {
        return {weighted + other.weighted, words + other.words, chunks + other.chunks, distance + other.distance};
    }
    Rank operator-(const Rank& other) const noexcept {
        return {weighted - other.weighted, words - other.words, chunks - other.chunks, distance - other.distance};
    }
    auto operator<=>(const Rank&) const = default;
};

// The layout of a rank in a single number, which is the usual case. The lowest bits contain the distance.
struct RankUnits {
    int chunk_shift = 0, word_shift = 0, weighted_shift = 0;

    [[nodiscard]] std::int64_t chunk() const noexcept { return std::int64_t{1} << chunk_shift; }
    [[nodiscard]] std::int64_t gain(std::int64_t weighted, std::int64_t words) const noexcept {
        return weighted * (std::int64_t{1} << weighted_shift) + words * (std::int64_t{1} << word_shift);
    }
};

struct SearchOptions {
    std::size_t beam = 40;
    std::size_t max_paths = 0;      // out of a position
    bool maximum_accuracy = false;  // other weights; all matched words are compared before the chunks
};

// Returns the weight of a match: its words in each segment times the matcher's weight, rounded down and added.
[[nodiscard]] inline std::int64_t search_weight_of(const Chain& chain, const Match& match,
                                                   bool maximum_accuracy) noexcept {
    const Matcher& matcher = chain.matchers[match.matcher];
    const double weight = maximum_accuracy ? matcher.accuracy_search_weight : matcher.search_weight;
    return static_cast<std::int64_t>(match.hypothesis_length * weight) +
           static_cast<std::int64_t>(match.reference_length * weight);
}

[[nodiscard]] inline std::int64_t distance_between(std::uint32_t position, std::uint32_t hypothesis_start) noexcept {
    return std::llabs(std::int64_t{position} - hypothesis_start);
}

}  // namespace meteor

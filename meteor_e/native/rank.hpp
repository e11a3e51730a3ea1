// How paths compare: more weighted matches, then (in the maximum-accuracy mode) more matched words, then fewer
// chunks, then less distance. A rank is the lower the better, and ranks add up.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdlib>

#include "candidates.hpp"
#include "chain.hpp"

namespace meteor {

// A number per criterion, for segments of many thousand words or matchers with huge weights.
struct Rank {
    std::int64_t weighted = 0, words = 0, chunks = 0, distance = 0;

    Rank operator+(const Rank& o) const {
        return {weighted + o.weighted, words + o.words, chunks + o.chunks, distance + o.distance};
    }
    Rank operator-(const Rank& o) const {
        return {weighted - o.weighted, words - o.words, chunks - o.chunks, distance - o.distance};
    }
    auto operator<=>(const Rank&) const = default;
};

// All in one number, where it fits: the usual case. What one of each criterion adds to it; a word of distance is 1.
struct RankUnits {
    int chunk_shift = 0, word_shift = 0, weighted_shift = 0;

    std::int64_t chunk() const { return std::int64_t{1} << chunk_shift; }
    std::int64_t gain(std::int64_t weighted, std::int64_t words) const {
        return weighted * (std::int64_t{1} << weighted_shift) + words * (std::int64_t{1} << word_shift);
    }
};

struct SearchOptions {
    std::size_t beam = 40;
    std::size_t max_paths = 0;      // meteor_e/engine/search.py
    bool maximum_accuracy = false;  // other weights, and all matched words count before the chunks
};

// What a match counts: the weighted words of both sides, each side's cut to an integer.
inline std::int64_t weight_of(const Chain& chain, const Match& match, bool maximum_accuracy) {
    const Matcher& matcher = chain.matchers[match.matcher];
    const double weight = maximum_accuracy ? matcher.accuracy_search_weight : matcher.search_weight;
    return static_cast<std::int64_t>(match.hypothesis_length * weight) +
           static_cast<std::int64_t>(match.reference_length * weight);
}

// How far a match's places on both sides are.
inline std::int64_t distance_between(std::uint32_t position, std::uint32_t hypothesis_start) {
    return std::llabs(std::int64_t{position} - hypothesis_start);
}

}  // namespace meteor

// How paths compare: more weighted matches, then (in the maximum-accuracy mode) more matched words, then fewer
// chunks, then less distance. A rank is the lower the better, and ranks add up.
#pragma once

#include <compare>
#include <cstdint>

namespace meteor {

// All in one number, where it fits: the usual case.
struct NarrowRank {
    std::int64_t value = 0;

    NarrowRank operator+(NarrowRank other) const { return {value + other.value}; }
    NarrowRank operator-(NarrowRank other) const { return {value - other.value}; }
    auto operator<=>(const NarrowRank&) const = default;
};

// A number a criterion, for segments of many thousand words or matchers with huge weights.
struct WideRank {
    std::int64_t weighted = 0, words = 0, chunks = 0, distance = 0;

    WideRank operator+(const WideRank& o) const {
        return {weighted + o.weighted, words + o.words, chunks + o.chunks, distance + o.distance};
    }
    WideRank operator-(const WideRank& o) const {
        return {weighted - o.weighted, words - o.words, chunks - o.chunks, distance - o.distance};
    }
    auto operator<=>(const WideRank&) const = default;
};

// What one of each criterion adds to a rank.
template <class Rank>
struct RankUnits;

template <>
struct RankUnits<NarrowRank> {
    int chunk_shift = 0, word_shift = 0, weighted_shift = 0;

    NarrowRank chunk() const { return {std::int64_t{1} << chunk_shift}; }
    NarrowRank distance(std::int64_t words) const { return {words}; }
    NarrowRank gain(std::int64_t weighted, std::int64_t words) const {
        return {weighted * (std::int64_t{1} << weighted_shift) + words * (std::int64_t{1} << word_shift)};
    }
};

template <>
struct RankUnits<WideRank> {
    WideRank chunk() const { return {0, 0, 1, 0}; }
    WideRank distance(std::int64_t words) const { return {0, 0, 0, words}; }
    WideRank gain(std::int64_t weighted, std::int64_t words) const { return {weighted, words, 0, 0}; }
};

}  // namespace meteor

// The candidate matches of a pair of segments, in lists by reference position.
#pragma once

#include <vector>

#include "match.hpp"

namespace meteor {

// Matchers add candidates to lists. Usually, each reference position has a list. If words are repeated very often,
// positions with the same word and the same phrases share a list. In a shared list, `reference_start` of a match is the
// index of the list.
//
// To fill the set, call start(), add() for each candidate, and then one of the functions that finish it.
class CandidateSet {
public:
    void start(std::size_t hypothesis_size, std::size_t list_count, std::size_t capacity);
    void add(const Match& match) { candidates_.push_back(match); }
    [[nodiscard]] bool has_capacity() const noexcept { return candidates_.size() <= capacity_; }
    [[nodiscard]] bool has_capacity_for(std::size_t count) const noexcept { return count <= capacity_; }

    // Finishes a set with a list per position.
    void finish();
    // Finishes a set with shared lists. `list_of_position` must outlive the set.
    void finish_shared(View<std::uint32_t> list_of_position);

    // If several references share lists, group() sorts the candidates once, and then select() selects the positions of
    // a reference. It returns the number of candidates at these positions.
    void group();
    std::size_t select(View<std::uint32_t> list_of_position);

    [[nodiscard]] std::size_t position_count() const noexcept { return is_fixed_.size(); }
    // The candidates at a position, in the order in which the matchers have added them.
    [[nodiscard]] View<Match> at(std::size_t position) const noexcept {
        const std::size_t list = has_shared_lists_ ? list_of_position_[position] : position;
        return {matches_.data() + list_starts_[list], list_starts_[list + 1] - list_starts_[list]};
    }
    // Whether a position has a single candidate without competitors, which is always part of the alignment.
    [[nodiscard]] bool is_fixed(std::size_t position) const noexcept { return is_fixed_[position] != 0; }

    [[nodiscard]] const std::vector<Match>& matches() const noexcept { return matches_; }  // of all lists
    [[nodiscard]] bool has_shared_lists() const noexcept { return has_shared_lists_; }
    [[nodiscard]] std::size_t list_count() const noexcept { return list_starts_.size() - 1; }
    [[nodiscard]] std::uint32_t list_of(std::size_t position) const noexcept { return list_of_position_[position]; }

private:
    void count_coverage_by_list();
    void fix_unambiguous_matches();

    std::size_t capacity_ = 0;
    std::vector<Match> candidates_;  // in the order in which they were added
    std::vector<Match> matches_;     // by list
    std::vector<std::uint32_t> list_starts_;
    bool has_shared_lists_ = false;
    View<std::uint32_t> list_of_position_;
    std::vector<std::uint32_t> reference_coverage_, hypothesis_coverage_;  // how many candidates cover each word
    std::vector<std::uint8_t> is_fixed_;
};

}  // namespace meteor

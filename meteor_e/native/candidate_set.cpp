#include "candidate_set.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

namespace meteor {

namespace {

void cover(std::vector<std::uint32_t>& coverage, std::size_t first, std::uint32_t length) noexcept {
    for (std::size_t word = first; word < first + length; ++word) ++coverage[word];
}

// The coverage of a word has to be exact only if it is 0 or 1.
void add_saturated(std::uint32_t& coverage, std::size_t count) noexcept {
    coverage =
        static_cast<std::uint32_t>(std::min<std::size_t>(coverage + count, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

void CandidateSet::start(std::size_t hypothesis_size, std::size_t list_count, std::size_t capacity) {
    capacity_ = capacity;
    candidates_.clear();
    has_shared_lists_ = false;
    reference_coverage_.assign(list_count, 0);
    hypothesis_coverage_.assign(hypothesis_size, 0);
}

void CandidateSet::group() {
    const std::size_t list_count = reference_coverage_.size();
    list_starts_.assign(1, 0);
    matches_.clear();
    append_by_key(
        candidates_, list_count, [](const Match& match) { return match.reference_start; }, std::identity(),
        list_starts_, matches_);
}

void CandidateSet::finish() {
    group();
    for (const Match& match : candidates_) {
        cover(reference_coverage_, match.reference_start, match.reference_length);
        cover(hypothesis_coverage_, match.hypothesis_start, match.hypothesis_length);
    }
    fix_unambiguous_matches();
}

void CandidateSet::finish_shared(View<std::uint32_t> list_of_position) {
    group();
    has_shared_lists_ = true;
    list_of_position_ = list_of_position;
    count_coverage_by_list();
    fix_unambiguous_matches();
}

std::size_t CandidateSet::select(View<std::uint32_t> list_of_position) {
    has_shared_lists_ = true;
    list_of_position_ = list_of_position;
    const std::size_t positions = list_of_position.size();
    reference_coverage_.assign(positions, 0);
    std::ranges::fill(hypothesis_coverage_, 0);
    std::size_t count = 0;
    for (std::size_t position = 0; position < positions; ++position) {
        const View<Match> starting = at(position);
        count += starting.size();
        for (const Match& match : starting) {
            cover(reference_coverage_, position, match.reference_length);
            cover(hypothesis_coverage_, match.hypothesis_start, match.hypothesis_length);
        }
    }
    fix_unambiguous_matches();
    return count;
}

// Counts the coverage of words for shared lists. A loop over all positions could have billions of candidates.
void CandidateSet::count_coverage_by_list() {
    std::vector<std::size_t> uses(list_count(), 0);
    for (const std::uint32_t list : list_of_position_) ++uses[list];
    std::vector<std::map<std::uint32_t, std::size_t>> count_by_length(list_count());
    for (const Match& match : matches_) {
        ++count_by_length[match.reference_start][match.reference_length];
        for (std::uint32_t word = 0; word < match.hypothesis_length; ++word) {
            add_saturated(hypothesis_coverage_[match.hypothesis_start + word], uses[match.reference_start]);
        }
    }
    reference_coverage_.assign(list_of_position_.size(), 0);
    for (std::size_t position = 0; position < list_of_position_.size(); ++position) {
        for (const auto& [length, count] : count_by_length[list_of_position_[position]]) {
            for (std::uint32_t word = 0; word < length; ++word) {
                add_saturated(reference_coverage_[position + word], count);
            }
        }
    }
}

void CandidateSet::fix_unambiguous_matches() {
    const std::size_t positions = reference_coverage_.size();
    is_fixed_.assign(positions, 0);
    for (std::size_t position = 0; position < positions; ++position) {
        const View<Match> starting = at(position);
        if (starting.size() != 1) continue;
        const Match& match = starting[0];
        bool is_alone = true;
        for (std::uint32_t word = 0; word < match.reference_length; ++word) {
            is_alone = is_alone && reference_coverage_[position + word] == 1;
        }
        for (std::uint32_t word = 0; word < match.hypothesis_length; ++word) {
            is_alone = is_alone && hypothesis_coverage_[match.hypothesis_start + word] == 1;
        }
        is_fixed_[position] = is_alone;
    }
}

}  // namespace meteor

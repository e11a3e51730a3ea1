#include "path_search.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace meteor {

Failure PathSearch::run(const CandidateSet& candidates, std::size_t hypothesis_size, const SearchOptions& options,
                        std::vector<Match>& alignment) {
    options_ = options;
    mask_size_ = std::max<std::size_t>(1, (hypothesis_size + 63) / 64);
    paths_.assign(1, Path{Rank{}, -1, 0, NONE});
    used_.assign(mask_size_, 0);
    links_.clear();
    total_steps_ = 0;
    lists_.assign(candidates.has_shared_lists() ? candidates.list_count() : 1, ChoiceList{});
    const auto positions = static_cast<std::uint32_t>(candidates.position_count());
    for (std::uint32_t position = 0; position < positions; ++position) {
        const ChoiceList& list = choices_of(position, candidates);
        const Failure failure = add_steps(candidates, position, list);
        if (failure != Failure::none) return failure;
        choose_survivors();
        make_paths(position, list);
    }
    collect_matches(alignment);
    return Failure::none;
}

void PathSearch::collect_matches(std::vector<Match>& alignment) const {
    const auto first = static_cast<std::ptrdiff_t>(alignment.size());
    for (std::uint32_t link = paths_[best_path()].link; link != NONE; link = links_[link].previous) {
        alignment.push_back(*links_[link].match);
        alignment.back().reference_start = links_[link].position;
    }
    std::reverse(alignment.begin() + first, alignment.end());
}

// Adds the steps of all paths in their order. The number of steps at a position is limited, and so is the total of all
// positions with many steps. This limits the memory and the time of a search.
Failure PathSearch::add_steps(const CandidateSet& candidates, std::uint32_t position, const ChoiceList& list) {
    const bool is_fixed = candidates.is_fixed(position);
    steps_.clear();
    for (std::uint32_t parent = 0; parent < paths_.size(); ++parent) {
        if (paths_[parent].next_position > position) {
            add_step(parent, KEEP, Rank{});
        } else if (is_fixed) {
            take_fixed(parent, position, list.choices[0]);
        } else {
            expand_path(parent, position, list);
        }
        if (steps_.size() > options_.max_paths) return Failure::too_many_paths;
    }
    const bool has_choice = !is_fixed && !list.choices.empty();
    if (has_choice && steps_.size() > options_.max_paths / 32) total_steps_ += steps_.size();
    return total_steps_ / 4 > options_.max_paths ? Failure::too_many_paths : Failure::none;
}

void PathSearch::take_fixed(std::uint32_t parent, std::uint32_t position, const Choice& choice) {
    const std::int32_t chunk_end = paths_[parent].chunk_end;
    const bool breaks_chunk = chunk_end >= 0 && static_cast<std::uint32_t>(chunk_end) != choice.start;
    add_step(parent, 0, Rank{0, 0, breaks_chunk, distance_between(position, choice.start)} - choice.gain);
}

// Extends a path by each choice with unused words, and finally by skipping the position. The distance of a choice is
// also added to the original path, so that the following copies of this path include it.
void PathSearch::expand_path(std::uint32_t parent, std::uint32_t position, const ChoiceList& list) {
    std::int64_t charged = 0;
    for (const Run& run : list.runs) {
        if (run.is_long()) {
            expand_long_run(parent, position, list, run, charged);
        } else {
            expand_run(parent, position, list, run, charged);
        }
    }
    const bool is_open = paths_[parent].chunk_end >= 0;
    add_step(parent, SKIP, Rank{0, 0, is_open, charged});
}

void PathSearch::take(std::uint32_t parent, const ChoiceList& list, std::uint32_t choice, bool breaks_chunk,
                      std::int64_t charged) {
    add_step(parent, static_cast<std::int32_t>(choice), Rank{0, 0, breaks_chunk, charged} - list.choices[choice].gain);
}

void PathSearch::expand_run(std::uint32_t parent, std::uint32_t position, const ChoiceList& list, const Run& run,
                            std::int64_t& charged) {
    const std::int32_t chunk_end = paths_[parent].chunk_end;
    for (std::uint32_t k = run.first; k < run.last; ++k) {
        const Choice& choice = list.choices[k];
        if (uses_any(parent, choice)) continue;
        const bool breaks_chunk = chunk_end >= 0 && static_cast<std::uint32_t>(chunk_end) != choice.start;
        take(parent, list, k, breaks_chunk, charged);
        charged += distance_between(position, choice.start);
    }
}

// A faster version of expand_path() for a run of many choices. If a choice does not continue the chunk, its rank is
// never better than the ranks of earlier choices in the run. Therefore, such choices become steps only until the beam
// is full. The distances of the other choices are added up, one machine word of the set of starts at a time.
void PathSearch::expand_long_run(std::uint32_t parent, std::uint32_t position, const ChoiceList& list, const Run& run,
                                 std::int64_t& charged) {
    const std::int32_t chunk_end = paths_[parent].chunk_end;
    const bool is_open = chunk_end >= 0;
    const auto continuing_start = static_cast<std::size_t>(chunk_end);
    std::size_t taken = 0;
    for (std::size_t part = 0; part < mask_size_; ++part) {
        std::uint64_t starts = unused_starts(parent, run, part);
        if (!starts) continue;
        const std::size_t first = 64 * part;
        const bool has_continuing_start =
            is_open && continuing_start / 64 == part && (starts >> (continuing_start % 64) & 1);
        // If the position is outside of this part, all differences of positions have the same sign.
        const bool is_position_outside = position < first || position >= first + 64;
        if (taken >= options_.beam && !has_continuing_start && starts == run.starts[part] && is_position_outside) {
            const std::size_t next_count = part + 1 < mask_size_ ? run.count_before[part + 1] : run.last - run.first;
            const auto count = static_cast<std::int64_t>(next_count - run.count_before[part]);
            charged += std::llabs(count * position - run.sums[part]);
            continue;
        }
        for (; starts; starts &= starts - 1) {
            const unsigned bit = static_cast<unsigned>(std::countr_zero(starts));
            const auto start = static_cast<std::uint32_t>(first + bit);
            const bool continues = is_open && continuing_start == start;
            if (continues || taken < options_.beam) {
                const std::uint64_t lower_starts = run.starts[part] & ((std::uint64_t{1} << bit) - 1);
                const auto index = static_cast<std::uint32_t>(std::popcount(lower_starts));
                take(parent, list, run.first + run.count_before[part] + index, is_open && !continues, charged);
                taken += !continues;
            }
            charged += distance_between(position, start);
        }
    }
}

const PathSearch::ChoiceList& PathSearch::choices_of(std::uint32_t position, const CandidateSet& candidates) {
    ChoiceList& list = lists_[candidates.has_shared_lists() ? candidates.list_of(position) : 0];
    if (!candidates.has_shared_lists()) list = ChoiceList{};
    if (!list.choices.empty()) return list;
    add_runs(list, candidates.at(position));
    for (Run& run : list.runs) {
        if (run.last - run.first >= MIN_LONG_RUN && run.length <= MAX_LONG_RUN_WORDS) index_long_run(list, run);
    }
    return list;
}

void PathSearch::add_runs(ChoiceList& list, View<Match> candidates) const {
    const auto extends_run = [](const Choice& last, const Match& match) {
        return last.match->matcher == match.matcher && last.start < match.hypothesis_start &&
               last.match->hypothesis_length == match.hypothesis_length &&
               last.match->reference_length == match.reference_length;
    };
    for (const Match& match : candidates) {
        const auto index = static_cast<std::uint32_t>(list.choices.size());
        if (list.choices.empty() || !extends_run(list.choices.back(), match)) {
            list.runs.push_back({index, index, match.hypothesis_length, {}, {}, {}});
        }
        list.choices.push_back({gain_of(match), &match, match.hypothesis_start});
        list.runs.back().last = index + 1;
    }
}

void PathSearch::index_long_run(const ChoiceList& list, Run& run) const {
    run.starts.assign(mask_size_, 0);
    run.count_before.assign(mask_size_, 0);
    run.sums.assign(mask_size_, 0);
    for (std::uint32_t k = run.first; k < run.last; ++k) {
        const std::uint32_t start = list.choices[k].start;
        run.starts[start / 64] |= std::uint64_t{1} << (start % 64);
        run.sums[start / 64] += start;
        if (start / 64 + 1 < mask_size_) ++run.count_before[start / 64 + 1];
    }
    for (std::size_t part = 1; part < mask_size_; ++part) run.count_before[part] += run.count_before[part - 1];
}

// Returns one machine word of the set of starts. Starts at which a match would cover a used word are removed.
std::uint64_t PathSearch::unused_starts(std::uint32_t path, const Run& run, std::size_t part) const noexcept {
    if (!run.starts[part]) return 0;
    const std::uint64_t* const words = used_.data() + path * mask_size_;
    std::uint64_t blocked = words[part];
    const std::uint64_t next_words = part + 1 < mask_size_ ? words[part + 1] : 0;
    for (std::uint32_t shift = 1; shift < run.length; ++shift) {
        blocked |= words[part] >> shift | next_words << (64 - shift);
    }
    return run.starts[part] & ~blocked;
}

Rank PathSearch::gain_of(const Match& match) const noexcept {
    const bool is_accurate = options_.maximum_accuracy;
    const std::int64_t words = is_accurate ? std::int64_t{match.hypothesis_length} + match.reference_length : 0;
    return {search_weight_of(chain_, match, is_accurate), words, 0, 0};
}

// Selects the best steps, sorted by rank. Of steps with equal ranks, the earlier step is first.
void PathSearch::choose_survivors() {
    survivors_.resize(steps_.size());
    for (std::uint32_t k = 0; k < survivors_.size(); ++k) survivors_[k] = k;
    const auto is_better = [this](std::uint32_t a, std::uint32_t b) {
        const auto order = steps_[a].rank <=> steps_[b].rank;
        return order == 0 ? a < b : order < 0;
    };
    const auto end = survivors_.begin() + static_cast<std::ptrdiff_t>(std::min(options_.beam, steps_.size()));
    if (end != survivors_.end()) std::nth_element(survivors_.begin(), end, survivors_.end(), is_better);
    survivors_.erase(end, survivors_.end());
    if (!std::is_sorted(survivors_.begin(), survivors_.end(), is_better)) {
        std::sort(survivors_.begin(), survivors_.end(), is_better);
    }
}

// Creates the paths after the position from the steps that were selected.
void PathSearch::make_paths(std::uint32_t position, const ChoiceList& list) {
    next_paths_.resize(survivors_.size());
    next_used_.resize(survivors_.size() * mask_size_);
    for (std::size_t k = 0; k < survivors_.size(); ++k) {
        const Step& step = steps_[survivors_[k]];
        Path& path = next_paths_[k];
        path = paths_[step.parent];
        path.rank = step.rank;
        copy_used(step.parent, k);
        if (step.choice == SKIP) {
            path.chunk_end = -1;
        } else if (step.choice != KEEP) {
            const Choice& choice = list.choices[static_cast<std::size_t>(step.choice)];
            mark_used(k, choice);
            path.chunk_end = static_cast<std::int32_t>(choice.start + choice.match->hypothesis_length);
            path.next_position = position + choice.match->reference_length;
            links_.push_back({path.link, position, choice.match});
            path.link = static_cast<std::uint32_t>(links_.size() - 1);
        }
    }
    paths_.swap(next_paths_);
    used_.swap(next_used_);
}

// Returns the path with the best rank. A chunk that is still open counts, too.
std::size_t PathSearch::best_path() const {
    const auto final_rank = [](const Path& path) { return path.rank + Rank{0, 0, path.chunk_end >= 0, 0}; };
    return static_cast<std::size_t>(std::ranges::min_element(paths_, {}, final_rank) - paths_.begin());
}

bool PathSearch::uses_any(std::uint32_t path, const Choice& choice) const noexcept {
    const std::uint64_t* const words = used_.data() + path * mask_size_;
    for (std::uint32_t word = choice.start; word < choice.start + choice.match->hypothesis_length; ++word) {
        if (words[word / 64] >> (word % 64) & 1) return true;
    }
    return false;
}

void PathSearch::mark_used(std::size_t next_path, const Choice& choice) noexcept {
    std::uint64_t* const words = next_used_.data() + next_path * mask_size_;
    for (std::uint32_t word = choice.start; word < choice.start + choice.match->hypothesis_length; ++word) {
        words[word / 64] |= std::uint64_t{1} << (word % 64);
    }
}

void PathSearch::copy_used(std::size_t path, std::size_t next_path) noexcept {
    std::copy_n(used_.data() + path * mask_size_, mask_size_, next_used_.data() + next_path * mask_size_);
}

}  // namespace meteor

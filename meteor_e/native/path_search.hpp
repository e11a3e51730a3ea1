// The beam search of meteor_e/engine/search.py: which candidates make the alignment.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "candidates.hpp"
#include "chain.hpp"
#include "rank.hpp"

namespace meteor {

// The search for pairs of any size and any beam, step by step as the definition has it. Pairs of the usual size have
// beam.hpp. Paths and all they need are kept from one pair to the next for their memory.
class Search {
public:
    explicit Search(const Chain& chain) : chain_(chain) {}

    // Appends the chosen matches to `chosen`, by reference position. False: there are too many paths.
    bool run(const Candidates& candidates, std::size_t hypothesis_size, const SearchOptions& options,
             std::vector<Match>& chosen) {
        options_ = options;
        mask_words_ = std::max<std::size_t>(1, (hypothesis_size + 63) / 64);
        paths_.assign(1, Path{Rank{}, -1, 0, NONE});
        used_.assign(mask_words_, 0);
        links_.clear();
        std::size_t made = 0;  // steps in all, where they were many
        lists_.assign(candidates.shared() ? candidates.lists() : 1, List{});
        const std::uint32_t positions = static_cast<std::uint32_t>(candidates.positions());
        for (std::uint32_t position = 0; position < positions; ++position) {
            const List& list = list_of(position, candidates);
            const bool fixed = candidates.fixed(position), free = !fixed && !list.choices.empty();
            steps_.clear();
            for (std::uint32_t parent = 0; parent < paths_.size(); ++parent) {
                if (paths_[parent].next > position) {
                    add_step(parent, KEEP, Rank{});
                } else if (fixed) {
                    take_fixed(parent, position, list.choices[0]);
                } else {
                    expand_path(parent, position, list);
                }
                if (steps_.size() > options_.max_paths) return false;
            }
            if (free && steps_.size() > options_.max_paths / 32) made += steps_.size();
            if (made / 4 > options_.max_paths) return false;
            choose_survivors();
            advance(position, list);
        }
        const auto first = static_cast<std::ptrdiff_t>(chosen.size());
        for (std::uint32_t link = paths_[best()].link; link != NONE; link = links_[link].earlier) {
            chosen.push_back(*links_[link].match);
            chosen.back().reference_start = links_[link].position;
        }
        std::reverse(chosen.begin() + first, chosen.end());
        return true;
    }

private:
    struct Path {
        Rank rank;
        std::int32_t last;   // where the open chunk ends in the hypothesis, -1 when none is open
        std::uint32_t next;  // the first reference position after the path's last match
        std::uint32_t link;  // the path's latest match
    };
    // A match that may be taken at a position, and what a path gains by it.
    struct Choice {
        Rank gain;
        const Match* match;
        std::uint32_t start;  // in the hypothesis
    };
    // A match and the one before it on the same path.
    struct Link {
        std::uint32_t earlier;
        std::uint32_t position;
        const Match* match;
    };
    // A path that may come out of a position: what it came from and the match that it takes.
    struct Step {
        Rank rank;
        std::uint32_t parent;
        std::int32_t choice;  // index among the position's choices, or KEEP, or SKIP
    };
    // Matches of a list that differ only in where they begin in the hypothesis, in its order.
    struct Run {
        std::uint32_t first, last;  // of the list's choices
        std::uint32_t length;       // in the hypothesis
        // Of long runs: which words they begin at, and for each part of that set how many begin before, and the sum.
        std::vector<std::uint64_t> starts;
        std::vector<std::uint32_t> before;
        std::vector<std::int64_t> sums;
    };
    // What may be taken at a position. Positions share it where words repeat without end, so it has no distances.
    struct List {
        std::vector<Choice> choices;
        std::vector<Run> runs;
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;
    static constexpr std::int32_t KEEP = -1, SKIP = -2;
    static constexpr std::uint32_t LONG_RUN = 64, MAX_BLOCKED = 32;

    void add_step(std::uint32_t parent, std::int32_t choice, Rank change) {
        steps_.push_back({paths_[parent].rank + change, parent, choice});
    }

    void take_fixed(std::uint32_t parent, std::uint32_t position, const Choice& only) {
        const std::int32_t last = paths_[parent].last;
        const bool broken = last >= 0 && static_cast<std::uint32_t>(last) != only.start;
        add_step(parent, 0, Rank{0, 0, broken, distance_between(position, only.start)} - only.gain);
    }

    // Lets a path take each match whose words are unused, then skip the position. The distance of a match is charged to
    // the path that it is copied from, so later copies carry it.
    // Of the matches of a long run that break the chunk, or of all if none is open, only as many become steps as can
    // survive: their ranks never fall. The others' distances are added up part by part.
    void expand_path(std::uint32_t parent, std::uint32_t position, const List& list) {
        const Path path = paths_[parent];
        const bool open = path.last >= 0;
        std::int64_t charged = 0;
        const auto take = [&](std::uint32_t number, bool broken) {
            add_step(parent, static_cast<std::int32_t>(number),
                     Rank{0, 0, broken, charged} - list.choices[number].gain);
        };
        for (const Run& run : list.runs) {
            if (run.starts.empty()) {
                for (std::uint32_t k = run.first; k < run.last; ++k) {
                    const Choice& choice = list.choices[k];
                    if (is_used(parent, choice)) continue;
                    take(k, open && static_cast<std::uint32_t>(path.last) != choice.start);
                    charged += distance_between(position, choice.start);
                }
                continue;
            }
            std::size_t taken = 0;
            for (std::size_t part = 0; part < mask_words_; ++part) {
                std::uint64_t left = unused(parent, run, part);
                if (!left) continue;
                const std::size_t first = 64 * part;
                const bool goes_on = open && static_cast<std::size_t>(path.last) / 64 == part &&
                                     (left >> (static_cast<std::size_t>(path.last) % 64) & 1);
                if (taken >= options_.beam && !goes_on && left == run.starts[part] &&
                    (position < first || position >= first + 64)) {
                    const std::size_t next = part + 1 < mask_words_ ? run.before[part + 1] : run.last - run.first;
                    const auto count = static_cast<std::int64_t>(next - run.before[part]);
                    charged += std::llabs(count * position - run.sums[part]);
                    continue;
                }
                for (; left; left &= left - 1) {
                    const unsigned bit = std::countr_zero(left);
                    const auto start = static_cast<std::uint32_t>(first + bit);
                    const bool continues = open && static_cast<std::uint32_t>(path.last) == start;
                    if (continues || taken < options_.beam) {
                        const std::uint64_t below = run.starts[part] & ((std::uint64_t{1} << bit) - 1);
                        take(run.first + run.before[part] + static_cast<std::uint32_t>(std::popcount(below)),
                             open && !continues);
                        taken += !continues;
                    }
                    charged += distance_between(position, start);
                }
            }
        }
        add_step(parent, SKIP, Rank{0, 0, open, charged});
    }

    const List& list_of(std::uint32_t position, const Candidates& candidates) {
        List& list = lists_[candidates.shared() ? candidates.list(position) : 0];
        if (!candidates.shared()) list = List{};
        if (!list.choices.empty()) return list;
        for (const Match& match : candidates.at(position)) {
            const auto number = static_cast<std::uint32_t>(list.choices.size());
            const Choice* const before = list.choices.empty() ? nullptr : &list.choices.back();
            if (!before || before->match->matcher != match.matcher || before->start >= match.hypothesis_start ||
                before->match->hypothesis_length != match.hypothesis_length ||
                before->match->reference_length != match.reference_length) {
                list.runs.push_back({number, number, match.hypothesis_length, {}, {}, {}});
            }
            list.choices.push_back({rank_of(match), &match, match.hypothesis_start});
            list.runs.back().last = number + 1;
        }
        for (Run& run : list.runs) {
            if (run.last - run.first < LONG_RUN || run.length > MAX_BLOCKED) continue;
            run.starts.assign(mask_words_, 0);
            run.before.assign(mask_words_, 0);
            run.sums.assign(mask_words_, 0);
            for (std::uint32_t k = run.first; k < run.last; ++k) {
                const std::uint32_t start = list.choices[k].start;
                run.starts[start / 64] |= std::uint64_t{1} << (start % 64);
                run.sums[start / 64] += start;
                if (start / 64 + 1 < mask_words_) ++run.before[start / 64 + 1];
            }
            for (std::size_t part = 1; part < mask_words_; ++part) run.before[part] += run.before[part - 1];
        }
        return list;
    }

    // Where a run may begin without a word that the path has used: a part of that set.
    std::uint64_t unused(std::uint32_t path, const Run& run, std::size_t part) const {
        if (!run.starts[part]) return 0;
        const std::uint64_t* words = used_.data() + path * mask_words_;
        std::uint64_t used = words[part];
        const std::uint64_t after = part + 1 < mask_words_ ? words[part + 1] : 0;
        for (std::uint32_t shift = 1; shift < run.length; ++shift) used |= words[part] >> shift | after << (64 - shift);
        return run.starts[part] & ~used;
    }

    Rank rank_of(const Match& match) const {
        const bool accurate = options_.maximum_accuracy;
        const std::int64_t words = accurate ? std::int64_t{match.hypothesis_length} + match.reference_length : 0;
        return {weight_of(chain_, match, accurate), words, 0, 0};
    }

    // The best steps in order: by rank, of equal ranks the earlier one first.
    void choose_survivors() {
        survivors_.resize(steps_.size());
        for (std::uint32_t k = 0; k < survivors_.size(); ++k) survivors_[k] = k;
        const auto better = [this](std::uint32_t a, std::uint32_t b) {
            const auto order = steps_[a].rank <=> steps_[b].rank;
            return order == 0 ? a < b : order < 0;
        };
        const auto end = survivors_.begin() + static_cast<std::ptrdiff_t>(std::min(options_.beam, steps_.size()));
        if (end != survivors_.end()) std::nth_element(survivors_.begin(), end, survivors_.end(), better);
        survivors_.erase(end, survivors_.end());
        if (!std::is_sorted(survivors_.begin(), survivors_.end(), better)) {
            std::sort(survivors_.begin(), survivors_.end(), better);
        }
    }

    // Makes the paths of the surviving steps.
    void advance(std::uint32_t position, const List& list) {
        next_paths_.resize(survivors_.size());
        next_used_.resize(survivors_.size() * mask_words_);
        for (std::size_t k = 0; k < survivors_.size(); ++k) {
            const Step& step = steps_[survivors_[k]];
            Path& path = next_paths_[k];
            path = paths_[step.parent];
            path.rank = step.rank;
            copy_used(step.parent, k);
            if (step.choice == SKIP) {
                path.last = -1;
            } else if (step.choice != KEEP) {
                const Choice& choice = list.choices[static_cast<std::size_t>(step.choice)];
                use(k, choice);
                path.last = static_cast<std::int32_t>(choice.start + choice.match->hypothesis_length);
                path.next = position + choice.match->reference_length;
                links_.push_back({path.link, position, choice.match});
                path.link = static_cast<std::uint32_t>(links_.size() - 1);
            }
        }
        paths_.swap(next_paths_);
        used_.swap(next_used_);
    }

    std::size_t best() const {
        const auto closed = [](const Path& path) { return path.rank + Rank{0, 0, path.last >= 0, 0}; };
        return static_cast<std::size_t>(std::ranges::min_element(paths_, {}, closed) - paths_.begin());
    }

    bool is_used(std::uint32_t path, const Choice& choice) const {
        const std::uint64_t* words = used_.data() + path * mask_words_;
        for (std::uint32_t word = choice.start; word < choice.start + choice.match->hypothesis_length; ++word) {
            if (words[word / 64] >> (word % 64) & 1) return true;
        }
        return false;
    }

    // of the next paths
    void use(std::size_t path, const Choice& choice) {
        std::uint64_t* words = next_used_.data() + path * mask_words_;
        for (std::uint32_t word = choice.start; word < choice.start + choice.match->hypothesis_length; ++word) {
            words[word / 64] |= std::uint64_t{1} << (word % 64);
        }
    }

    // to the next paths
    void copy_used(std::size_t from, std::size_t to) {
        std::copy_n(used_.data() + from * mask_words_, mask_words_, next_used_.data() + to * mask_words_);
    }

    const Chain& chain_;
    SearchOptions options_{};
    std::size_t mask_words_ = 1;  // of a bit set over the hypothesis's words
    std::vector<Path> paths_, next_paths_;
    std::vector<std::uint64_t> used_, next_used_;  // hypothesis words that the matches of each path cover
    std::vector<Link> links_;
    std::vector<List> lists_;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> survivors_;
};

}  // namespace meteor

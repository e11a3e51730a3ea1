// The beam search of meteor_e/engine/search.py: which candidates make the alignment.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "candidates.hpp"
#include "chain.hpp"
#include "rank.hpp"

namespace meteor {

// The search for pairs of any size and any beam. Paths and all they need; kept from one pair to the next for its
// memory.
template <class Rank>
class Search {
public:
    explicit Search(const Chain& chain) : chain_(chain) {}

    // Appends the chosen matches to `chosen`, by reference position. False: there are too many paths.
    bool run(const Candidates& candidates, std::size_t hypothesis_size, const RankUnits<Rank>& units,
             const SearchOptions& options, std::vector<Match>& chosen) {
        units_ = units;
        options_ = options;
        mask_words_ = std::max<std::size_t>(1, (hypothesis_size + 63) / 64);
        paths_.assign(1, Path{Rank{}, -1, 0, NONE});
        used_.assign(mask_words_, 0);
        links_.clear();
        made_ = 0;
        lists_.assign(candidates.shared() ? candidates.lists() : 1, List{});
        const std::uint32_t positions = static_cast<std::uint32_t>(candidates.positions());
        for (std::uint32_t position = 0; position < positions; ++position) {
            const View<Match> starting = candidates.at(position);
            if (!starting.size()) {
                skip(position);
            } else if (candidates.fixed(position)) {
                Match match = starting[0];
                match.reference_start = position;
                take_fixed(match);
            } else if (!expand(position, list_of(position, candidates))) {
                return false;
            }
        }
        // The free matches of the best path, from its last to its first, then between the fixed ones.
        const std::size_t first = chosen.size();
        for (std::uint32_t link = paths_[best()].link; link != NONE; link = links_[link].earlier) {
            chosen.push_back(*links_[link].match);
            chosen.back().reference_start = links_[link].position;
        }
        for (std::uint32_t position = 0; position < positions; ++position) {
            if (!candidates.fixed(position)) continue;
            chosen.push_back(candidates.at(position)[0]);
            chosen.back().reference_start = position;
        }
        std::sort(chosen.begin() + static_cast<std::ptrdiff_t>(first), chosen.end(),
                  [](const Match& a, const Match& b) { return a.reference_start < b.reference_start; });
        return true;
    }

private:
    struct Path {
        Rank rank;
        std::int32_t last;   // where the open chunk ends in the hypothesis, -1 when none is open
        std::uint32_t next;  // the first reference position after the path's last match
        std::uint32_t link;  // the path's latest free match
    };
    // A match that may be taken at a position, and what a path gains by it.
    struct Choice {
        Rank gain;
        const Match* match;
        std::uint32_t start;  // in the hypothesis
    };
    // A free match and the one before it on the same path.
    struct Link {
        std::uint32_t earlier;
        std::uint32_t position;
        const Match* match;
    };
    // A path that may come out of a position: what it came from and the match that it takes. Steps whose ranks differ
    // from their parents' by the same are a stream: their order is that of their parents, so it is sorted.
    struct Step {
        Rank rank;
        std::uint32_t parent;
        std::int32_t choice;      // index among the position's choices, or KEEP, or SKIP
        std::uint32_t following;  // the next step of the stream
    };
    struct Stream {
        Rank change;
        std::uint32_t head, tail;
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
    static constexpr std::size_t MAX_STREAMS = 16;
    static constexpr std::uint32_t LONG_RUN = 64, MAX_BLOCKED = 32;

    Rank gain(const Match& match) const {
        const bool accurate = options_.maximum_accuracy;
        const std::int64_t words = accurate ? std::int64_t{match.hypothesis_length} + match.reference_length : 0;
        return units_.gain(weight_of(chain_, match, accurate), words);
    }

    // No path can have used a word of a fixed match, for no other match covers it.
    void take_fixed(const Match& match) {
        const Rank change =
            units_.distance(distance_between(match.reference_start, match.hypothesis_start)) - gain(match);
        const auto start = static_cast<std::int32_t>(match.hypothesis_start);
        changed_.resize(paths_.size());
        std::size_t broken = 0;
        for (std::size_t k = 0; k < paths_.size(); ++k) {
            Path& path = paths_[k];
            changed_[k] = path.last >= 0 && path.last != start;
            broken += changed_[k];
            path.rank = path.rank + change;
            path.last = start + static_cast<std::int32_t>(match.hypothesis_length);
            path.next = match.reference_start + match.reference_length;
        }
        if (broken) restore_order(units_.chunk());
    }

    // A position where nothing matches closes the open chunks.
    void skip(std::uint32_t position) {
        changed_.resize(paths_.size());
        std::size_t closed = 0;
        for (std::size_t k = 0; k < paths_.size(); ++k) {
            Path& path = paths_[k];
            changed_[k] = path.last >= 0 && path.next <= position;
            if (changed_[k]) path.last = -1;
            closed += changed_[k];
        }
        if (closed) restore_order(units_.chunk());
    }

    // Adds to the ranks of the changed paths, and merges them with the others: both are sorted.
    void restore_order(Rank changed_by) {
        const std::size_t count = paths_.size();
        bool sorted = true;
        for (std::size_t k = 0; k < count; ++k) {
            if (changed_[k]) paths_[k].rank = paths_[k].rank + changed_by;
            sorted = sorted && (!k || !(paths_[k].rank < paths_[k - 1].rank));
        }
        if (sorted) return;
        next_paths_.resize(count);
        next_used_.resize(used_.size());
        const auto next_of = [this, count](std::size_t from, bool changed) {
            while (from < count && (changed_[from] != 0) != changed) ++from;
            return from;
        };
        std::size_t same = next_of(0, false), other = next_of(0, true);
        for (std::size_t k = 0; k < count; ++k) {
            bool take_same = same < count;
            if (take_same && other < count) {
                const Rank &a = paths_[same].rank, &b = paths_[other].rank;
                take_same = a < b || (a == b && same < other);
            }
            const std::size_t from = take_same ? same : other;
            next_paths_[k] = paths_[from];
            copy_used(from, k);
            (take_same ? same : other) = next_of(from + 1, !take_same);
        }
        paths_.swap(next_paths_);
        used_.swap(next_used_);
    }

    // Lets every path take each match whose words are unused, then skip the position.
    bool expand(std::uint32_t position, const List& list) {
        current_ = list.choices.data();
        steps_.clear();
        stream_count_ = 0;
        overflowed_ = false;
        for (std::uint32_t parent = 0; parent < paths_.size(); ++parent) {
            if (paths_[parent].next > position) {
                add_step(parent, KEEP, Rank{});
            } else {
                expand_path(parent, position, list);
            }
            if (steps_.size() > options_.max_paths) return false;
        }
        if (steps_.size() > options_.max_paths / 32) made_ += steps_.size();
        if (made_ / 4 > options_.max_paths) return false;
        const std::size_t wanted = std::min(options_.beam, steps_.size());
        survivors_.clear();
        if (overflowed_) {
            sort_all_steps(wanted);
        } else {
            merge_streams(wanted);
        }
        advance(position);
        return true;
    }

    // The distance of a match is charged to the path that it is copied from, so later copies carry it.
    // Of the matches of a long run that break the chunk, or of all if none is open, only as many become steps as can
    // survive: their ranks never fall. The others' distances are added up part by part.
    void expand_path(std::uint32_t parent, std::uint32_t position, const List& list) {
        const Path path = paths_[parent];
        const bool open = path.last >= 0;
        std::int64_t charged = 0;
        const auto take = [&](std::uint32_t number, bool broken) {
            const Rank change = units_.distance(charged) - list.choices[number].gain;
            add_step(parent, static_cast<std::int32_t>(number), broken ? change + units_.chunk() : change);
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
        const Rank change = units_.distance(charged);
        add_step(parent, SKIP, open ? change + units_.chunk() : change);
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
            list.choices.push_back({gain(match), &match, match.hypothesis_start});
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

    void add_step(std::uint32_t parent, std::int32_t choice, Rank change) {
        const auto step = static_cast<std::uint32_t>(steps_.size());
        steps_.push_back({paths_[parent].rank + change, parent, choice, NONE});
        if (overflowed_) return;
        std::size_t stream = 0;
        while (stream < stream_count_ && !(streams_[stream].change == change)) ++stream;
        overflowed_ = stream == MAX_STREAMS;
        if (overflowed_) return;
        if (stream == stream_count_) streams_[stream_count_++] = {change, NONE, NONE};
        Stream& its = streams_[stream];
        (its.head == NONE ? its.head : steps_[its.tail].following) = step;
        its.tail = step;
    }

    // These put the best steps in order: by rank, of equal ranks the earlier one first.

    void merge_streams(std::size_t wanted) {
        std::uint32_t heads[MAX_STREAMS];
        Rank ranks[MAX_STREAMS];
        std::size_t count = stream_count_;
        for (std::size_t k = 0; k < count; ++k) {
            heads[k] = streams_[k].head;
            ranks[k] = steps_[heads[k]].rank;
        }
        while (survivors_.size() < wanted) {
            std::size_t first = 0;
            for (std::size_t k = 1; k < count; ++k) {
                const bool better = ranks[k] < ranks[first] || (ranks[k] == ranks[first] && heads[k] < heads[first]);
                first = better ? k : first;
            }
            const std::uint32_t following = steps_[heads[first]].following;
            survivors_.push_back(heads[first]);
            if (following == NONE) {
                --count;
                heads[first] = heads[count];
                ranks[first] = ranks[count];
            } else {
                heads[first] = following;
                ranks[first] = steps_[following].rank;
            }
        }
    }

    void sort_all_steps(std::size_t wanted) {
        survivors_.resize(steps_.size());
        for (std::uint32_t k = 0; k < survivors_.size(); ++k) survivors_[k] = k;
        const auto better = [this](std::uint32_t a, std::uint32_t b) {
            if (steps_[a].rank == steps_[b].rank) return a < b;
            return steps_[a].rank < steps_[b].rank;
        };
        const auto end = survivors_.begin() + static_cast<std::ptrdiff_t>(wanted);
        if (end != survivors_.end()) std::nth_element(survivors_.begin(), end, survivors_.end(), better);
        survivors_.erase(end, survivors_.end());
        std::sort(survivors_.begin(), survivors_.end(), better);
    }

    // Makes the paths of the surviving steps.
    void advance(std::uint32_t position) {
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
                const Choice& choice = current_[step.choice];
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

    std::uint32_t best() const {
        std::uint32_t best = 0;
        Rank best_rank{};
        for (std::uint32_t k = 0; k < paths_.size(); ++k) {
            const Rank rank = paths_[k].last >= 0 ? paths_[k].rank + units_.chunk() : paths_[k].rank;
            if (!k || rank < best_rank) {
                best = k;
                best_rank = rank;
            }
        }
        return best;
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
    RankUnits<Rank> units_{};
    SearchOptions options_{};
    std::size_t mask_words_ = 1;  // of a bit set over the hypothesis's words
    std::vector<Path> paths_, next_paths_;
    std::vector<std::uint64_t> used_, next_used_;  // hypothesis words that the free matches of each path cover
    std::vector<Link> links_;
    const Choice* current_ = nullptr;  // the position's choices
    std::vector<List> lists_;
    std::vector<Step> steps_;
    std::size_t made_ = 0;  // steps in all, where they were many
    Stream streams_[MAX_STREAMS];
    std::size_t stream_count_ = 0;
    bool overflowed_ = false;  // more streams than are worth merging
    std::vector<std::uint32_t> survivors_;
    std::vector<std::uint8_t> changed_;
};

}  // namespace meteor

#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace meteor {

namespace {

std::int64_t distance_of(const Match& match) {
    return std::llabs(static_cast<std::int64_t>(match.reference_start) - match.hypothesis_start);
}

// Each side's weighted length is cut to an integer.
std::int64_t weighted_words(const Match& match, const Matcher& matcher, bool maximum_accuracy) {
    const double weight = maximum_accuracy ? matcher.accuracy_search_weight : matcher.search_weight;
    return static_cast<std::int64_t>(std::trunc(match.hypothesis_length * weight)) +
           static_cast<std::int64_t>(std::trunc(match.reference_length * weight));
}

}  // namespace

template <class Rank>
void Search<Rank>::run(const Candidates& candidates, std::size_t hypothesis_size, const RankUnits<Rank>& units,
                       const SearchOptions& options, std::vector<Match>& chosen) {
    units_ = units;
    options_ = options;
    mask_words_ = std::max<std::size_t>(1, (hypothesis_size + 63) / 64);
    paths_.assign(1, Path{Rank{}, -1, 0, NONE});
    used_.assign(mask_words_, 0);
    links_.clear();
    const std::uint32_t positions = static_cast<std::uint32_t>(candidates.positions());
    for (std::uint32_t position = 0; position < positions; ++position) {
        const View<Match> starting = candidates.at(position);
        if (!starting.size) {
            skip(position);
        } else if (candidates.fixed(position)) {
            take_fixed(starting[0]);
        } else {
            expand(position, starting);
        }
    }
    // The free matches of the best path, from its last to its first, then between the fixed ones.
    const std::size_t first = chosen.size();
    for (std::uint32_t link = paths_[best()].link; link != NONE; link = links_[link].earlier) {
        chosen.push_back(*links_[link].match);
    }
    for (std::uint32_t position = 0; position < positions; ++position) {
        if (candidates.fixed(position)) chosen.push_back(candidates.at(position)[0]);
    }
    std::sort(chosen.begin() + static_cast<std::ptrdiff_t>(first), chosen.end(),
              [](const Match& a, const Match& b) { return a.reference_start < b.reference_start; });
}

template <class Rank>
Rank Search<Rank>::gain(const Match& match) const {
    const std::int64_t weighted =
        weighted_words(match, chain_.matchers[match.matcher], options_.maximum_accuracy);
    const std::int64_t words =
        options_.maximum_accuracy ? std::int64_t{match.hypothesis_length} + match.reference_length : 0;
    return units_.gain(weighted, words);
}

// No path can have used a word of a fixed match, for no other match covers it.
template <class Rank>
void Search<Rank>::take_fixed(const Match& match) {
    const Rank change = units_.distance(distance_of(match)) - gain(match);
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
template <class Rank>
void Search<Rank>::skip(std::uint32_t position) {
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
template <class Rank>
void Search<Rank>::restore_order(Rank changed_by) {
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
        std::copy_n(used_.data() + from * mask_words_, mask_words_, next_used_.data() + k * mask_words_);
        (take_same ? same : other) = next_of(from + 1, !take_same);
    }
    paths_.swap(next_paths_);
    used_.swap(next_used_);
}

// Lets every path take each match whose words are unused, then skip the position.
template <class Rank>
void Search<Rank>::expand(std::uint32_t position, View<Match> free) {
    for (std::size_t k = 0; k < stream_count_; ++k) streams_[k].steps.clear();
    streams_[MAX_STREAMS].steps.clear();
    stream_count_ = 0;
    step_count_ = 0;
    known_streams_.assign(2 * free.size + 3, UNKNOWN);
    gains_.clear();
    for (const Match& match : free) gains_.push_back(gain(match));
    std::uint8_t& keep = known_streams_.back();
    for (std::uint32_t parent = 0; parent < paths_.size(); ++parent) {
        if (paths_[parent].next > position) {
            add_step(parent, KEEP, Rank{}, keep);
        } else {
            expand_path(parent, position, free);
        }
    }
    select_survivors();
    advance(position, free);
}

// The distance of a match is charged to the path that it is copied from, so later copies carry it. Of the copies
// of one path that gain the same, no more than the beam can survive: their ranks never fall.
template <class Rank>
void Search<Rank>::expand_path(std::uint32_t parent, std::uint32_t position, View<Match> free) {
    const Path& path = paths_[parent];
    const Rank chunk = units_.chunk();
    const bool crowded = free.size > options_.beam;
    copies_.clear();
    Rank charged{};
    // As long as the path takes all matches, its steps are those of every other such path, but for broken chunks.
    bool usual = true;
    for (std::size_t k = 0; k < free.size; ++k) {
        const Match& match = free[k];
        if (is_used(parent, match)) {
            usual = false;
            continue;
        }
        const bool broken = path.last >= 0 && static_cast<std::uint32_t>(path.last) != match.hypothesis_start;
        Rank change = charged - gains_[k];
        if (broken) change = change + chunk;
        bool survivable = true;
        if (crowded) {
            const Rank gain = change - charged;
            auto same = std::find_if(copies_.begin(), copies_.end(),
                                     [&gain](const Copies& copies) { return copies.gain == gain; });
            if (same == copies_.end()) same = copies_.insert(same, Copies{gain, 0});
            survivable = ++same->count <= options_.beam;
        }
        if (survivable) {
            std::uint8_t unknown = UNKNOWN;
            add_step(parent, static_cast<std::int32_t>(k), change, usual ? known_streams_[2 * k + broken] : unknown);
        }
        charged = charged + units_.distance(
            std::llabs(static_cast<std::int64_t>(position) - match.hypothesis_start));
    }
    const bool open = path.last >= 0;
    std::uint8_t unknown = UNKNOWN;
    add_step(parent, SKIP, open ? charged + chunk : charged, usual ? known_streams_[2 * free.size + open] : unknown);
}

template <class Rank>
std::uint8_t Search<Rank>::stream_of(Rank change) {
    for (std::size_t k = 0; k < stream_count_; ++k) {
        if (streams_[k].change == change) return static_cast<std::uint8_t>(k);
    }
    if (stream_count_ == MAX_STREAMS) return static_cast<std::uint8_t>(MAX_STREAMS);
    streams_[stream_count_].change = change;
    streams_[stream_count_].head = 0;
    return static_cast<std::uint8_t>(stream_count_++);
}

// `stream`: where a step of this kind goes; found if it is not known.
template <class Rank>
inline void Search<Rank>::add_step(std::uint32_t parent, std::int32_t choice, Rank change, std::uint8_t& stream) {
    if (stream == UNKNOWN) stream = stream_of(change);
    streams_[stream].steps.push_back({paths_[parent].rank + change, step_count_++, parent, choice});
}

// Puts the best steps, as many as the beam, in order: by rank, of equal ranks the earlier one first.
template <class Rank>
void Search<Rank>::select_survivors() {
    const std::size_t wanted = std::min<std::size_t>(options_.beam, step_count_);
    survivors_.clear();
    if (streams_[MAX_STREAMS].steps.empty()) {
        merge_streams(wanted);
    } else {
        sort_all_steps(wanted);
    }
}

template <class Rank>
void Search<Rank>::merge_streams(std::size_t wanted) {
    const Step* heads[MAX_STREAMS];
    const Step* ends[MAX_STREAMS];
    std::size_t count = stream_count_;
    for (std::size_t k = 0; k < count; ++k) {
        heads[k] = streams_[k].steps.data();
        ends[k] = heads[k] + streams_[k].steps.size();
    }
    while (count > 1 && survivors_.size() < wanted) {
        std::size_t first = 0;
        const Step* best = heads[0];
        for (std::size_t k = 1; k < count; ++k) {
            const Step* step = heads[k];
            const bool better = step->rank < best->rank || (step->rank == best->rank && step->number < best->number);
            first = better ? k : first;
            best = better ? step : best;
        }
        survivors_.push_back(*best);
        if (++heads[first] == ends[first]) {
            --count;
            heads[first] = heads[count];
            ends[first] = ends[count];
        }
    }
    const std::size_t left = wanted - survivors_.size();
    if (left) survivors_.insert(survivors_.end(), heads[0], heads[0] + left);
}

template <class Rank>
void Search<Rank>::sort_all_steps(std::size_t wanted) {
    for (std::size_t k = 0; k < stream_count_; ++k) {
        survivors_.insert(survivors_.end(), streams_[k].steps.begin(), streams_[k].steps.end());
    }
    const auto& others = streams_[MAX_STREAMS].steps;
    survivors_.insert(survivors_.end(), others.begin(), others.end());
    const auto better = [](const Step& a, const Step& b) {
        if (a.rank == b.rank) return a.number < b.number;
        return a.rank < b.rank;
    };
    const auto end = survivors_.begin() + static_cast<std::ptrdiff_t>(wanted);
    if (end != survivors_.end()) std::nth_element(survivors_.begin(), end, survivors_.end(), better);
    survivors_.erase(end, survivors_.end());
    std::sort(survivors_.begin(), survivors_.end(), better);
}

// Makes the paths of the surviving steps.
template <class Rank>
void Search<Rank>::advance(std::uint32_t position, View<Match> free) {
    next_paths_.resize(survivors_.size());
    next_used_.resize(survivors_.size() * mask_words_);
    for (std::size_t k = 0; k < survivors_.size(); ++k) {
        const Step& step = survivors_[k];
        Path& path = next_paths_[k];
        std::uint64_t* used = next_used_.data() + k * mask_words_;
        path = paths_[step.parent];
        path.rank = step.rank;
        std::copy_n(used_.data() + step.parent * mask_words_, mask_words_, used);
        if (step.choice == SKIP) {
            path.last = -1;
        } else if (step.choice != KEEP) {
            const Match& match = free[static_cast<std::size_t>(step.choice)];
            use(used, match);
            path.last = static_cast<std::int32_t>(match.hypothesis_start + match.hypothesis_length);
            path.next = position + match.reference_length;
            links_.push_back({path.link, &match});
            path.link = static_cast<std::uint32_t>(links_.size() - 1);
        }
    }
    paths_.swap(next_paths_);
    used_.swap(next_used_);
}

template <class Rank>
std::uint32_t Search<Rank>::best() const {
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

template <class Rank>
bool Search<Rank>::is_used(std::uint32_t path, const Match& match) const {
    const std::uint64_t* words = used_.data() + path * mask_words_;
    for (std::uint32_t k = 0; k < match.hypothesis_length; ++k) {
        const std::uint32_t word = match.hypothesis_start + k;
        if (words[word / 64] >> (word % 64) & 1) return true;
    }
    return false;
}

template <class Rank>
void Search<Rank>::use(std::uint64_t* words, const Match& match) const {
    for (std::uint32_t k = 0; k < match.hypothesis_length; ++k) {
        const std::uint32_t word = match.hypothesis_start + k;
        words[word / 64] |= std::uint64_t{1} << (word % 64);
    }
}

template class Search<NarrowRank>;
template class Search<WideRank>;

void AlignmentSearch::run(const Candidates& candidates, std::size_t hypothesis_size, const SearchOptions& options,
                          std::vector<Match>& chosen) {
    // No path can gather more than this of each criterion.
    std::uint64_t distance = 0, words = 0, weighted = 0;
    const std::size_t positions = candidates.positions();
    for (std::size_t position = 0; position < positions; ++position) {
        std::uint64_t most_words = 0, most_weighted = 0;
        for (const Match& match : candidates.at(position)) {
            distance += static_cast<std::uint64_t>(distance_of(match));
            most_words = std::max<std::uint64_t>(most_words,
                                                 std::uint64_t{match.hypothesis_length} + match.reference_length);
            const std::int64_t gain =
                weighted_words(match, chain_.matchers[match.matcher], options.maximum_accuracy);
            most_weighted = std::max<std::uint64_t>(most_weighted, static_cast<std::uint64_t>(std::llabs(gain)));
        }
        words += most_words;
        weighted += most_weighted;
    }
    RankUnits<NarrowRank> units;
    units.chunk_shift = bit_length(distance);
    units.word_shift = units.chunk_shift + bit_length(positions + 1);
    units.weighted_shift = units.word_shift + (options.maximum_accuracy ? bit_length(words) : 0);
    if (units.weighted_shift + bit_length(weighted) <= 61) {
        narrow_.run(candidates, hypothesis_size, units, options, chosen);
    } else {
        wide_.run(candidates, hypothesis_size, RankUnits<WideRank>{}, options, chosen);
    }
}

}  // namespace meteor

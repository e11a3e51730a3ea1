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
    const Rank broken = change + units_.chunk();
    const auto start = static_cast<std::int32_t>(match.hypothesis_start);
    for (Path& path : paths_) {
        path.rank = path.rank + (path.last >= 0 && path.last != start ? broken : change);
        path.last = start + static_cast<std::int32_t>(match.hypothesis_length);
        path.next = match.reference_start + match.reference_length;
    }
    restore_order();
}

// A position where nothing matches closes the open chunks.
template <class Rank>
void Search<Rank>::skip(std::uint32_t position) {
    bool changed = false;
    for (Path& path : paths_) {
        if (path.last < 0 || path.next > position) continue;
        path.rank = path.rank + units_.chunk();
        path.last = -1;
        changed = true;
    }
    if (changed) restore_order();
}

// Sorts the paths again after some, not all, of them got the same on top of their rank.
template <class Rank>
void Search<Rank>::restore_order() {
    const auto better = [](const Path& a, const Path& b) { return a.rank < b.rank; };
    if (std::is_sorted(paths_.begin(), paths_.end(), better)) return;
    order_.resize(paths_.size());
    for (std::uint32_t k = 0; k < order_.size(); ++k) order_[k] = k;
    std::stable_sort(order_.begin(), order_.end(), [this, &better](std::uint32_t a, std::uint32_t b) {
        return better(paths_[a], paths_[b]);
    });
    next_paths_.resize(paths_.size());
    next_used_.resize(used_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) {
        next_paths_[k] = paths_[order_[k]];
        std::copy_n(used_.data() + order_[k] * mask_words_, mask_words_, next_used_.data() + k * mask_words_);
    }
    paths_.swap(next_paths_);
    used_.swap(next_used_);
}

// Lets every path take each match whose words are unused, then skip the position.
template <class Rank>
void Search<Rank>::expand(std::uint32_t position, View<Match> free) {
    steps_.clear();
    streams_.clear();
    overflowed_ = false;
    gains_.clear();
    for (const Match& match : free) gains_.push_back(gain(match));
    for (std::uint32_t parent = 0; parent < paths_.size(); ++parent) {
        if (paths_[parent].next > position) {
            add_step(parent, KEEP, Rank{});
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
    for (std::size_t k = 0; k < free.size; ++k) {
        const Match& match = free[k];
        if (is_used(parent, match)) continue;
        Rank change = Rank{} - gains_[k];
        if (path.last >= 0 && static_cast<std::uint32_t>(path.last) != match.hypothesis_start) change = change + chunk;
        bool survivable = true;
        if (crowded) {
            auto same = std::find_if(copies_.begin(), copies_.end(),
                                     [&change](const Copies& copies) { return copies.gain == change; });
            if (same == copies_.end()) same = copies_.insert(same, Copies{change, 0});
            survivable = ++same->count <= options_.beam;
        }
        if (survivable) add_step(parent, static_cast<std::int32_t>(k), change + charged);
        charged = charged + units_.distance(
            std::llabs(static_cast<std::int64_t>(position) - match.hypothesis_start));
    }
    add_step(parent, SKIP, path.last >= 0 ? charged + chunk : charged);
}

template <class Rank>
void Search<Rank>::add_step(std::uint32_t parent, std::int32_t choice, Rank change) {
    const auto step = static_cast<std::uint32_t>(steps_.size());
    steps_.push_back({paths_[parent].rank + change, parent, choice, NONE});
    if (overflowed_) return;
    for (Stream& stream : streams_) {
        if (stream.change == change) {
            steps_[stream.tail].next_step = step;
            stream.tail = step;
            return;
        }
    }
    if (streams_.size() == MAX_STREAMS) {
        overflowed_ = true;
    } else {
        streams_.push_back({change, step, step});
    }
}

// Puts the best steps, as many as the beam, in order: by rank, of equal ranks the earlier one first.
template <class Rank>
void Search<Rank>::select_survivors() {
    const std::size_t wanted = std::min(options_.beam, steps_.size());
    if (overflowed_) {
        order_.resize(steps_.size());
        for (std::uint32_t k = 0; k < order_.size(); ++k) order_[k] = k;
        std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(wanted), order_.end(),
                          [this](std::uint32_t a, std::uint32_t b) {
                              if (steps_[a].rank == steps_[b].rank) return a < b;
                              return steps_[a].rank < steps_[b].rank;
                          });
        order_.resize(wanted);
        return;
    }
    order_.clear();
    while (order_.size() < wanted) {
        std::size_t first = 0;
        for (std::size_t k = 1; k < streams_.size(); ++k) {
            const Step &a = steps_[streams_[k].head], &b = steps_[streams_[first].head];
            if (a.rank < b.rank || (a.rank == b.rank && streams_[k].head < streams_[first].head)) first = k;
        }
        Stream& stream = streams_[first];
        order_.push_back(stream.head);
        stream.head = steps_[stream.head].next_step;
        if (stream.head == NONE) {
            stream = streams_.back();
            streams_.pop_back();
        }
    }
}

// Makes the paths of the surviving steps.
template <class Rank>
void Search<Rank>::advance(std::uint32_t position, View<Match> free) {
    next_paths_.resize(order_.size());
    next_used_.resize(order_.size() * mask_words_);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const Step& step = steps_[order_[k]];
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

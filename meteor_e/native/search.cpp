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
std::int64_t weighted_length(const Matcher& matcher, std::uint32_t length, bool maximum_accuracy) {
    return static_cast<std::int64_t>(
        std::trunc(length * (maximum_accuracy ? matcher.accuracy_search_weight : matcher.search_weight)));
}

}  // namespace

template <class Rank>
bool Search<Rank>::run(const Candidates& candidates, std::size_t hypothesis_size, const RankUnits<Rank>& units,
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
            paths_.clear();
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

template <class Rank>
Rank Search<Rank>::gain(const Match& match) const {
    const bool accurate = options_.maximum_accuracy;
    const std::int64_t words = accurate ? std::int64_t{match.hypothesis_length} + match.reference_length : 0;
    return units_.gain(weights_.of(match, accurate), words);
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
        copy_used(from, k);
        (take_same ? same : other) = next_of(from + 1, !take_same);
    }
    paths_.swap(next_paths_);
    used_.swap(next_used_);
}

template <class Rank>
const typename Search<Rank>::List& Search<Rank>::list_of(std::uint32_t position, const Candidates& candidates) {
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

// Lets every path take each match whose words are unused, then skip the position.
template <class Rank>
bool Search<Rank>::expand(std::uint32_t position, const List& list) {
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
    select_survivors();
    advance(position);
    return true;
}

// Where a run may begin without a word that the path has used: a part of that set.
template <class Rank>
inline std::uint64_t Search<Rank>::unused(std::uint32_t path, const Run& run, std::size_t part) const {
    if (!run.starts[part]) return 0;
    const std::uint64_t* words = used_.data() + path * mask_words_;
    std::uint64_t used = words[part];
    const std::uint64_t after = part + 1 < mask_words_ ? words[part + 1] : 0;
    for (std::uint32_t shift = 1; shift < run.length; ++shift) used |= words[part] >> shift | after << (64 - shift);
    return run.starts[part] & ~used;
}

// The distance of a match is charged to the path that it is copied from, so later copies carry it.
// Of the matches of a long run that break the chunk, or of all if none is open, only as many become steps as can
// survive: their ranks never fall. The others' distances are added up part by part.
template <class Rank>
void Search<Rank>::expand_path(std::uint32_t parent, std::uint32_t position, const List& list) {
    const Path path = paths_[parent];
    const bool open = path.last >= 0;
    std::int64_t charged = 0;
    const auto take = [&](std::uint32_t number, bool broken) {
        const Rank change = units_.distance(charged) - list.choices[number].gain;
        add_step(parent, static_cast<std::int32_t>(number), broken ? change + units_.chunk() : change);
    };
    const auto distance = [position](std::uint32_t start) {
        return std::llabs(static_cast<std::int64_t>(position) - start);
    };
    for (const Run& run : list.runs) {
        if (run.starts.empty()) {
            for (std::uint32_t k = run.first; k < run.last; ++k) {
                const Choice& choice = list.choices[k];
                if (is_used(parent, choice)) continue;
                take(k, open && static_cast<std::uint32_t>(path.last) != choice.start);
                charged += distance(choice.start);
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
                charged += distance(start);
            }
        }
    }
    const Rank change = units_.distance(charged);
    add_step(parent, SKIP, open ? change + units_.chunk() : change);
}

template <class Rank>
inline void Search<Rank>::add_step(std::uint32_t parent, std::int32_t choice, Rank change) {
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

// Puts the best steps, as many as the beam, in order: by rank, of equal ranks the earlier one first.
template <class Rank>
void Search<Rank>::select_survivors() {
    const std::size_t wanted = std::min(options_.beam, steps_.size());
    survivors_.clear();
    if (overflowed_) {
        sort_all_steps(wanted);
    } else {
        merge_streams(wanted);
    }
}

template <class Rank>
void Search<Rank>::merge_streams(std::size_t wanted) {
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

template <class Rank>
void Search<Rank>::sort_all_steps(std::size_t wanted) {
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
template <class Rank>
void Search<Rank>::advance(std::uint32_t position) {
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
inline bool Search<Rank>::is_used(std::uint32_t path, const Choice& choice) const {
    const std::uint64_t* words = used_.data() + path * mask_words_;
    for (std::uint32_t word = choice.start; word < choice.start + choice.match->hypothesis_length; ++word) {
        if (words[word / 64] >> (word % 64) & 1) return true;
    }
    return false;
}

template <class Rank>
inline void Search<Rank>::use(std::size_t path, const Choice& choice) {
    std::uint64_t* words = next_used_.data() + path * mask_words_;
    for (std::uint32_t word = choice.start; word < choice.start + choice.match->hypothesis_length; ++word) {
        words[word / 64] |= std::uint64_t{1} << (word % 64);
    }
}

template <class Rank>
inline void Search<Rank>::copy_used(std::size_t from, std::size_t to) {
    std::copy_n(used_.data() + from * mask_words_, mask_words_, next_used_.data() + to * mask_words_);
}

template class Search<NarrowRank>;
template class Search<WideRank>;

MatchWeights::MatchWeights(const Chain& chain) : chain_(chain) {
    for (const bool maximum_accuracy : {false, true}) {
        for (const Matcher& matcher : chain.matchers) {
            for (std::uint32_t length = 0; length < KNOWN_LENGTHS; ++length) {
                known_[maximum_accuracy].push_back(weighted_length(matcher, length, maximum_accuracy));
            }
        }
    }
}

std::int64_t MatchWeights::of(const Match& match, bool maximum_accuracy) const {
    const auto side = [&](std::uint32_t length) {
        if (length < KNOWN_LENGTHS) return known_[maximum_accuracy][match.matcher * KNOWN_LENGTHS + length];
        return weighted_length(chain_.matchers[match.matcher], length, maximum_accuracy);
    };
    return side(match.hypothesis_length) + side(match.reference_length);
}

bool AlignmentSearch::run(const Candidates& candidates, std::size_t hypothesis_size, const SearchOptions& options,
                          std::vector<Match>& chosen) {
    if (candidates.shared()) {
        return wide_.run(candidates, hypothesis_size, RankUnits<WideRank>{}, options, chosen);
    }
    // No path can gather more than this of each criterion.
    std::uint64_t distance = 0, words = 0, weighted = 0;
    std::size_t most_choices = 0;
    gains_.clear();
    const std::size_t positions = candidates.positions();
    for (std::size_t position = 0; position < positions; ++position) {
        std::uint64_t most_words = 0, most_weighted = 0;
        const View<Match> starting = candidates.at(position);
        most_choices = std::max(most_choices, starting.size());
        for (const Match& match : starting) {
            distance += static_cast<std::uint64_t>(distance_of(match));
            most_words =
                std::max<std::uint64_t>(most_words, std::uint64_t{match.hypothesis_length} + match.reference_length);
            const std::int64_t gain = weights_.of(match, options.maximum_accuracy);
            gains_.push_back(gain);
            most_weighted = std::max<std::uint64_t>(most_weighted, static_cast<std::uint64_t>(std::llabs(gain)));
        }
        words += most_words;
        weighted += most_weighted;
    }
    RankUnits<NarrowRank> units;
    units.chunk_shift = std::bit_width(distance);
    units.word_shift = units.chunk_shift + std::bit_width(positions + 1);
    units.weighted_shift = units.word_shift + (options.maximum_accuracy ? std::bit_width(words) : 0);
    const int bits = units.weighted_shift + std::bit_width(weighted);
    if (bits <= BEAM_RANK_BITS && options.beam <= MAX_NARROW_BEAM && most_choices <= MAX_CHOICES &&
        hypothesis_size <= BeamSearch<4>::MAX_WORDS) {
        std::size_t number = 0;
        for (std::size_t position = 0; position < positions; ++position) {
            for (const Match& match : candidates.at(position)) {
                const std::int64_t matched =
                    options.maximum_accuracy ? std::int64_t{match.hypothesis_length} + match.reference_length : 0;
                gains_[number] = units.gain(gains_[number], matched).value;
                ++number;
            }
        }
        const BeamTask task{candidates, units, options, gains_};
        with_search_for(hypothesis_size, [&](auto& search) { search.run(task, chosen); });
        return true;
    }
    if (bits <= 61) return narrow_.run(candidates, hypothesis_size, units, options, chosen);
    return wide_.run(candidates, hypothesis_size, RankUnits<WideRank>{}, options, chosen);
}

void AlignmentSearch::start_hypothesis(const Candidates& candidates, std::size_t hypothesis_size) {
    if (numbers_.size() > MOST_NUMBERED) forget();
    hypothesis_size_ = hypothesis_size;
    ranks_fit_ = chain_.beam <= MAX_NARROW_BEAM && hypothesis_size <= BeamSearch<4>::MAX_WORDS;
    gains_.clear();
    for (const Match& match : candidates.matches()) {
        const std::int64_t gain = weights_.of(match, false);
        ranks_fit_ = ranks_fit_ && gain < (std::int64_t{1} << GAIN_BITS) && gain > -(std::int64_t{1} << GAIN_BITS);
        gains_.push_back(ranks_fit_ ? gain * (std::int64_t{1} << (DISTANCE_BITS + CHUNK_BITS)) : 0);
    }
    list_numbers_.assign(candidates.lists(), NOT_NUMBERED);
    most_.resize(candidates.lists());
}

void AlignmentSearch::forget() {
    numbers_.clear();
    short_.forget();
    middle_.forget();
    long_.forget();
}

// Lists that hold the same have the same number, whatever they are lists of; 0 is the empty list.
std::uint32_t AlignmentSearch::number_of(const Candidates& candidates, std::size_t position) {
    std::uint32_t& number = list_numbers_[candidates.list(position)];
    if (number != NOT_NUMBERED) return number;
    const View<Match> list = candidates.at(position);
    std::int64_t& most = most_[candidates.list(position)];
    number = 0;
    most = 0;
    if (!list.size()) return number;
    held_.clear();
    const std::int64_t* gain = gains_.data() + (list.data() - candidates.matches().data());
    for (const Match& match : list) {
        const std::int64_t parts[] = {match.hypothesis_start, match.hypothesis_length, match.reference_length, *gain};
        held_.append(reinterpret_cast<const char*>(parts), sizeof parts);
        most = std::max<std::int64_t>(most, std::llabs(*gain));
        ++gain;
    }
    return number = numbers_.emplace(held_, static_cast<std::uint32_t>(numbers_.size() + 1)).first->second;
}

bool AlignmentSearch::run_gathered(const Candidates& candidates, std::vector<Match>& chosen) {
    if (!ranks_fit_) return false;
    const std::size_t positions = candidates.positions(), longer = std::max(positions, hypothesis_size_);
    position_numbers_.resize(positions);
    std::size_t distance = 0;
    std::int64_t weighted = 0;
    for (std::size_t position = 0; position < positions; ++position) {
        const std::size_t choices = candidates.at(position).size();
        position_numbers_[position] = number_of(candidates, position);
        weighted += most_[candidates.list(position)] >> (DISTANCE_BITS + CHUNK_BITS);
        distance += choices * longer;
        if (choices > 64) return false;
    }
    if (std::bit_width(distance) > DISTANCE_BITS || std::bit_width(positions + 1) > CHUNK_BITS ||
        std::bit_width(static_cast<std::uint64_t>(weighted)) > GAIN_BITS) {
        return false;
    }
    RankUnits<NarrowRank> units;
    units.chunk_shift = DISTANCE_BITS;
    units.weighted_shift = units.word_shift = DISTANCE_BITS + CHUNK_BITS;
    const BeamTask task{candidates, units, {chain_.beam, chain_.max_paths, false}, gains_, position_numbers_.data()};
    with_search_for(hypothesis_size_, [&](auto& search) {
        if (search.full()) search.forget();
        search.run(task, chosen);
    });
    return true;
}

}  // namespace meteor

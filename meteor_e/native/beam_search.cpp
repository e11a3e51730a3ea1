#include "beam_search.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace meteor {

// The functions with the keyword `inline` run once per step or path. Without the keyword, compilers rarely inline a
// member of an explicitly instantiated template, and the search would execute 4% more instructions.

template <std::size_t Parts>
void BeamSearch<Parts>::run(const BeamTask& task, std::vector<Match>& alignment) {
    start(task);
    origins_.clear();
    const auto positions = static_cast<std::uint32_t>(task.candidates.position_count());
    for (std::uint32_t position = 0; position < positions; ++position) advance(task, position);
    finish(task, alignment);
}

template <std::size_t Parts>
void BeamSearch<Parts>::start(const BeamTask& task) {
    const std::size_t positions = task.candidates.position_count();
    future_words_.resize(positions + 1);
    starts_.resize(positions + 1);
    covered_words_.resize(positions);
    future_words_[positions] = starts_[positions] = Set{};
    for (std::size_t position = positions; position-- > 0;) {
        Set words{}, starts{};
        for (const Match& match : task.candidates.at(position)) {
            starts.add(match.hypothesis_start, 1);
            words.add(match.hypothesis_start, match.hypothesis_length);
        }
        covered_words_[position] = task.candidates.is_fixed(position) ? Set{} : words;
        future_words_[position] = future_words_[position + 1];
        future_words_[position] |= covered_words_[position];
        starts_[position] = starts;
    }
    classes_[0] = Class{Set{}, Future{}, Origin{}, 1};
    class_count_ = path_count_ = 1;
    keys_[0] = 0;
    class_of_[0] = 0;
    first_origins_.resize(positions);
}

template <std::size_t Parts>
void BeamSearch<Parts>::advance(const BeamTask& task, std::uint32_t position) {
    first_origins_[position] = NONE;
    if (is_passed(task, position)) {
        pass_position(task, position);
    } else {
        expand_classes(task, position);
    }
}

template <std::size_t Parts>
void BeamSearch<Parts>::finish(const BeamTask& task, std::vector<Match>& alignment) {
    const auto positions = static_cast<std::uint32_t>(task.candidates.position_count());
    choices_.assign(positions, NONE);
    std::uint32_t from = class_of_[best_path(task)];
    for (std::uint32_t position = positions; position-- > 0;) {
        if (first_origins_[position] == NONE) continue;
        const Origin& origin = origins_[first_origins_[position] + from];
        if (origin.choice < SKIP) choices_[position] = origin.choice;
        from = origin.from;
    }
    for (std::uint32_t position = 0; position < positions; ++position) {
        const std::uint32_t choice = task.candidates.is_fixed(position) ? 0 : choices_[position];
        if (choice == NONE) continue;
        alignment.push_back(task.candidates.at(position)[choice]);
        alignment.back().reference_start = position;
    }
}

// Returns the path with the best rank. A chunk that is still open counts, too.
template <std::size_t Parts>
std::size_t BeamSearch<Parts>::best_path(const BeamTask& task) const {
    const std::int64_t chunk = task.units.chunk();
    std::size_t best = 0;
    std::int64_t best_rank = 0;
    for (std::size_t path = 0; path < path_count_; ++path) {
        const bool is_open = classes_[class_of_[path]].future.chunk != CLOSED;
        const std::int64_t rank = (keys_[path] >> MEMBER_BITS) + (is_open ? chunk : 0);
        if (!path || rank < best_rank) {
            best = path;
            best_rank = rank;
        }
    }
    return best;
}

// If no candidate at the next position can continue a chunk, the chunk is treated as broken.
template <std::size_t Parts>
inline typename BeamSearch<Parts>::Future BeamSearch<Parts>::future_after(std::uint32_t position,
                                                                          const Match& match) const noexcept {
    const std::uint32_t next = position + match.reference_length;
    const std::uint32_t end = match.hypothesis_start + match.hypothesis_length;
    return {next, end < MAX_WORDS && starts_[next].contains(end) ? CONTINUES + end : BROKEN};
}

// Passes a position at which all paths do the same: they skip a position without candidates, or take a fixed match.
// If all ranks change by the same amount, the ranks are not updated.
template <std::size_t Parts>
void BeamSearch<Parts>::pass_position(const BeamTask& task, std::uint32_t position) {
    const View<Match> starting = task.candidates.at(position);
    const Match* const fixed = starting.empty() ? nullptr : &starting[0];
    const Future after = fixed ? future_after(position, *fixed) : Future{position + 1, CLOSED};
    // Often all classes have the same future, and their chunks continue or break together.
    const Future first = classes_[0].future;
    bool is_same = true;
    for (std::size_t k = 1; k < class_count_; ++k) is_same &= classes_[k].future == first;
    if (is_same && first.next_position > position) return;
    if (is_same && future_words_[after.next_position] == future_words_[first.next_position]) {
        for (std::size_t k = 0; k < class_count_; ++k) classes_[k].future = after;
        return;
    }
    start_steps(class_count_, 3);
    for (std::size_t from = 0; from < class_count_; ++from) {
        const Future current = classes_[from].future;
        if (current.next_position > position) {
            add_step(from, KEEP, 0, last_streams_[0]);
            continue;
        }
        const bool continues = fixed && current.chunk == CONTINUES + fixed->hypothesis_start;
        const bool breaks = current.chunk != CLOSED && !continues;
        add_step(from, fixed ? std::uint16_t{0} : SKIP, breaks ? task.units.chunk() : 0, last_streams_[1 + breaks]);
    }
    take_steps(task, position);
}

// Extends every path by each candidate with unused words, and finally by skipping the position. The distance of a
// candidate is also added to the original path, so that the following copies of this path include it.
template <std::size_t Parts>
void BeamSearch<Parts>::expand_classes(const BeamTask& task, std::uint32_t position) {
    const View<Match> free = task.candidates.at(position);
    const std::int64_t* const gains = task.gains.data() + (free.data() - task.candidates.matches().data());
    const std::int64_t chunk = task.units.chunk();
    start_steps(class_count_ * (free.size() + 1), 2 * free.size() + 3);
    std::uint8_t* const last_streams = last_streams_.data();
    for (std::size_t from = 0; from < class_count_; ++from) {
        const Class& current = classes_[from];
        if (current.future.next_position > position) {
            add_step(from, KEEP, 0, last_streams[2 * free.size() + 2]);
            continue;
        }
        const bool is_open = current.future.chunk != CLOSED;
        // Classes that can take all candidates so far have steps with the same rank changes, except for broken chunks.
        bool can_take_all = true;
        std::uint8_t new_stream;
        const bool is_unused = !current.used_words.intersects(covered_words_[position]);
        std::int64_t charged = 0;
        for (std::size_t k = 0; k < free.size(); ++k) {
            const std::uint32_t start = free[k].hypothesis_start;
            if (!is_unused && current.used_words.contains_any(start, free[k].hypothesis_length)) {
                can_take_all = false;
                continue;
            }
            const bool breaks = is_open && current.future.chunk != CONTINUES + start;
            new_stream = NO_STREAM;
            add_step(from, static_cast<std::uint16_t>(k), charged - gains[k] + (breaks ? chunk : 0),
                     can_take_all ? last_streams[2 * k + breaks] : new_stream);
            charged += distance_between(position, start);
        }
        new_stream = NO_STREAM;
        add_step(from, SKIP, charged + (is_open ? chunk : 0),
                 can_take_all ? last_streams[2 * free.size() + is_open] : new_stream);
    }
    take_steps(task, position);
}

template <std::size_t Parts>
void BeamSearch<Parts>::start_steps(std::size_t max_steps, std::size_t kinds) {
    step_count_ = stream_count_ = 0;
    if (steps_.size() < max_steps) steps_.resize(max_steps);
    has_stream_overflow_ = has_equal_streams_ = false;
    last_streams_.assign(kinds, NO_STREAM);
}

// Adds a step to a stream. A stream contains at most one step of each class. Earlier steps are in earlier streams.
// `last_stream` is the last stream for steps of this kind. It is updated if the step needs another stream.
template <std::size_t Parts>
inline void BeamSearch<Parts>::add_step(std::size_t from, std::uint16_t choice, std::int64_t rank_change,
                                        std::uint8_t& last_stream) {
    const auto step = static_cast<std::uint16_t>(step_count_++);
    steps_[step] = {rank_change, static_cast<std::uint16_t>(from), choice, NO_CLASS_YET};
    const std::uint64_t members = classes_[from].members;
    if (last_stream == NO_STREAM || has_equal_streams_ || streams_[last_stream].members & members) {
        last_stream = choose_stream(rank_change, members);
    }
    if (last_stream == NO_STREAM) return;
    streams_[last_stream].members |= members;
    streams_[last_stream].step_of[from] = step;
}

template <std::size_t Parts>
inline std::uint8_t BeamSearch<Parts>::choose_stream(std::int64_t rank_change, std::uint64_t members) {
    std::size_t k = 0;
    for (; k < stream_count_; ++k) {
        if (streams_[k].rank_change != rank_change) continue;
        if (!(streams_[k].members & members)) break;
        has_equal_streams_ = true;
    }
    if (k == stream_count_) {
        if (k == MAX_STREAMS) {
            has_stream_overflow_ = true;
            return NO_STREAM;
        }
        ++stream_count_;
        streams_[k].rank_change = rank_change;
        streams_[k].members = 0;
    }
    return static_cast<std::uint8_t>(k);
}

// Takes the best steps, which become the paths after the position. The beam width limits their number.
template <std::size_t Parts>
void BeamSearch<Parts>::take_steps(const BeamTask& task, std::uint32_t position) {
    next_class_count_ = next_path_count_ = 0;
    next_slots_.fill(NO_CLASS);
    if (has_stream_overflow_) {
        sort_steps(task, position);
    } else {
        merge_streams(task, position);
    }
    path_count_ = next_path_count_;
    class_count_ = next_class_count_;
    std::copy_n(next_keys_, path_count_, keys_);
    std::copy_n(next_class_of_, path_count_, class_of_);
    std::copy_n(next_classes_, class_count_, classes_);
    first_origins_[position] = static_cast<std::uint32_t>(origins_.size());
    for (std::size_t k = 0; k < class_count_; ++k) origins_.push_back(classes_[k].origin);
}

// Selects the best steps by rank. Equal ranks are ordered by path and then by step. The stream with the best step
// provides steps until another stream has a better step.
template <std::size_t Parts>
void BeamSearch<Parts>::merge_streams(const BeamTask& task, std::uint32_t position) {
    const std::size_t beam = task.options.beam;
    constexpr std::int64_t ENDED = std::numeric_limits<std::int64_t>::max(), STREAMS = std::int64_t{1} << STREAM_BITS;
    std::int64_t heads[MAX_STREAMS + 1], extra[MAX_STREAMS];  // the heads are sorted
    for (std::size_t k = 0; k < stream_count_; ++k) {
        extra[k] =
            streams_[k].rank_change * ((std::int64_t{1} << MEMBER_BITS) * STREAMS) + static_cast<std::int64_t>(k);
        const std::int64_t head = keys_[std::countr_zero(streams_[k].members)] * STREAMS + extra[k];
        std::size_t index = k;
        for (; index > 0 && heads[index - 1] > head; --index) heads[index] = heads[index - 1];
        heads[index] = head;
    }
    heads[stream_count_] = ENDED;
    while (next_path_count_ < beam && heads[0] != ENDED) {
        std::int64_t key = heads[0];
        const std::int64_t limit = heads[1];
        const auto stream_index = static_cast<std::size_t>(key & (STREAMS - 1));
        const Stream& stream = streams_[stream_index];
        std::uint64_t members = stream.members;
        do {
            const std::uint16_t step = stream.step_of[class_of_[std::countr_zero(members)]];
            add_survivor(task, key >> STREAM_BITS, step, position);
            members &= members - 1;
            key = members ? keys_[std::countr_zero(members)] * STREAMS + extra[stream_index] : ENDED;
        } while (key < limit && next_path_count_ < beam);
        streams_[stream_index].members = members;
        std::size_t index = 0;
        for (; heads[index + 1] < key; ++index) heads[index] = heads[index + 1];
        heads[index] = key;
    }
}

template <std::size_t Parts>
void BeamSearch<Parts>::sort_steps(const BeamTask& task, std::uint32_t position) {
    sorted_steps_.clear();
    for (std::size_t step = 0; step < step_count_; ++step) {
        const std::int64_t extra = steps_[step].rank_change * (std::int64_t{1} << MEMBER_BITS);
        for (std::uint64_t members = classes_[steps_[step].from].members; members; members &= members - 1) {
            sorted_steps_.push_back({keys_[std::countr_zero(members)] + extra, static_cast<std::uint16_t>(step)});
        }
    }
    const auto is_better = [](const KeyedStep& a, const KeyedStep& b) {
        return a.key == b.key ? a.step < b.step : a.key < b.key;
    };
    const std::size_t count = std::min(task.options.beam, sorted_steps_.size());
    const auto end = sorted_steps_.begin() + static_cast<std::ptrdiff_t>(count);
    if (end != sorted_steps_.end()) std::nth_element(sorted_steps_.begin(), end, sorted_steps_.end(), is_better);
    std::sort(sorted_steps_.begin(), end, is_better);
    for (auto step = sorted_steps_.begin(); step != end; ++step) add_survivor(task, step->key, step->step, position);
}

// Adds a path after the position. `key` contains the number of the path that is extended.
template <std::size_t Parts>
inline void BeamSearch<Parts>::add_survivor(const BeamTask& task, std::int64_t key, std::size_t step_index,
                                            std::uint32_t position) {
    Step& step = steps_[step_index];
    if (step.to == NO_CLASS_YET) step.to = static_cast<std::uint16_t>(find_or_add_class(task, step, position));
    const std::size_t path = next_path_count_++;
    const std::uint64_t rank = static_cast<std::uint64_t>(key) & ~std::uint64_t{MAX_NARROW_BEAM - 1};
    next_keys_[path] = static_cast<std::int64_t>(rank | path);
    next_class_of_[path] = static_cast<std::uint8_t>(step.to);
    next_classes_[step.to].members |= std::uint64_t{1} << path;
}

// Returns the class that a step leads to.
template <std::size_t Parts>
inline std::size_t BeamSearch<Parts>::find_or_add_class(const BeamTask& task, const Step& step,
                                                        std::uint32_t position) {
    Class& new_class = next_classes_[next_class_count_];
    new_class = classes_[step.from];
    new_class.members = 0;
    new_class.origin = {step.from, step.choice};
    if (step.choice == SKIP) {
        new_class.future = {position + 1, CLOSED};
    } else if (step.choice != KEEP) {
        const Match& match = task.candidates.at(position)[step.choice];
        new_class.future = future_after(position, match);
        new_class.used_words.add(match.hypothesis_start, match.hypothesis_length);
    }
    // Only words that later candidates cover are stored, so that more paths belong to the same class.
    new_class.used_words &= future_words_[position + 1];
    const std::uint64_t hash = (new_class.used_words.hash() ^ new_class.future.bits()) * 0x9E3779B97F4A7C15ull;
    std::size_t slot = static_cast<std::size_t>(hash >> (64 - SLOT_BITS));
    for (; next_slots_[slot] != NO_CLASS; slot = (slot + 1) % next_slots_.size()) {
        const Class& existing_class = next_classes_[next_slots_[slot]];
        if (existing_class.used_words == new_class.used_words && existing_class.future == new_class.future) {
            return next_slots_[slot];
        }
    }
    next_slots_[slot] = static_cast<std::uint8_t>(next_class_count_);
    return next_class_count_++;
}

template class BeamSearch<1>;
template class BeamSearch<2>;
template class BeamSearch<4>;

}  // namespace meteor

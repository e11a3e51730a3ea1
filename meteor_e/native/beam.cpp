#include "beam.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace meteor {

namespace {

std::int64_t distance(std::uint32_t position, const Match& match) {
    return std::llabs(static_cast<std::int64_t>(position) - match.hypothesis_start);
}

}  // namespace

template <std::size_t Parts>
void BeamSearch<Parts>::run(const BeamTask& task, std::vector<Match>& chosen) {
    prepare(task);
    const auto positions = static_cast<std::uint32_t>(task.candidates.positions());
    const std::int64_t chunk = task.units.chunk().value;
    if (!task.lists) links_.clear();
    classes_[0] = Class{Set{}, Place{}, NONE, 1};
    class_count_ = 1;
    paths_ = 1;
    keys_[0] = 0;
    class_of_[0] = 0;
    for (std::uint32_t position = task.lists ? resume(task) : 0; position < positions; ++position) {
        const View<Match> starting = task.candidates.at(position);
        if (!starting.size || task.candidates.fixed(position)) {
            pass(position, starting.size ? &starting[0] : nullptr, chunk);
        } else {
            expand(task, position);
        }
        if (task.lists) remember(task, position);
    }
    std::size_t best = 0;
    std::int64_t best_rank = 0;
    for (std::size_t path = 0; path < paths_; ++path) {
        const bool open = classes_[class_of_[path]].place.last != CLOSED;
        const std::int64_t rank = (keys_[path] >> MEMBER_BITS) + (open ? chunk : 0);
        if (!path || rank < best_rank) {
            best = path;
            best_rank = rank;
        }
    }
    taken_.assign(positions, NONE);
    for (std::uint32_t link = classes_[class_of_[best]].link; link != NONE; link = links_[link].earlier) {
        taken_[links_[link].position] = links_[link].choice;
    }
    for (std::uint32_t position = 0; position < positions; ++position) {
        const std::uint32_t choice = task.candidates.fixed(position) ? 0 : taken_[position];
        if (choice == NONE) continue;
        chosen.push_back(task.candidates.at(position)[choice]);
        chosen.back().reference_start = position;
    }
}

// What the next state depends on, beside the last one.
template <std::size_t Parts>
BeamEdge<Parts> BeamSearch<Parts>::next_edge(const BeamTask& task, std::uint32_t position) {
    const bool fixed = task.candidates.fixed(position);
    BeamEdge<Parts> edge;
    edge.node = nodes_[position];
    edge.candidates = 2 * task.lists[position] + fixed;
    std::uint64_t bit = 1;
    for (const Match& match : task.candidates.at(position)) {
        const std::uint32_t end = match.hypothesis_start + match.hypothesis_length;
        if (place(position + match.reference_length, end).last != BROKEN) edge.continues |= bit;
        bit <<= 1;
        if (!fixed) touched_.add(match.hypothesis_start, match.hypothesis_length);
    }
    touched_ = touched_ & future_[position + 1];
    edge.future = touched_.parts;
    return edge;
}

// Hands on what a state is made of, part by part. The numbers come first: they say how long the rest is, also while a
// state is read back.
template <std::size_t Parts>
template <typename Take>
void BeamSearch<Parts>::each_part_of_state(Take&& take) {
    take(&paths_, sizeof paths_);
    take(&class_count_, sizeof class_count_);
    take(keys_, paths_ * sizeof keys_[0]);
    take(classes_, class_count_ * sizeof classes_[0]);
    take(class_of_, paths_ * sizeof class_of_[0]);
}

// Goes as far as other searches went the same way. Returns the position where work begins.
template <std::size_t Parts>
std::uint32_t BeamSearch<Parts>::resume(const BeamTask& task) {
    const auto positions = static_cast<std::uint32_t>(task.candidates.positions());
    nodes_.assign(1, BeamMemory<Parts>::ROOT);
    touched_ = Set{};
    std::uint32_t first = 0;
    for (known_ = 0; known_ < positions; ++known_) {
        const Set before = touched_;
        const std::uint32_t node = memory_.find(next_edge(task, known_));
        if (node == BeamMemory<Parts>::NONE) {
            touched_ = before;
            break;
        }
        nodes_.push_back(node);
        if (memory_.has_state(node)) first = known_ + 1;
    }
    went_ += positions;
    followed_ += known_;
    if (!first) return 0;
    const std::uint8_t* from = memory_.state(nodes_[first]);
    each_part_of_state([&from](void* part, std::size_t size) {
        std::memcpy(part, from, size);
        from += size;
    });
    return first;
}

// Where most ways are gone again, all of a search is remembered; elsewhere, the tree grows as searches come back to it,
// and a state is kept when the second comes. Where a position is only passed, it is found again from the one before.
template <std::size_t Parts>
void BeamSearch<Parts>::remember(const BeamTask& task, std::uint32_t position) {
    const bool fresh = position >= known_, busy = 2 * followed_ > went_;
    if (fresh && !busy && position > 2 * known_) return;
    if (fresh) nodes_.push_back(memory_.add(next_edge(task, position)));
    const bool passed = !task.candidates.at(position).size || task.candidates.fixed(position);
    if (!passed && (!fresh || busy)) keep_state(nodes_[position + 1]);
}

template <std::size_t Parts>
void BeamSearch<Parts>::keep_state(std::uint32_t node) {
    std::size_t room = 0;
    each_part_of_state([&room](const void*, std::size_t size) { room += size; });
    std::uint8_t* to = memory_.give_room(node, room);
    each_part_of_state([&to](const void* part, std::size_t size) {
        std::memcpy(to, part, size);
        to += size;
    });
}

template <std::size_t Parts>
void BeamSearch<Parts>::prepare(const BeamTask& task) {
    const std::size_t positions = task.candidates.positions();
    future_.resize(positions + 1);
    starts_.resize(positions + 1);
    future_[positions] = starts_[positions] = Set{};
    for (std::size_t position = positions; position-- > 0;) {
        Set words = future_[position + 1], starts{};
        const bool fixed = task.candidates.fixed(position);
        for (const Match& match : task.candidates.at(position)) {
            starts.add(match.hypothesis_start, 1);
            if (!fixed) words.add(match.hypothesis_start, match.hypothesis_length);
        }
        future_[position] = words;
        starts_[position] = starts;
    }
}

// A chunk that no match at the next position goes on with is as good as broken, wherever it ends.
template <std::size_t Parts>
typename BeamSearch<Parts>::Place BeamSearch<Parts>::place(std::uint32_t next, std::uint32_t end) const {
    return {next, end < MAX_WORDS && starts_[next].has(end) ? CONTINUES + end : BROKEN};
}

// Passes a position where nothing matches, which closes open chunks, or where a match is fixed, which all paths take.
// What changes all ranks by the same changes nothing.
template <std::size_t Parts>
void BeamSearch<Parts>::pass(std::uint32_t position, const Match* fixed, std::int64_t chunk) {
    std::uint64_t broken = 0;
    Place after{position + 1, CLOSED};
    if (fixed) {
        after = place(position + fixed->reference_length, fixed->hypothesis_start + fixed->hypothesis_length);
    }
    const Set& future = future_[after.next];
    // Often all classes are at the same place, and their chunks go on or break together.
    const Place first = classes_[0].place;
    bool together = true;
    for (std::size_t k = 1; k < class_count_; ++k) together &= classes_[k].place == first;
    if (together && first.next > position) return;
    if (together && future == future_[first.next]) {
        for (std::size_t k = 0; k < class_count_; ++k) classes_[k].place = after;
        return;
    }
    next_class_count_ = 0;
    std::uint8_t moved[MAX_NARROW_BEAM];
    for (std::size_t k = 0; k < class_count_; ++k) {
        Class now = classes_[k];
        if (now.place.next <= position) {
            const bool goes_on = fixed && now.place.last == CONTINUES + fixed->hypothesis_start;
            if (now.place.last != CLOSED && !goes_on) broken |= now.members;
            now.place = after;
            now.used = now.used & future;
        }
        moved[k] = static_cast<std::uint8_t>(find_class(now));
        // Of two classes that become one, the one whose path comes first goes on; that is settled below.
    }
    const bool merged = next_class_count_ != class_count_;
    const std::uint64_t all = paths_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << paths_) - 1;
    const bool reorder = broken && broken != all;
    if (!merged && !reorder) {
        std::copy_n(next_classes_, class_count_, classes_);
        return;
    }
    for (std::size_t k = 0; k < next_class_count_; ++k) next_classes_[k].members = 0;
    std::uint64_t left[2] = {all & ~broken, broken};
    const std::int64_t extra = chunk << MEMBER_BITS;
    for (std::size_t path = 0; path < paths_; ++path) {
        std::size_t stream = 0;
        if (!reorder) {
            stream = !left[0];
        } else if (!left[0]) {
            stream = 1;
        } else if (left[1]) {
            stream = keys_[lowest_bit(left[1])] + extra < keys_[lowest_bit(left[0])];
        }
        const unsigned from = lowest_bit(left[stream]);
        left[stream] &= left[stream] - 1;
        const std::int64_t key = keys_[from] + (stream && reorder ? extra : 0);
        next_keys_[path] =
            static_cast<std::int64_t>((static_cast<std::uint64_t>(key) & ~std::uint64_t{MAX_NARROW_BEAM - 1}) | path);
        const std::uint8_t to = moved[class_of_[from]];
        next_class_of_[path] = to;
        if (!next_classes_[to].members) next_classes_[to].link = classes_[class_of_[from]].link;
        next_classes_[to].members |= std::uint64_t{1} << path;
    }
    std::copy_n(next_keys_, paths_, keys_);
    std::copy_n(next_class_of_, paths_, class_of_);
    std::copy_n(next_classes_, next_class_count_, classes_);
    class_count_ = next_class_count_;
}

// Lets every path take each match whose words are unused, then skip the position. The distance of a match is charged
// to the path that it is copied from, so later copies carry it.
template <std::size_t Parts>
void BeamSearch<Parts>::expand(const BeamTask& task, std::uint32_t position) {
    const View<Match> free = task.candidates.at(position);
    const std::int64_t* const gains = task.gains.data() + (free.data - task.candidates.matches().data());
    choices_.resize(free.size);
    Set all{};
    for (std::size_t k = 0; k < free.size; ++k) {
        const Match& match = free[k];
        Choice& choice = choices_[k];
        choice.words = Set{};
        choice.words.add(match.hypothesis_start, match.hypothesis_length);
        choice.gain = gains[k];
        choice.distance = distance(position, match);
        choice.start = match.hypothesis_start;
        choice.length = match.hypothesis_length;
        choice.reference_length = match.reference_length;
        all = all | choice.words;
    }
    const std::int64_t chunk = task.units.chunk().value;
    step_count_ = 0;
    const std::size_t most = class_count_ * (free.size + 1);
    if (steps_.size() < most) steps_.resize(most);
    stream_count_ = 0;
    overflowed_ = false;
    twins_ = false;
    known_streams_.assign(2 * free.size + 3, NO_STREAM);
    std::uint8_t* const known = known_streams_.data();
    for (std::size_t from = 0; from < class_count_; ++from) {
        const Class& now = classes_[from];
        if (now.place.next > position) {
            add_step(from, KEEP, 0, known[2 * free.size + 2]);
            continue;
        }
        const bool open = now.place.last != CLOSED;
        const std::int64_t broken = open ? chunk : 0;
        // As long as a class may take all choices, its steps are those of other such classes, but for broken chunks.
        bool usual = true;
        std::uint8_t unknown;
        const bool unused = !now.used.meets(all);
        std::int64_t charged = 0;
        for (std::size_t k = 0; k < free.size; ++k) {
            const Choice& choice = choices_[k];
            if (!unused && now.used.meets(choice.words)) {
                usual = false;
                continue;
            }
            const bool breaks = open && now.place.last != CONTINUES + choice.start;
            unknown = NO_STREAM;
            add_step(from, static_cast<std::uint16_t>(k), charged - choice.gain + (breaks ? broken : 0),
                     usual ? known[2 * k + breaks] : unknown);
            charged += choice.distance;
        }
        unknown = NO_STREAM;
        add_step(from, SKIP, charged + broken, usual ? known[2 * free.size + open] : unknown);
    }
    next_class_count_ = 0;
    next_paths_ = 0;
    if (overflowed_) {
        sort_steps(task.options.beam, position);
    } else {
        merge_streams(task.options.beam, position);
    }
    paths_ = next_paths_;
    std::copy_n(next_keys_, paths_, keys_);
    std::copy_n(next_class_of_, paths_, class_of_);
    std::copy_n(next_classes_, next_class_count_, classes_);
    class_count_ = next_class_count_;
}

// Two steps of a class never share a stream: the earlier one is in the earlier stream.
// `known`: where a step of this kind goes; found if it is not known, or if it is not the only one.
template <std::size_t Parts>
inline void BeamSearch<Parts>::add_step(std::size_t from, std::uint16_t choice, std::int64_t change,
                                        std::uint8_t& known) {
    const auto step = static_cast<std::uint16_t>(step_count_++);
    steps_[step] = {change, static_cast<std::uint16_t>(from), choice, UNKNOWN};
    const std::uint64_t members = classes_[from].members;
    if (known == NO_STREAM || twins_ || streams_[known].members & members) known = find_stream(change, members);
    if (known == NO_STREAM) return;
    streams_[known].members |= members;
    streams_[known].step_of[from] = step;
}

template <std::size_t Parts>
std::uint8_t BeamSearch<Parts>::find_stream(std::int64_t change, std::uint64_t members) {
    std::size_t k = 0;
    for (; k < stream_count_; ++k) {
        if (streams_[k].change != change) continue;
        if (!(streams_[k].members & members)) break;
        twins_ = true;
    }
    if (k == stream_count_) {
        if (k == MAX_STREAMS) {
            overflowed_ = true;
            return NO_STREAM;
        }
        ++stream_count_;
        streams_[k].change = change;
        streams_[k].members = 0;
    }
    return static_cast<std::uint8_t>(k);
}

// The best steps, as many as the beam, in order: by rank, of equal ranks the earlier path's first, then the earlier.
// The stream with the best step gives its steps until another stream has a better one.
template <std::size_t Parts>
void BeamSearch<Parts>::merge_streams(std::size_t beam, std::uint32_t position) {
    constexpr std::int64_t ENDED = std::numeric_limits<std::int64_t>::max(), STREAMS = std::int64_t{1} << STREAM_BITS;
    std::int64_t heads[MAX_STREAMS + 1], extra[MAX_STREAMS];  // the heads are in order
    for (std::size_t k = 0; k < stream_count_; ++k) {
        extra[k] = streams_[k].change * ((std::int64_t{1} << MEMBER_BITS) * STREAMS) + static_cast<std::int64_t>(k);
        const std::int64_t head = keys_[lowest_bit(streams_[k].members)] * STREAMS + extra[k];
        std::size_t at = k;
        for (; at > 0 && heads[at - 1] > head; --at) heads[at] = heads[at - 1];
        heads[at] = head;
    }
    heads[stream_count_] = ENDED;
    while (next_paths_ < beam && heads[0] != ENDED) {
        std::int64_t key = heads[0];
        const std::int64_t limit = heads[1];
        const auto number = static_cast<std::size_t>(key & (STREAMS - 1));
        const Stream& stream = streams_[number];
        std::uint64_t members = stream.members;
        do {
            survive(key >> STREAM_BITS, stream.step_of[class_of_[lowest_bit(members)]], position);
            members &= members - 1;
            key = members ? keys_[lowest_bit(members)] * STREAMS + extra[number] : ENDED;
        } while (key < limit && next_paths_ < beam);
        streams_[number].members = members;
        std::size_t at = 0;
        for (; heads[at + 1] < key; ++at) heads[at] = heads[at + 1];
        heads[at] = key;
    }
}

template <std::size_t Parts>
void BeamSearch<Parts>::sort_steps(std::size_t beam, std::uint32_t position) {
    sorted_.clear();
    for (std::size_t step = 0; step < step_count_; ++step) {
        const std::int64_t extra = steps_[step].change * (std::int64_t{1} << MEMBER_BITS);
        for (std::uint64_t left = classes_[steps_[step].from].members; left; left &= left - 1) {
            sorted_.push_back({keys_[lowest_bit(left)] + extra, static_cast<std::uint16_t>(step)});
        }
    }
    const auto better = [](const Taken& a, const Taken& b) { return a.key == b.key ? a.step < b.step : a.key < b.key; };
    const auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(std::min(beam, sorted_.size()));
    if (end != sorted_.end()) std::nth_element(sorted_.begin(), end, sorted_.end(), better);
    std::sort(sorted_.begin(), end, better);
    for (auto taken = sorted_.begin(); taken != end; ++taken) survive(taken->key, taken->step, position);
}

template <std::size_t Parts>
inline void BeamSearch<Parts>::survive(std::int64_t key, std::size_t number, std::uint32_t position) {
    Step& step = steps_[number];
    if (step.to == UNKNOWN) step.to = static_cast<std::uint16_t>(make_class(step, position));
    const std::size_t path = next_paths_++;
    next_keys_[path] =
        static_cast<std::int64_t>((static_cast<std::uint64_t>(key) & ~std::uint64_t{MAX_NARROW_BEAM - 1}) | path);
    next_class_of_[path] = static_cast<std::uint8_t>(step.to);
    next_classes_[step.to].members |= std::uint64_t{1} << path;
}

template <std::size_t Parts>
std::size_t BeamSearch<Parts>::make_class(const Step& step, std::uint32_t position) {
    Class made = classes_[step.from];
    made.members = 0;
    // Words that matter from the next position on, wherever the path goes on: so states depend on fewer things.
    const Set& future = future_[position + 1];
    made.used = made.used & future;
    if (step.choice == KEEP) return find_class(made);
    if (step.choice == SKIP) {
        made.place = {position + 1, CLOSED};
        return find_class(made);
    }
    const Choice& choice = choices_[step.choice];
    made.place = place(position + choice.reference_length, choice.start + choice.length);
    made.used = made.used | (choice.words & future);
    const std::size_t before = next_class_count_;
    const std::size_t found = find_class(made);
    if (found == before) {
        links_.push_back({made.link, position, step.choice});
        next_classes_[found].link = static_cast<std::uint32_t>(links_.size() - 1);
    }
    return found;
}

// The class with the same future, which is made if there is none.
template <std::size_t Parts>
inline std::size_t BeamSearch<Parts>::find_class(const Class& made) {
    const std::uint64_t tag = made.used.hash() ^ made.place.number();
    for (std::size_t k = 0; k < next_class_count_; ++k) {
        if (next_tags_[k] != tag) continue;
        if (next_classes_[k].used == made.used && next_classes_[k].place == made.place) return k;
    }
    next_tags_[next_class_count_] = tag;
    next_classes_[next_class_count_] = made;
    return next_class_count_++;
}

template class BeamSearch<1>;
template class BeamSearch<2>;
template class BeamSearch<4>;

}  // namespace meteor

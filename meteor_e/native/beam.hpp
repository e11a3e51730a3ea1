// The beam search for pairs of the usual size: what path_search.hpp computes, with less work.
//
// Paths differ in what lies behind them, but most have the same future: the same hypothesis words that are still worth
// anything are used, and the same chunk may go on. Such paths are a class. What may come next is worked out once a
// class; a path is a number, its rank, and a bit in its class's set. Paths of a class whose steps change their ranks by
// the same stay in order, so the survivors of a position are merged from a few sorted streams. Of each class only the
// first path can win in the end, so a class remembers what its first path came from; the others count, as they take
// room in the beam.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "beam_memory.hpp"
#include "candidates.hpp"
#include "chain.hpp"
#include "rank.hpp"

namespace meteor {

// A set of hypothesis words.
template <std::size_t Parts>
struct WordSet {
    std::array<std::uint64_t, Parts> parts{};

    void add(std::uint32_t first, std::uint32_t count) {
        for (std::uint32_t word = first; word < first + count; ++word) {
            parts[Parts == 1 ? 0 : word / 64] |= std::uint64_t{1} << (word % 64);
        }
    }
    bool has(std::uint32_t word) const { return parts[Parts == 1 ? 0 : word / 64] >> (word % 64) & 1; }
    bool has_any(std::uint32_t first, std::uint32_t count) const {
        for (std::uint32_t word = first; word < first + count; ++word) {
            if (has(word)) return true;
        }
        return false;
    }
    WordSet& operator|=(const WordSet& other) {
        for (std::size_t k = 0; k < Parts; ++k) parts[k] |= other.parts[k];
        return *this;
    }
    WordSet& operator&=(const WordSet& other) {
        for (std::size_t k = 0; k < Parts; ++k) parts[k] &= other.parts[k];
        return *this;
    }
    bool meets(const WordSet& other) const {
        std::uint64_t common = 0;
        for (std::size_t k = 0; k < Parts; ++k) common |= parts[k] & other.parts[k];
        return common != 0;
    }
    bool operator==(const WordSet&) const = default;
    std::uint64_t hash() const {
        std::uint64_t value = parts[0];
        for (std::size_t k = 1; k < Parts; ++k) value = value * 0x9E3779B97F4A7C15ull + parts[k];
        return value * 0x9E3779B97F4A7C15ull;
    }
};

// What all paths of the search share; ranks are whole numbers, of few enough bits.
struct BeamTask {
    const Candidates& candidates;
    RankUnits units;
    SearchOptions options;
    const std::vector<std::int64_t>& gains;  // of candidates.matches()
    // Of each position: lists of candidates with one number are equal. Null: the search is not to be remembered.
    const std::uint32_t* lists = nullptr;
};

constexpr std::size_t MAX_NARROW_BEAM = 64;  // the paths of a class are bits of one number
constexpr std::size_t MAX_CHOICES = 512;     // at a position
constexpr int BEAM_RANK_BITS = 50;

template <std::size_t Parts>
class BeamSearch {
public:
    static constexpr std::size_t MAX_WORDS = 64 * Parts;

    // Appends the chosen matches to `chosen`, by reference position.
    void run(const BeamTask& task, std::vector<Match>& chosen) {
        prepare(task);
        const auto positions = static_cast<std::uint32_t>(task.candidates.positions());
        classes_[0] = Class{Set{}, Place{}, Origin{}, 1};
        class_count_ = 1;
        paths_ = 1;
        keys_[0] = 0;
        class_of_[0] = 0;
        first_origins_.resize(positions);
        if (task.lists) {
            go_on_known_ways(task);
        } else {
            origins_.clear();
            for (std::uint32_t position = 0; position < positions; ++position) go(task, position);
        }
        const std::int64_t chunk = task.units.chunk();
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
        std::uint32_t from = class_of_[best];
        for (std::uint32_t position = positions; position-- > 0;) {
            if (first_origins_[position] == NONE) continue;
            const Origin& origin = origins_[first_origins_[position] + from];
            if (origin.choice < SKIP) taken_[position] = origin.choice;
            from = origin.from;
        }
        for (std::uint32_t position = 0; position < positions; ++position) {
            const std::uint32_t choice = task.candidates.fixed(position) ? 0 : taken_[position];
            if (choice == NONE) continue;
            chosen.push_back(task.candidates.at(position)[choice]);
            chosen.back().reference_start = position;
        }
    }

    // Searches that are to be remembered have the same units and beam until they are forgotten.
    bool full() const { return memory_.full() || origins_.size() > MAX_ORIGINS; }
    void forget() {
        memory_.clear();
        origins_.clear();
        remembered_origins_ = 0;
        went_ = followed_ = 0;
    }

private:
    using Set = WordSet<Parts>;

    // Where a path stands: the first reference position after its last match, and its open chunk.
    struct Place {
        std::uint32_t next = 0;
        std::uint32_t last = CLOSED;  // CLOSED, BROKEN or CONTINUES + where the chunk would go on in the hypothesis

        bool operator==(const Place&) const = default;
        std::uint64_t number() const { return std::uint64_t{next} << 32 | last; }
    };
    static constexpr std::uint32_t CLOSED = 0, BROKEN = 1, CONTINUES = 2;

    // What the first path of a class came from at a position.
    struct Origin {
        std::uint16_t from;    // class before the position
        std::uint16_t choice;  // index among the position's choices, or KEEP, or SKIP
    };
    struct Class {
        Set used;  // of the words that matches to come cover
        Place place;
        Origin origin;
        std::uint64_t members;  // which paths are in it
    };
    // What is kept of a state: these, then the keys, the classes, and each path's class.
    struct Sizes {
        std::uint32_t position;
        std::uint16_t paths, classes;
    };
    struct KeptClass {
        Set used;
        Place place;
    };
    // What a class may do at a position, and which class that leads to.
    struct Step {
        std::int64_t change;  // of the rank
        std::uint16_t from;
        std::uint16_t choice;  // index among the position's choices, or KEEP, or SKIP
        std::uint16_t to;      // UNKNOWN as long as no path has taken it
    };
    struct Taken {
        std::int64_t key;
        std::uint16_t step;
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;
    static constexpr std::uint16_t KEEP = 0xFFFF, SKIP = 0xFFFE;
    static constexpr std::uint16_t UNKNOWN = 0xFFFF;
    static constexpr int MEMBER_BITS = 6, STREAM_BITS = 5;
    static constexpr std::size_t MAX_STREAMS = 24;
    static constexpr std::uint8_t NO_STREAM = 0xFF, NO_CLASS = 0xFF;
    static constexpr int SLOT_BITS = 7;
    static constexpr std::size_t MAX_ORIGINS = std::size_t{1} << 22;
    static_assert(MAX_STREAMS <= std::size_t{1} << STREAM_BITS && BEAM_RANK_BITS + MEMBER_BITS + STREAM_BITS < 63,
                  "rank, path and stream are compared as one number");

    void prepare(const BeamTask& task) {
        const std::size_t positions = task.candidates.positions();
        future_.resize(positions + 1);
        starts_.resize(positions + 1);
        covered_.resize(positions);
        future_[positions] = starts_[positions] = Set{};
        for (std::size_t position = positions; position-- > 0;) {
            Set words{}, starts{};
            for (const Match& match : task.candidates.at(position)) {
                starts.add(match.hypothesis_start, 1);
                words.add(match.hypothesis_start, match.hypothesis_length);
            }
            covered_[position] = task.candidates.fixed(position) ? Set{} : words;
            future_[position] = future_[position + 1];
            future_[position] |= covered_[position];
            starts_[position] = starts;
        }
    }

    // Lets every path take each match whose words are unused, then skip the position. The distance of a match is
    // charged to the path that it is copied from, so later copies carry it.
    void expand(const BeamTask& task, std::uint32_t position) {
        const View<Match> free = task.candidates.at(position);
        const std::int64_t* const gains = task.gains.data() + (free.data() - task.candidates.matches().data());
        const std::int64_t chunk = task.units.chunk();
        start_steps(class_count_ * (free.size() + 1), 2 * free.size() + 3);
        std::uint8_t* const known = known_streams_.data();
        for (std::size_t from = 0; from < class_count_; ++from) {
            const Class& now = classes_[from];
            if (now.place.next > position) {
                add_step(from, KEEP, 0, known[2 * free.size() + 2]);
                continue;
            }
            const bool open = now.place.last != CLOSED;
            // As long as a class may take all choices, its steps are those of other such classes, but for broken
            // chunks.
            bool usual = true;
            std::uint8_t unknown;
            const bool unused = !now.used.meets(covered_[position]);
            std::int64_t charged = 0;
            for (std::size_t k = 0; k < free.size(); ++k) {
                const std::uint32_t start = free[k].hypothesis_start;
                if (!unused && now.used.has_any(start, free[k].hypothesis_length)) {
                    usual = false;
                    continue;
                }
                const bool breaks = open && now.place.last != CONTINUES + start;
                unknown = NO_STREAM;
                add_step(from, static_cast<std::uint16_t>(k), charged - gains[k] + (breaks ? chunk : 0),
                         usual ? known[2 * k + breaks] : unknown);
                charged += distance_between(position, start);
            }
            unknown = NO_STREAM;
            add_step(from, SKIP, charged + (open ? chunk : 0), usual ? known[2 * free.size() + open] : unknown);
        }
        take_steps(task, position);
    }

    // Makes room for so many steps, of so many kinds.
    void start_steps(std::size_t most, std::size_t kinds) {
        step_count_ = stream_count_ = 0;
        if (steps_.size() < most) steps_.resize(most);
        overflowed_ = twins_ = false;
        known_streams_.assign(kinds, NO_STREAM);
    }

    // Two steps of a class never share a stream: the earlier one is in the earlier stream.
    // `known`: where a step of this kind goes; found if it is not known, or if it is not the only one.
    void add_step(std::size_t from, std::uint16_t choice, std::int64_t change, std::uint8_t& known) {
        const auto step = static_cast<std::uint16_t>(step_count_++);
        steps_[step] = {change, static_cast<std::uint16_t>(from), choice, UNKNOWN};
        const std::uint64_t members = classes_[from].members;
        if (known == NO_STREAM || twins_ || streams_[known].members & members) known = find_stream(change, members);
        if (known == NO_STREAM) return;
        streams_[known].members |= members;
        streams_[known].step_of[from] = step;
    }

    std::uint8_t find_stream(std::int64_t change, std::uint64_t members) {
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

    // The best steps, as many as the beam, in order: by rank, of equal ranks the earlier path's first, then the
    // earlier. The stream with the best step gives its steps until another stream has a better one.
    void merge_streams(const BeamTask& task, std::uint32_t position) {
        const std::size_t beam = task.options.beam;
        constexpr std::int64_t ENDED = std::numeric_limits<std::int64_t>::max(),
                               STREAMS = std::int64_t{1} << STREAM_BITS;
        std::int64_t heads[MAX_STREAMS + 1], extra[MAX_STREAMS];  // the heads are in order
        for (std::size_t k = 0; k < stream_count_; ++k) {
            extra[k] = streams_[k].change * ((std::int64_t{1} << MEMBER_BITS) * STREAMS) + static_cast<std::int64_t>(k);
            const std::int64_t head = keys_[std::countr_zero(streams_[k].members)] * STREAMS + extra[k];
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
                survive(task, key >> STREAM_BITS, stream.step_of[class_of_[std::countr_zero(members)]], position);
                members &= members - 1;
                key = members ? keys_[std::countr_zero(members)] * STREAMS + extra[number] : ENDED;
            } while (key < limit && next_paths_ < beam);
            streams_[number].members = members;
            std::size_t at = 0;
            for (; heads[at + 1] < key; ++at) heads[at] = heads[at + 1];
            heads[at] = key;
        }
    }

    void sort_steps(const BeamTask& task, std::uint32_t position) {
        sorted_.clear();
        for (std::size_t step = 0; step < step_count_; ++step) {
            const std::int64_t extra = steps_[step].change * (std::int64_t{1} << MEMBER_BITS);
            for (std::uint64_t left = classes_[steps_[step].from].members; left; left &= left - 1) {
                sorted_.push_back({keys_[std::countr_zero(left)] + extra, static_cast<std::uint16_t>(step)});
            }
        }
        const auto better = [](const Taken& a, const Taken& b) {
            return a.key == b.key ? a.step < b.step : a.key < b.key;
        };
        const auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(std::min(task.options.beam, sorted_.size()));
        if (end != sorted_.end()) std::nth_element(sorted_.begin(), end, sorted_.end(), better);
        std::sort(sorted_.begin(), end, better);
        for (auto taken = sorted_.begin(); taken != end; ++taken) survive(task, taken->key, taken->step, position);
    }

    void survive(const BeamTask& task, std::int64_t key, std::size_t number, std::uint32_t position) {
        Step& step = steps_[number];
        if (step.to == UNKNOWN) step.to = static_cast<std::uint16_t>(make_class(task, step, position));
        put(next_paths_++, key, step.to);
    }

    // The class with the same future, which is made if there is none.
    std::size_t make_class(const BeamTask& task, const Step& step, std::uint32_t position) {
        Class& made = next_classes_[next_class_count_];
        made = classes_[step.from];
        made.members = 0;
        made.origin = {step.from, step.choice};
        if (step.choice == SKIP) {
            made.place = {position + 1, CLOSED};
        } else if (step.choice != KEEP) {
            const Match& match = task.candidates.at(position)[step.choice];
            made.place = place(position + match.reference_length, match.hypothesis_start + match.hypothesis_length);
            made.used.add(match.hypothesis_start, match.hypothesis_length);
        }
        // Words that matter from the next position on, wherever the path goes on: so states depend on fewer things.
        made.used &= future_[position + 1];
        const std::uint64_t hash = (made.used.hash() ^ made.place.number()) * 0x9E3779B97F4A7C15ull;
        std::size_t slot = static_cast<std::size_t>(hash >> (64 - SLOT_BITS));
        for (; next_slots_[slot] != NO_CLASS; slot = (slot + 1) % next_slots_.size()) {
            const Class& known = next_classes_[next_slots_[slot]];
            if (known.used == made.used && known.place == made.place) return next_slots_[slot];
        }
        next_slots_[slot] = static_cast<std::uint8_t>(next_class_count_);
        return next_class_count_++;
    }

    // Makes a path of those after the position; its key had another number.
    void put(std::size_t path, std::int64_t key, std::size_t to) {
        next_keys_[path] =
            static_cast<std::int64_t>((static_cast<std::uint64_t>(key) & ~std::uint64_t{MAX_NARROW_BEAM - 1}) | path);
        next_class_of_[path] = static_cast<std::uint8_t>(to);
        next_classes_[to].members |= std::uint64_t{1} << path;
    }

    // Takes all paths through their steps.
    void take_steps(const BeamTask& task, std::uint32_t position) {
        next_class_count_ = next_paths_ = 0;
        next_slots_.fill(NO_CLASS);
        if (overflowed_) {
            sort_steps(task, position);
        } else {
            merge_streams(task, position);
        }
        paths_ = next_paths_;
        class_count_ = next_class_count_;
        std::copy_n(next_keys_, paths_, keys_);
        std::copy_n(next_class_of_, paths_, class_of_);
        std::copy_n(next_classes_, class_count_, classes_);
        first_origins_[position] = static_cast<std::uint32_t>(origins_.size());
        for (std::size_t k = 0; k < class_count_; ++k) origins_.push_back(classes_[k].origin);
    }

    // Passes a position where nothing matches, which closes open chunks, or where a match is fixed, which all paths
    // take. What changes all ranks by the same changes nothing.
    void pass(const BeamTask& task, std::uint32_t position) {
        const View<Match> starting = task.candidates.at(position);
        const Match* const fixed = starting.size() ? &starting[0] : nullptr;
        Place after{position + 1, CLOSED};
        if (fixed) {
            after = place(position + fixed->reference_length, fixed->hypothesis_start + fixed->hypothesis_length);
        }
        // Often all classes are at the same place, and their chunks go on or break together.
        const Place first = classes_[0].place;
        bool together = true;
        for (std::size_t k = 1; k < class_count_; ++k) together &= classes_[k].place == first;
        if (together && first.next > position) return;
        if (together && future_[after.next] == future_[first.next]) {
            for (std::size_t k = 0; k < class_count_; ++k) classes_[k].place = after;
            return;
        }
        start_steps(class_count_, 3);
        for (std::size_t from = 0; from < class_count_; ++from) {
            const Place now = classes_[from].place;
            if (now.next > position) {
                add_step(from, KEEP, 0, known_streams_[0]);
                continue;
            }
            const bool breaks = now.last != CLOSED && !(fixed && now.last == CONTINUES + fixed->hypothesis_start);
            add_step(from, fixed ? std::uint16_t{0} : SKIP, breaks ? task.units.chunk() : 0,
                     known_streams_[1 + breaks]);
        }
        take_steps(task, position);
    }

    // Takes all paths through a position.
    void go(const BeamTask& task, std::uint32_t position) {
        first_origins_[position] = NONE;
        if (passed(task, position)) {
            pass(task, position);
        } else {
            expand(task, position);
        }
    }

    // Where most ways are gone again, all of a search is remembered; elsewhere, only a search that went some of its way
    // with others, and not much more.
    void go_on_known_ways(const BeamTask& task) {
        const auto positions = static_cast<std::uint32_t>(task.candidates.positions());
        const bool busy = 2 * followed_ > went_;
        nodes_.assign(1, BeamMemory<Parts>::ROOT);
        origins_.resize(remembered_origins_);
        std::uint32_t guess = 0, known = 0, position = 0;
        bool loaded = true;  // the state before the position is there
        for (; position < positions; ++position) {
            const BeamEdge<Parts> wanted = edge(task, position, nodes_[position]);
            std::uint32_t way = memory_.find(wanted, guess);
            if (way != NONE) {
                ++known;
                loaded = false;
                nodes_.push_back(memory_.way(way).node);
                first_origins_[position] = memory_.way(way).origins;
            } else {
                if (!loaded) load(task, position);
                loaded = true;
                if (!busy && position > 2 * known + 1) break;
                go(task, position);
                nodes_.push_back(remember(task, position));
                way = memory_.add(wanted, nodes_.back(), first_origins_[position]);
            }
            guess = way + 1;
        }
        went_ += positions;
        followed_ += known;
        if (!loaded) load(task, positions);
        remembered_origins_ = origins_.size();
        for (; position < positions; ++position) go(task, position);
    }

    // What the next state depends on, beside the last one.
    BeamEdge<Parts> edge(const BeamTask& task, std::uint32_t position, std::uint32_t node) const {
        BeamEdge<Parts> found;
        found.node = node;
        found.candidates = 2 * task.lists[position] + task.candidates.fixed(position);
        const View<Match> starting = task.candidates.at(position);
        for (std::size_t k = 0; k < starting.size(); ++k) {
            const Place after = place(position + starting[k].reference_length,
                                      starting[k].hypothesis_start + starting[k].hypothesis_length);
            found.continues |= std::uint64_t{after.last != BROKEN} << k;
        }
        Set used{memory_.used(node)};
        used |= covered_[position];
        used &= future_[position + 1];
        found.future = used.parts;
        return found;
    }

    // Makes the state before a position, which is known, or was on the last positions only passed.
    void load(const BeamTask& task, std::uint32_t position) {
        std::uint32_t first = position;
        while (first && !memory_.has_state(nodes_[first])) --first;
        const std::uint8_t* from = first ? memory_.state(nodes_[first]) : nullptr;
        const auto take = [&from](void* to, std::size_t size) {
            std::memcpy(to, from, size);
            from += size;
        };
        if (first) {
            Sizes sizes;
            take(&sizes, sizeof sizes);
            paths_ = sizes.paths;
            class_count_ = sizes.classes;
            take(keys_, paths_ * sizeof keys_[0]);
            for (std::size_t k = 0; k < class_count_; ++k) {
                KeptClass kept;
                take(&kept, sizeof kept);
                classes_[k] = Class{kept.used, kept.place, Origin{}, 0};
            }
            take(class_of_, paths_);
            for (std::size_t path = 0; path < paths_; ++path) {
                classes_[class_of_[path]].members |= std::uint64_t{1} << path;
            }
        }
        const std::size_t known = origins_.size();
        for (; first < position; ++first) {
            const std::uint32_t known_first = first_origins_[first];
            go(task, first);
            first_origins_[first] = known_first;
        }
        origins_.resize(known);
    }

    // Keeps the state after a position; returns its node.
    std::uint32_t remember(const BeamTask& task, std::uint32_t position) {
        Set used{};
        for (std::size_t k = 0; k < class_count_; ++k) used |= classes_[k].used;
        if (passed(task, position)) return memory_.add_node(used.parts);
        // What all ranks have in common is left out.
        const Sizes sizes{position, static_cast<std::uint16_t>(paths_), static_cast<std::uint16_t>(class_count_)};
        const std::int64_t common = keys_[0];
        for (std::size_t path = 0; path < paths_; ++path) keys_[path] -= common;
        const std::size_t size =
            sizeof sizes + paths_ * (sizeof keys_[0] + sizeof class_of_[0]) + class_count_ * sizeof(KeptClass);
        return memory_.node_of_state(used.parts, size, [&](std::uint8_t* to) {
            const auto give = [&to](const void* from, std::size_t bytes) {
                std::memcpy(to, from, bytes);
                to += bytes;
            };
            give(&sizes, sizeof sizes);
            give(keys_, paths_ * sizeof keys_[0]);
            for (std::size_t k = 0; k < class_count_; ++k) {
                const KeptClass kept{classes_[k].used, classes_[k].place};
                give(&kept, sizeof kept);
            }
            give(class_of_, paths_ * sizeof class_of_[0]);
        });
    }

    bool passed(const BeamTask& task, std::uint32_t position) const {
        return !task.candidates.at(position).size() || task.candidates.fixed(position);
    }

    // A chunk that no match at the next position goes on with is as good as broken, wherever it ends.
    Place place(std::uint32_t next, std::uint32_t end) const {
        return {next, end < MAX_WORDS && starts_[next].has(end) ? CONTINUES + end : BROKEN};
    }

    std::vector<Set> future_;   // words that free matches cover from a position on
    std::vector<Set> starts_;   // where matches of a position begin in the hypothesis
    std::vector<Set> covered_;  // words that free matches of a position cover
    std::vector<Step> steps_;
    std::size_t step_count_ = 0;
    std::vector<Origin> origins_;
    std::vector<std::uint32_t> first_origins_;  // of each position, in origins_; NONE where classes stay as they are
    std::size_t remembered_origins_ = 0;        // the rest is of the last search alone
    std::vector<std::uint32_t> taken_;
    BeamMemory<Parts> memory_;
    std::vector<std::uint32_t> nodes_;     // of the memory, before each position
    std::size_t went_ = 0, followed_ = 0;  // positions of all searches, and those that were known

    // Paths, in order; a key is a rank, and the path's number in the lowest bits.
    std::size_t paths_ = 0, next_paths_ = 0;
    std::int64_t keys_[MAX_NARROW_BEAM], next_keys_[MAX_NARROW_BEAM];
    std::uint8_t class_of_[MAX_NARROW_BEAM], next_class_of_[MAX_NARROW_BEAM];
    Class classes_[MAX_NARROW_BEAM], next_classes_[MAX_NARROW_BEAM];
    std::array<std::uint8_t, std::size_t{1} << SLOT_BITS> next_slots_;  // the next classes by hash
    std::size_t class_count_ = 0, next_class_count_ = 0;

    // Steps that change ranks by the same.
    struct Stream {
        std::int64_t change;
        std::uint64_t members;                   // which paths have a step in it
        std::uint16_t step_of[MAX_NARROW_BEAM];  // by class
    };
    Stream streams_[MAX_STREAMS];
    std::size_t stream_count_ = 0;
    bool overflowed_ = false;                  // more streams than are worth merging
    bool twins_ = false;                       // two streams change ranks by the same
    std::vector<std::uint8_t> known_streams_;  // of the steps of classes that may take every choice
    std::vector<Taken> sorted_;
};

}  // namespace meteor

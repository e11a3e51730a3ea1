// The beam search for pairs of the usual size: what search.cpp computes, with less work.
//
// Paths differ in what lies behind them, but most have the same future: the same hypothesis words that are still worth
// anything are used, and the same chunk may go on. Such paths are a class. What may come next is worked out once a
// class; a path is a number, its rank, and a bit in its class's set. Paths of a class whose steps change their ranks by
// the same stay in order, so the survivors of a position are merged from a few sorted streams. Of each class only the
// first path can win in the end, so a class remembers what its first path came from; the others count, as they take
// room in the beam.
#pragma once

#include <array>
#include <vector>

#include "beam_memory.hpp"
#include "candidates.hpp"
#include "chain.hpp"
#include "rank.hpp"

namespace meteor {

struct SearchOptions {
    std::size_t beam = 40;
    std::size_t max_paths = 0;      // meteor_e/engine/search.py
    bool maximum_accuracy = false;  // other weights, and all matched words count before the chunks
};

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
    bool meets(const WordSet& other) const {
        std::uint64_t common = 0;
        for (std::size_t k = 0; k < Parts; ++k) common |= parts[k] & other.parts[k];
        return common != 0;
    }
    WordSet operator|(const WordSet& other) const {
        WordSet result;
        for (std::size_t k = 0; k < Parts; ++k) result.parts[k] = parts[k] | other.parts[k];
        return result;
    }
    WordSet operator&(const WordSet& other) const {
        WordSet result;
        for (std::size_t k = 0; k < Parts; ++k) result.parts[k] = parts[k] & other.parts[k];
        return result;
    }
    bool operator==(const WordSet& other) const {
        std::uint64_t different = 0;
        for (std::size_t k = 0; k < Parts; ++k) different |= parts[k] ^ other.parts[k];
        return different == 0;
    }
    std::uint64_t hash() const {
        std::uint64_t value = parts[0];
        for (std::size_t k = 1; k < Parts; ++k) value = value * 0x9E3779B97F4A7C15ull + parts[k];
        return value * 0x9E3779B97F4A7C15ull;
    }
};

// What all paths of the search share; ranks are whole numbers, of few enough bits.
struct BeamTask {
    const Candidates& candidates;
    RankUnits<NarrowRank> units;
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
    void run(const BeamTask& task, std::vector<Match>& chosen);

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
    struct Choice {
        Set words;
        std::int64_t gain, distance;
        std::uint32_t start, length, reference_length;  // the start is in the hypothesis
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

    void prepare(const BeamTask& task);
    void expand(const BeamTask& task, std::uint32_t position);
    void add_step(std::size_t from, std::uint16_t choice, std::int64_t change, std::uint8_t& known);
    std::uint8_t find_stream(std::int64_t change, std::uint64_t members);
    void merge_streams(std::size_t beam, std::uint32_t position);
    void sort_steps(std::size_t beam, std::uint32_t position);
    void survive(std::int64_t key, std::size_t step, std::uint32_t position);
    std::size_t make_class(const Step& step, std::uint32_t position);
    std::size_t find_class(const Class& made);
    void take_next_paths(std::uint32_t position);
    void pass(std::uint32_t position, const Match* fixed, std::int64_t chunk);
    void go(const BeamTask& task, std::uint32_t position);
    void go_on_known_ways(const BeamTask& task);
    BeamEdge<Parts> edge(const BeamTask& task, std::uint32_t position, std::uint32_t node) const;
    void load(const BeamTask& task, std::uint32_t position);
    std::uint32_t remember(const BeamTask& task, std::uint32_t position);
    bool passed(const BeamTask& task, std::uint32_t position) const {
        return !task.candidates.at(position).size() || task.candidates.fixed(position);
    }
    Place place(std::uint32_t next, std::uint32_t end) const;

    std::vector<Set> future_;               // words that free matches cover from a position on
    std::vector<Set> starts_;               // where matches of a position begin in the hypothesis
    std::vector<Set> covered_;              // words that free matches of a position cover
    std::vector<std::uint64_t> continues_;  // which matches of a position may begin a chunk that goes on
    std::vector<Choice> choices_;
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

extern template class BeamSearch<1>;
extern template class BeamSearch<2>;
extern template class BeamSearch<4>;

}  // namespace meteor

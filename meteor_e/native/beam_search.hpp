// A fast beam search for pairs of usual size. It has the same result as PathSearch (path_search.hpp).
//
// Paths with the same future form a class: they can use the same hypothesis words, and continue the same chunk. The
// possible steps are computed only once per class. A path has a number and a rank, and is a bit in the set of its
// class. A step changes the ranks of all paths in a class by the same amount, so the paths stay sorted. Therefore, the
// best paths after a position are merged from a few sorted streams. Only the first path of a class can win, so a class
// stores only the origin of its first path. The other paths matter because they occupy places in the beam.
#pragma once

#include <array>
#include <vector>

#include "candidate_set.hpp"
#include "rank.hpp"
#include "word_set.hpp"

namespace meteor {

constexpr std::size_t MAX_NARROW_BEAM = 64;      // the paths of a class are the bits of one number
constexpr std::size_t MAX_NARROW_CHOICES = 512;  // candidates of a position
constexpr int NARROW_RANK_BITS = 50;

// A search with ranks of at most NARROW_RANK_BITS bits.
struct BeamTask {
    const CandidateSet& candidates;
    RankUnits units;
    SearchOptions options;
    const std::vector<std::int64_t>& gains;  // of candidates.matches()
};

// `Parts` is the number of machine words in a bit set of hypothesis words.
template <std::size_t Parts>
class BeamSearch {
public:
    static constexpr std::size_t MAX_WORDS = 64 * Parts;

    // Appends the chosen matches to `alignment`, by reference position.
    void run(const BeamTask& task, std::vector<Match>& alignment);

protected:
    using Set = WordSet<Parts>;

    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;
    static constexpr std::uint32_t CLOSED = 0, BROKEN = 1, CONTINUES = 2;  // values of Future::chunk
    static constexpr std::uint16_t KEEP = 0xFFFF, SKIP = 0xFFFE;           // values of Origin::choice and Step::choice
    static constexpr std::uint16_t NO_CLASS_YET = 0xFFFF;                  // value of Step::to
    static constexpr std::uint8_t NO_STREAM = 0xFF, NO_CLASS = 0xFF;
    static constexpr int MEMBER_BITS = 6, STREAM_BITS = 5, SLOT_BITS = 7;
    static constexpr std::size_t MAX_STREAMS = 24;
    static_assert(MAX_STREAMS <= std::size_t{1} << STREAM_BITS && NARROW_RANK_BITS + MEMBER_BITS + STREAM_BITS < 63,
                  "rank, path and stream are compared as one number");

    // The possible future of a path.
    struct Future {
        std::uint32_t next_position = 0;  // the first one after the last match
        std::uint32_t chunk = CLOSED;     // CLOSED, BROKEN, or CONTINUES + the hypothesis word that continues the chunk

        bool operator==(const Future&) const = default;
        [[nodiscard]] std::uint64_t bits() const noexcept { return std::uint64_t{next_position} << 32 | chunk; }
    };
    // The step by which the first path of a class was created.
    struct Origin {
        std::uint16_t from;    // class before the position
        std::uint16_t choice;  // index of a candidate of the position, or KEEP, or SKIP
    };
    struct Class {
        Set used_words;  // only those that later candidates cover
        Future future;
        Origin origin;
        std::uint64_t members;  // a bit per path
    };
    // A possible step of a class at a position.
    struct Step {
        std::int64_t rank_change;
        std::uint16_t from;    // class before the position
        std::uint16_t choice;  // index of a candidate of the position, or KEEP, or SKIP
        std::uint16_t to;      // class after the position, or NO_CLASS_YET
    };
    // Steps that change ranks by the same amount. A stream contains at most one step of each class.
    struct Stream {
        std::int64_t rank_change;
        std::uint64_t members;                   // the paths that have a step in it
        std::uint16_t step_of[MAX_NARROW_BEAM];  // by class
    };
    struct KeyedStep {
        std::int64_t key;
        std::uint16_t step;
    };

    // A search calls start(), then advance() for each position, then finish().
    void start(const BeamTask& task);
    void advance(const BeamTask& task, std::uint32_t position);
    void finish(const BeamTask& task, std::vector<Match>& alignment);

    // Whether all paths do the same at a position, because it has no candidate or a fixed match.
    [[nodiscard]] static bool is_passed(const BeamTask& task, std::uint32_t position) noexcept {
        return task.candidates.at(position).empty() || task.candidates.is_fixed(position);
    }
    [[nodiscard]] Future future_after(std::uint32_t position, const Match& match) const noexcept;

    std::vector<Set> future_words_;             // hypothesis words that free candidates cover, from each position on
    std::vector<Set> covered_words_;            // hypothesis words that free candidates of each position cover
    std::vector<Origin> origins_;               // of all classes after all positions
    std::vector<std::uint32_t> first_origins_;  // of each position, in origins_; NONE if the classes do not change

    // The paths, sorted by rank. A key is a rank, whose lowest MEMBER_BITS bits contain the number of the path.
    std::size_t path_count_ = 0, class_count_ = 0;
    std::int64_t keys_[MAX_NARROW_BEAM];
    std::uint8_t class_of_[MAX_NARROW_BEAM];
    Class classes_[MAX_NARROW_BEAM];

private:
    void pass_position(const BeamTask& task, std::uint32_t position);
    void expand_classes(const BeamTask& task, std::uint32_t position);
    void start_steps(std::size_t max_steps, std::size_t kinds);
    void add_step(std::size_t from, std::uint16_t choice, std::int64_t rank_change, std::uint8_t& last_stream);
    [[nodiscard]] std::uint8_t choose_stream(std::int64_t rank_change, std::uint64_t members);
    void take_steps(const BeamTask& task, std::uint32_t position);
    void merge_streams(const BeamTask& task, std::uint32_t position);
    void sort_steps(const BeamTask& task, std::uint32_t position);
    void add_survivor(const BeamTask& task, std::int64_t key, std::size_t step_index, std::uint32_t position);
    [[nodiscard]] std::size_t find_or_add_class(const BeamTask& task, const Step& step, std::uint32_t position);
    [[nodiscard]] std::size_t best_path(const BeamTask& task) const;

    std::vector<Set> starts_;  // hypothesis words at which candidates of each position start

    std::vector<Step> steps_;
    std::size_t step_count_ = 0;
    Stream streams_[MAX_STREAMS];
    std::size_t stream_count_ = 0;
    bool has_stream_overflow_ = false;        // there are more streams than are worth merging
    bool has_equal_streams_ = false;          // two streams change ranks by the same amount
    std::vector<std::uint8_t> last_streams_;  // by kind of step
    std::vector<KeyedStep> sorted_steps_;

    std::size_t next_path_count_ = 0, next_class_count_ = 0;
    std::int64_t next_keys_[MAX_NARROW_BEAM];
    std::uint8_t next_class_of_[MAX_NARROW_BEAM];
    Class next_classes_[MAX_NARROW_BEAM];
    std::array<std::uint8_t, std::size_t{1} << SLOT_BITS> next_slots_;  // hash table of the next classes
    std::vector<std::uint32_t> choices_;                                // of each position
};

extern template class BeamSearch<1>;
extern template class BeamSearch<2>;
extern template class BeamSearch<4>;

}  // namespace meteor

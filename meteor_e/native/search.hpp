// The beam search of meteor_e/engine/search.py: which candidates make the alignment.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "beam.hpp"
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

    // Appends the chosen matches to `chosen`, by reference position.
    void run(const Candidates& candidates, std::size_t hypothesis_size, const RankUnits<Rank>& units,
             const SearchOptions& options, std::vector<Match>& chosen);

private:
    struct Path {
        Rank rank;
        std::int32_t last;   // where the open chunk ends in the hypothesis, -1 when none is open
        std::uint32_t next;  // the first reference position after the path's last match
        std::uint32_t link;  // the path's latest free match
    };
    // A match that may be taken at a position, and what that does to a path.
    struct Choice {
        Rank gain, distance;
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
    // What positions share where words repeat without end; distances are not known before the position is.
    struct List {
        std::vector<Choice> choices;
        std::vector<Run> runs;
    };
    struct Copies {
        Rank gain;
        std::size_t count;
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;
    static constexpr std::int32_t KEEP = -1, SKIP = -2;
    static constexpr std::size_t MAX_STREAMS = 16;
    static constexpr std::uint32_t LONG_RUN = 64, MAX_BLOCKED = 32;
    static constexpr std::uint8_t UNKNOWN = 0xFF, OVERFLOW_STREAM = 0xFE;

    Rank gain(const Match& match) const;
    void take_fixed(const Match& match);
    void skip(std::uint32_t position);
    void restore_order(Rank changed_by);
    void expand(std::uint32_t position, View<Match> free);
    void expand_path(std::uint32_t parent);
    void expand_shared(std::uint32_t position, const Candidates& candidates);
    void expand_path(std::uint32_t parent, std::uint32_t position, const List& list);
    const List& list_of(std::uint32_t position, const Candidates& candidates);
    std::uint64_t unused(std::uint32_t path, const Run& run, std::size_t part) const;
    bool survivable(Rank gain);
    std::uint8_t stream_of(Rank change);
    void add_step(std::uint32_t parent, std::int32_t choice, Rank change, std::uint8_t& stream);
    void select_survivors();
    void merge_streams(std::size_t wanted);
    void sort_all_steps(std::size_t wanted);
    void advance(std::uint32_t position);
    std::uint32_t best() const;

    bool is_used(std::uint32_t path, const Choice& choice) const;
    void use(std::size_t path, const Choice& choice);  // of the next paths
    void copy_used(std::size_t from, std::size_t to);  // to the next paths

    const Chain& chain_;
    RankUnits<Rank> units_{};
    SearchOptions options_{};
    std::size_t mask_words_ = 1;  // of a bit set over the hypothesis's words
    std::vector<Path> paths_, next_paths_;
    std::vector<std::uint64_t> used_, next_used_;  // hypothesis words that the free matches of each path cover
    std::vector<Link> links_;
    std::vector<Choice> choices_;
    const Choice* current_ = nullptr;  // the position's choices
    std::vector<List> lists_;
    std::vector<Step> steps_;
    Stream streams_[MAX_STREAMS];
    std::size_t stream_count_ = 0;
    bool overflowed_ = false;                  // more streams than are worth merging
    std::vector<std::uint8_t> known_streams_;  // the streams of steps of the usual kinds, UNKNOWN at first
    std::vector<std::uint32_t> survivors_;
    std::vector<std::uint8_t> changed_;
    std::vector<Copies> copies_;
};

extern template class Search<NarrowRank>;
extern template class Search<WideRank>;

// Chooses the search that fits the pair.
class AlignmentSearch {
public:
    explicit AlignmentSearch(const Chain& chain);
    void run(const Candidates& candidates, std::size_t hypothesis_size, const SearchOptions& options,
             std::vector<Match>& chosen);

    // For gathered candidates (Candidates::gather): what one search finds out, those after it use. False: the pair is
    // to be searched alone.
    void start_hypothesis(const Candidates& candidates, std::size_t hypothesis_size);
    void forget();
    bool run_gathered(const Candidates& candidates, std::vector<Match>& chosen);

private:
    static constexpr std::size_t KNOWN_LENGTHS = 8;
    // Of ranks in gathered searches.
    static constexpr int DISTANCE_BITS = 20, CHUNK_BITS = 9, GAIN_BITS = BEAM_RANK_BITS - DISTANCE_BITS - CHUNK_BITS;
    static constexpr std::uint32_t NOT_NUMBERED = 0xFFFFFFFFu;
    static constexpr std::size_t MOST_NUMBERED = std::size_t{1} << 16;

    std::uint32_t number_of(const Candidates& candidates, std::size_t list);
    template <std::size_t Parts>
    void remember_in(BeamSearch<Parts>& search, const BeamTask& task, std::vector<Match>& chosen);

    std::int64_t weighted_words(const Match& match, bool maximum_accuracy) const;

    const Chain& chain_;
    std::vector<std::int64_t> weighted_lengths_[2];  // of few words, by matcher; the second for the maximum accuracy
    std::vector<std::int64_t> gains_;
    std::size_t hypothesis_size_ = 0;
    bool ranks_fit_ = true;
    std::unordered_map<std::string, std::uint32_t> numbers_;  // of lists of candidates, by what they hold
    std::string held_;
    std::vector<std::uint32_t> list_numbers_, position_numbers_;
    std::vector<std::int64_t> most_;  // the most that a match of a list gains
    BeamSearch<1> short_;
    BeamSearch<2> middle_;
    BeamSearch<4> long_;
    Search<NarrowRank> narrow_;
    Search<WideRank> wide_;
};

}  // namespace meteor

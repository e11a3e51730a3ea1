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

// What matches count in the search: the weighted words of both sides, each side's cut to an integer.
class MatchWeights {
public:
    explicit MatchWeights(const Chain& chain);
    std::int64_t of(const Match& match, bool maximum_accuracy) const;

private:
    static constexpr std::size_t KNOWN_LENGTHS = 8;

    const Chain& chain_;
    std::vector<std::int64_t> known_[2];  // of few words, by matcher; the second for the maximum accuracy
};

// The search for pairs of any size and any beam. Paths and all they need; kept from one pair to the next for its
// memory.
template <class Rank>
class Search {
public:
    explicit Search(const MatchWeights& weights) : weights_(weights) {}

    // Appends the chosen matches to `chosen`, by reference position.
    // False: there are too many paths.
    bool run(const Candidates& candidates, std::size_t hypothesis_size, const RankUnits<Rank>& units,
             const SearchOptions& options, std::vector<Match>& chosen);

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

    Rank gain(const Match& match) const;
    void take_fixed(const Match& match);
    void skip(std::uint32_t position);
    void restore_order(Rank changed_by);
    bool expand(std::uint32_t position, const List& list);
    void expand_path(std::uint32_t parent, std::uint32_t position, const List& list);
    const List& list_of(std::uint32_t position, const Candidates& candidates);
    std::uint64_t unused(std::uint32_t path, const Run& run, std::size_t part) const;
    void add_step(std::uint32_t parent, std::int32_t choice, Rank change);
    void select_survivors();
    void merge_streams(std::size_t wanted);
    void sort_all_steps(std::size_t wanted);
    void advance(std::uint32_t position);
    std::uint32_t best() const;

    bool is_used(std::uint32_t path, const Choice& choice) const;
    void use(std::size_t path, const Choice& choice);  // of the next paths
    void copy_used(std::size_t from, std::size_t to);  // to the next paths

    const MatchWeights& weights_;
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

extern template class Search<NarrowRank>;
extern template class Search<WideRank>;

// Chooses the search that fits the pair.
class AlignmentSearch {
public:
    explicit AlignmentSearch(const Chain& chain) : chain_(chain), weights_(chain) {}
    AlignmentSearch(const AlignmentSearch&) = delete;
    // False: there are too many paths.
    bool run(const Candidates& candidates, std::size_t hypothesis_size, const SearchOptions& options,
             std::vector<Match>& chosen);

    // For gathered candidates (Candidates::gather): what one search finds out, those after it use. False: the pair is
    // to be searched alone.
    void start_hypothesis(const Candidates& candidates, std::size_t hypothesis_size);
    void forget();
    bool run_gathered(const Candidates& candidates, std::vector<Match>& chosen);

private:
    // Of ranks in gathered searches.
    static constexpr int DISTANCE_BITS = 20, CHUNK_BITS = 9, GAIN_BITS = BEAM_RANK_BITS - DISTANCE_BITS - CHUNK_BITS;
    static constexpr std::uint32_t NOT_NUMBERED = 0xFFFFFFFFu;
    static constexpr std::size_t MOST_NUMBERED = std::size_t{1} << 16;

    std::uint32_t number_of(const Candidates& candidates, std::size_t list);
    template <class Use>
    void with_search_for(std::size_t words, const Use& use) {
        words <= BeamSearch<1>::MAX_WORDS ? use(short_) : words <= BeamSearch<2>::MAX_WORDS ? use(middle_) : use(long_);
    }

    const Chain& chain_;
    MatchWeights weights_;
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
    Search<NarrowRank> narrow_{weights_};
    Search<WideRank> wide_{weights_};
};

}  // namespace meteor

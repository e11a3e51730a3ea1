// The beam search of meteor_e/alignment/search.py: which candidates make the alignment.
#pragma once

#include <vector>

#include "candidates.hpp"
#include "chain.hpp"
#include "rank.hpp"

namespace meteor {

struct SearchOptions {
    std::size_t beam = 40;
    bool maximum_accuracy = false;  // other weights, and all matched words count before the chunks
};

// Paths and all they need; kept from one pair to the next for its memory.
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
        std::int32_t last;       // where the open chunk ends in the hypothesis, -1 when none is open
        std::uint32_t next;      // the first reference position after the path's last match
        std::uint32_t link;      // the path's latest free match
    };
    // A free match and the one before it on the same path.
    struct Link {
        std::uint32_t earlier;
        const Match* match;
    };
    // A path that may come out of a position: what it came from and the match that it takes.
    struct Step {
        Rank rank;
        std::uint32_t number;  // steps are numbered as they are made; of equal ranks the first goes on
        std::uint32_t parent;
        std::int32_t choice;   // index of the match among the position's, or KEEP, or SKIP
    };
    // Steps whose ranks differ from their parents' by the same; their order is that of their parents, so it is sorted.
    struct Stream {
        Rank change;
        std::vector<Step> steps;
        std::size_t head;
    };
    struct Copies {
        Rank gain;
        std::size_t count;
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;
    static constexpr std::int32_t KEEP = -1, SKIP = -2;
    static constexpr std::size_t MAX_STREAMS = 16;
    static constexpr std::uint8_t UNKNOWN = 0xFF;

    Rank gain(const Match& match) const;
    void take_fixed(const Match& match);
    void skip(std::uint32_t position);
    void restore_order(Rank changed_by);
    void expand(std::uint32_t position, View<Match> free);
    void expand_path(std::uint32_t parent, std::uint32_t position, View<Match> free);
    std::uint8_t stream_of(Rank change);
    void add_step(std::uint32_t parent, std::int32_t choice, Rank change, std::uint8_t& stream);
    void select_survivors();
    void merge_streams(std::size_t wanted);
    void sort_all_steps(std::size_t wanted);
    void advance(std::uint32_t position, View<Match> free);
    std::uint32_t best() const;

    bool is_used(std::uint32_t path, const Match& match) const;
    void use(std::uint64_t* words, const Match& match) const;

    const Chain& chain_;
    RankUnits<Rank> units_{};
    SearchOptions options_{};
    std::size_t mask_words_ = 1;                 // of a bit set over the hypothesis's words
    std::vector<Path> paths_, next_paths_;
    std::vector<std::uint64_t> used_, next_used_;  // hypothesis words that a path's free matches cover
    std::vector<Link> links_;
    Stream streams_[MAX_STREAMS + 1];            // the last one takes all steps that no other one does
    std::size_t stream_count_ = 0;
    std::vector<std::uint8_t> known_streams_;    // the streams of steps of the usual kinds, UNKNOWN at first
    std::uint32_t step_count_ = 0;
    std::vector<Step> survivors_;
    std::vector<std::uint8_t> changed_;
    std::vector<Copies> copies_;
    std::vector<Rank> gains_;
};

extern template class Search<NarrowRank>;
extern template class Search<WideRank>;

// Chooses the narrower rank that holds the pair.
class AlignmentSearch {
public:
    explicit AlignmentSearch(const Chain& chain) : chain_(chain), narrow_(chain), wide_(chain) {}
    void run(const Candidates& candidates, std::size_t hypothesis_size, const SearchOptions& options,
             std::vector<Match>& chosen);

private:
    const Chain& chain_;
    Search<NarrowRank> narrow_;
    Search<WideRank> wide_;
};

}  // namespace meteor

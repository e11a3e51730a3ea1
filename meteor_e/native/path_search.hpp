// A beam search for pairs of any size and any beam. It has the same steps as meteor_e/engine/search.py.
#pragma once

#include <vector>

#include "candidate_set.hpp"
#include "rank.hpp"

namespace meteor {

// For pairs of usual size, BeamSearch is faster. The buffers are reused for the next pair.
class PathSearch {
public:
    explicit PathSearch(const Chain& chain) : chain_(chain) {}

    // Appends the chosen matches to `alignment`, sorted by reference position. Fails if there are too many paths.
    [[nodiscard]] Failure run(const CandidateSet& candidates, std::size_t hypothesis_size, const SearchOptions& options,
                              std::vector<Match>& alignment);

private:
    struct Path {
        Rank rank;
        std::int32_t chunk_end;       // where the open chunk ends in the hypothesis; -1 if no chunk is open
        std::uint32_t next_position;  // the first one after the last match
        std::uint32_t link;           // the last match
    };
    // A candidate at a position, and its gain for a path.
    struct Choice {
        Rank gain;
        const Match* match;
        std::uint32_t start;  // in the hypothesis
    };
    // A match, with a link to the previous match on the same path.
    struct Link {
        std::uint32_t previous;
        std::uint32_t position;
        const Match* match;
    };
    // A possible path after a position.
    struct Step {
        Rank rank;
        std::uint32_t parent;  // path before the position
        std::int32_t choice;   // index of a choice of the position, or KEEP, or SKIP
    };
    // Consecutive choices that differ only in their start in the hypothesis. The starts are in ascending order.
    struct Run {
        std::uint32_t first, last;  // in the list's choices
        std::uint32_t length;       // in the hypothesis
        // Long runs also have the set of starts. For each machine word of this set, they have the number of earlier
        // starts and the sum of the starts in the machine word.
        std::vector<std::uint64_t> starts;
        std::vector<std::uint32_t> count_before;
        std::vector<std::int64_t> sums;

        [[nodiscard]] bool is_long() const noexcept { return !starts.empty(); }
    };
    // The choices at a position. Positions may share a list, so the choices do not contain distances.
    struct ChoiceList {
        std::vector<Choice> choices;
        std::vector<Run> runs;
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;
    static constexpr std::int32_t KEEP = -1, SKIP = -2;
    static constexpr std::uint32_t MIN_LONG_RUN = 64, MAX_LONG_RUN_WORDS = 32;

    [[nodiscard]] const ChoiceList& choices_of(std::uint32_t position, const CandidateSet& candidates);
    void add_runs(ChoiceList& list, View<Match> candidates) const;
    void index_long_run(const ChoiceList& list, Run& run) const;

    [[nodiscard]] Failure add_steps(const CandidateSet& candidates, std::uint32_t position, const ChoiceList& list);
    void add_step(std::uint32_t parent, std::int32_t choice, const Rank& rank_change) {
        steps_.push_back({paths_[parent].rank + rank_change, parent, choice});
    }
    void take_fixed(std::uint32_t parent, std::uint32_t position, const Choice& choice);
    void expand_path(std::uint32_t parent, std::uint32_t position, const ChoiceList& list);
    void expand_run(std::uint32_t parent, std::uint32_t position, const ChoiceList& list, const Run& run,
                    std::int64_t& charged);
    void expand_long_run(std::uint32_t parent, std::uint32_t position, const ChoiceList& list, const Run& run,
                         std::int64_t& charged);
    void take(std::uint32_t parent, const ChoiceList& list, std::uint32_t choice, bool breaks_chunk,
              std::int64_t charged);
    void choose_survivors();
    void make_paths(std::uint32_t position, const ChoiceList& list);

    [[nodiscard]] Rank gain_of(const Match& match) const noexcept;
    [[nodiscard]] std::size_t best_path() const;
    void collect_matches(std::vector<Match>& alignment) const;

    [[nodiscard]] std::uint64_t unused_starts(std::uint32_t path, const Run& run, std::size_t part) const noexcept;
    [[nodiscard]] bool uses_any(std::uint32_t path, const Choice& choice) const noexcept;
    void mark_used(std::size_t next_path, const Choice& choice) noexcept;
    void copy_used(std::size_t path, std::size_t next_path) noexcept;

    const Chain& chain_;
    SearchOptions options_{};
    std::size_t mask_size_ = 1;  // machine words of a bit set of hypothesis words
    std::vector<Path> paths_, next_paths_;
    std::vector<std::uint64_t> used_, next_used_;  // the hypothesis words that each path has used
    std::vector<Link> links_;
    std::vector<ChoiceList> lists_;
    std::vector<Step> steps_;
    std::size_t total_steps_ = 0;  // of positions with many steps
    std::vector<std::uint32_t> survivors_;
};

}  // namespace meteor

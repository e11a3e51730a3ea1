// Searches the alignments of a hypothesis of an n-best list with many references.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cached_beam_search.hpp"
#include "candidate_set.hpp"
#include "chain.hpp"

namespace meteor {

// Searches the best alignment for NbestCandidates. Later searches use cached results until clear() is called.
class NbestSearch {
public:
    explicit NbestSearch(const Chain& chain) : chain_(chain) {}

    void start_hypothesis(const CandidateSet& candidates, std::size_t hypothesis_size);
    // Appends the chosen matches to `alignment`. Returns false if the ranks or the number of candidates are too large
    // for this search. In this case, the caller has to use AlignmentSearch.
    [[nodiscard]] bool try_search(const CandidateSet& candidates, std::vector<Match>& alignment);
    void clear();

private:
    // The layout of ranks. It is the same in all searches.
    static constexpr int DISTANCE_BITS = 20, CHUNK_BITS = 9, GAIN_BITS = NARROW_RANK_BITS - DISTANCE_BITS - CHUNK_BITS;
    static constexpr std::size_t MAX_CHOICES = 64;  // candidates of a position are bits of AutomatonEdge::continuable
    static constexpr std::uint32_t NO_ID = 0xFFFFFFFFu;
    static constexpr std::size_t MAX_LIST_IDS = std::size_t{1} << 16;

    [[nodiscard]] std::uint32_t list_id_of(const CandidateSet& candidates, std::size_t position);
    template <class Use>
    void with_search_for(std::size_t words, const Use& use);

    const Chain& chain_;
    std::size_t hypothesis_size_ = 0;
    bool do_ranks_fit_ = true;
    std::vector<std::int64_t> gains_;  // of the candidates
    // Ids for lists of candidates. Lists with equal contents have the same id in all hypotheses; 0 is the empty list.
    std::unordered_map<std::string, std::uint32_t> id_by_contents_;
    std::string contents_;
    std::vector<std::uint32_t> list_ids_;      // of the hypothesis's lists
    std::vector<std::int64_t> max_gains_;      // of the hypothesis's lists
    std::vector<std::uint32_t> position_ids_;  // the id of each position's list
    CachedBeamSearch<1> short_;
    CachedBeamSearch<2> medium_;
    CachedBeamSearch<4> long_;
};

}  // namespace meteor

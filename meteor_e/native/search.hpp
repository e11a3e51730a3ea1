// Which candidates make the alignment: chooses the beam search that fits the pair.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "beam.hpp"
#include "candidates.hpp"
#include "chain.hpp"
#include "path_search.hpp"

namespace meteor {

class AlignmentSearch {
public:
    explicit AlignmentSearch(const Chain& chain) : chain_(chain) {}
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
    Search any_{chain_};
};

}  // namespace meteor

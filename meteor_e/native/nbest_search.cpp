#include "nbest_search.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace meteor {

template <class Use>
void NbestSearch::with_search_for(std::size_t words, const Use& use) {
    if (words <= CachedBeamSearch<1>::MAX_WORDS) {
        use(short_);
    } else if (words <= CachedBeamSearch<2>::MAX_WORDS) {
        use(medium_);
    } else {
        use(long_);
    }
}

void NbestSearch::clear() {
    id_by_contents_.clear();
    short_.clear();
    medium_.clear();
    long_.clear();
}

void NbestSearch::start_hypothesis(const CandidateSet& candidates, std::size_t hypothesis_size) {
    if (id_by_contents_.size() > MAX_LIST_IDS) clear();
    hypothesis_size_ = hypothesis_size;
    do_ranks_fit_ = chain_.beam <= MAX_NARROW_BEAM && hypothesis_size <= CachedBeamSearch<4>::MAX_WORDS;
    gains_.clear();
    constexpr std::int64_t MAX_GAIN = std::int64_t{1} << GAIN_BITS;
    for (const Match& match : candidates.matches()) {
        const std::int64_t gain = search_weight_of(chain_, match, false);
        do_ranks_fit_ = do_ranks_fit_ && gain < MAX_GAIN && gain > -MAX_GAIN;
        gains_.push_back(do_ranks_fit_ ? gain * (std::int64_t{1} << (DISTANCE_BITS + CHUNK_BITS)) : 0);
    }
    list_ids_.assign(candidates.list_count(), NO_ID);
    max_gains_.resize(candidates.list_count());
}

std::uint32_t NbestSearch::list_id_of(const CandidateSet& candidates, std::size_t position) {
    std::uint32_t& id = list_ids_[candidates.list_of(position)];
    if (id != NO_ID) return id;
    const View<Match> list = candidates.at(position);
    std::int64_t& max_gain = max_gains_[candidates.list_of(position)];
    id = 0;
    max_gain = 0;
    if (list.empty()) return id;
    contents_.clear();
    const std::int64_t* gain = gains_.data() + (list.data() - candidates.matches().data());
    for (const Match& match : list) {
        const std::int64_t fields[] = {match.hypothesis_start, match.hypothesis_length, match.reference_length, *gain};
        contents_.append(reinterpret_cast<const char*>(fields), sizeof fields);
        max_gain = std::max<std::int64_t>(max_gain, std::llabs(*gain));
        ++gain;
    }
    const auto new_id = static_cast<std::uint32_t>(id_by_contents_.size() + 1);
    id = id_by_contents_.emplace(contents_, new_id).first->second;
    return id;
}

bool NbestSearch::try_search(const CandidateSet& candidates, std::vector<Match>& alignment) {
    if (!do_ranks_fit_) return false;
    const std::size_t positions = candidates.position_count();
    const std::size_t max_distance = std::max(positions, hypothesis_size_);
    position_ids_.resize(positions);
    std::size_t distance = 0;
    std::int64_t weighted = 0;
    for (std::size_t position = 0; position < positions; ++position) {
        const std::size_t choices = candidates.at(position).size();
        if (choices > MAX_CHOICES) return false;
        position_ids_[position] = list_id_of(candidates, position);
        weighted += max_gains_[candidates.list_of(position)] >> (DISTANCE_BITS + CHUNK_BITS);
        distance += choices * max_distance;
    }
    if (std::bit_width(distance) > DISTANCE_BITS || std::bit_width(positions + 1) > CHUNK_BITS ||
        std::bit_width(static_cast<std::uint64_t>(weighted)) > GAIN_BITS) {
        return false;
    }
    RankUnits units;
    units.chunk_shift = DISTANCE_BITS;
    units.weighted_shift = units.word_shift = DISTANCE_BITS + CHUNK_BITS;
    const BeamTask task{candidates, units, {chain_.beam, chain_.limits.max_paths, false}, gains_};
    with_search_for(hypothesis_size_, [&](auto& search) {
        if (search.is_full()) search.clear();
        search.run(task, position_ids_, alignment);
    });
    return true;
}

}  // namespace meteor

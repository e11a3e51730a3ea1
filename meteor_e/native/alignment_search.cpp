#include "alignment_search.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace meteor {

Failure AlignmentSearch::run(const CandidateSet& candidates, std::size_t hypothesis_size, const SearchOptions& options,
                             std::vector<Match>& alignment) {
    if (candidates.has_shared_lists()) return path_search_.run(candidates, hypothesis_size, options, alignment);
    const Bounds bounds = compute_weights(candidates, options.maximum_accuracy);
    const auto max_chunks = static_cast<std::uint32_t>(candidates.position_count() + 1);
    RankUnits units;
    units.chunk_shift = std::bit_width(bounds.distance);
    units.word_shift = units.chunk_shift + std::bit_width(max_chunks);
    units.weighted_shift = units.word_shift + (options.maximum_accuracy ? std::bit_width(bounds.words) : 0);
    const int rank_bits = units.weighted_shift + std::bit_width(bounds.weighted);
    if (rank_bits > NARROW_RANK_BITS || options.beam > MAX_NARROW_BEAM || bounds.choices > MAX_NARROW_CHOICES ||
        hypothesis_size > BeamSearch<4>::MAX_WORDS) {
        return path_search_.run(candidates, hypothesis_size, options, alignment);
    }
    convert_weights_to_gains(candidates, units, options.maximum_accuracy);
    const BeamTask task{candidates, units, options, gains_};
    if (hypothesis_size <= BeamSearch<1>::MAX_WORDS) {
        short_.run(task, alignment);
    } else if (hypothesis_size <= BeamSearch<2>::MAX_WORDS) {
        medium_.run(task, alignment);
    } else {
        long_.run(task, alignment);
    }
    return Failure::none;
}

// Sets `gains_` to the search weights of the candidates.
AlignmentSearch::Bounds AlignmentSearch::compute_weights(const CandidateSet& candidates, bool maximum_accuracy) {
    Bounds bounds;
    gains_.clear();
    const auto positions = static_cast<std::uint32_t>(candidates.position_count());
    for (std::uint32_t position = 0; position < positions; ++position) {
        std::uint64_t max_words = 0, max_weighted = 0;
        const View<Match> starting = candidates.at(position);
        bounds.choices = std::max(bounds.choices, starting.size());
        for (const Match& match : starting) {
            bounds.distance += static_cast<std::uint64_t>(distance_between(position, match.hypothesis_start));
            max_words =
                std::max<std::uint64_t>(max_words, std::uint64_t{match.hypothesis_length} + match.reference_length);
            const std::int64_t weight = search_weight_of(chain_, match, maximum_accuracy);
            gains_.push_back(weight);
            max_weighted = std::max<std::uint64_t>(max_weighted, static_cast<std::uint64_t>(std::llabs(weight)));
        }
        bounds.words += max_words;
        bounds.weighted += max_weighted;
    }
    return bounds;
}

void AlignmentSearch::convert_weights_to_gains(const CandidateSet& candidates, const RankUnits& units,
                                               bool maximum_accuracy) {
    const std::vector<Match>& matches = candidates.matches();
    for (std::size_t k = 0; k < matches.size(); ++k) {
        const std::int64_t words =
            maximum_accuracy ? std::int64_t{matches[k].hypothesis_length} + matches[k].reference_length : 0;
        gains_[k] = units.gain(gains_[k], words);
    }
}

}  // namespace meteor

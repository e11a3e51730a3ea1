#include "search.hpp"

#include <algorithm>
#include <cstdlib>

namespace meteor {

bool AlignmentSearch::run(const Candidates& candidates, std::size_t hypothesis_size, const SearchOptions& options,
                          std::vector<Match>& chosen) {
    if (candidates.shared()) return any_.run(candidates, hypothesis_size, options, chosen);
    // No path can gather more than this of each criterion.
    std::uint64_t distance = 0, words = 0, weighted = 0;
    std::size_t most_choices = 0;
    gains_.clear();
    const auto positions = static_cast<std::uint32_t>(candidates.positions());
    for (std::uint32_t position = 0; position < positions; ++position) {
        std::uint64_t most_words = 0, most_weighted = 0;
        const View<Match> starting = candidates.at(position);
        most_choices = std::max(most_choices, starting.size());
        for (const Match& match : starting) {
            distance += static_cast<std::uint64_t>(distance_between(position, match.hypothesis_start));
            most_words =
                std::max<std::uint64_t>(most_words, std::uint64_t{match.hypothesis_length} + match.reference_length);
            const std::int64_t gain = weight_of(chain_, match, options.maximum_accuracy);
            gains_.push_back(gain);
            most_weighted = std::max<std::uint64_t>(most_weighted, static_cast<std::uint64_t>(std::llabs(gain)));
        }
        words += most_words;
        weighted += most_weighted;
    }
    RankUnits units;
    units.chunk_shift = std::bit_width(distance);
    units.word_shift = units.chunk_shift + std::bit_width(positions + 1);
    units.weighted_shift = units.word_shift + (options.maximum_accuracy ? std::bit_width(words) : 0);
    const int bits = units.weighted_shift + std::bit_width(weighted);
    if (bits <= BEAM_RANK_BITS && options.beam <= MAX_NARROW_BEAM && most_choices <= MAX_CHOICES &&
        hypothesis_size <= BeamSearch<4>::MAX_WORDS) {
        std::size_t number = 0;
        for (std::uint32_t position = 0; position < positions; ++position) {
            for (const Match& match : candidates.at(position)) {
                const std::int64_t matched =
                    options.maximum_accuracy ? std::int64_t{match.hypothesis_length} + match.reference_length : 0;
                gains_[number] = units.gain(gains_[number], matched);
                ++number;
            }
        }
        const BeamTask task{candidates, units, options, gains_};
        with_search_for(hypothesis_size, [&](auto& search) { search.run(task, chosen); });
        return true;
    }
    return any_.run(candidates, hypothesis_size, options, chosen);
}

void AlignmentSearch::start_hypothesis(const Candidates& candidates, std::size_t hypothesis_size) {
    if (numbers_.size() > MOST_NUMBERED) forget();
    hypothesis_size_ = hypothesis_size;
    ranks_fit_ = chain_.beam <= MAX_NARROW_BEAM && hypothesis_size <= BeamSearch<4>::MAX_WORDS;
    gains_.clear();
    for (const Match& match : candidates.matches()) {
        const std::int64_t gain = weight_of(chain_, match, false);
        ranks_fit_ = ranks_fit_ && gain < (std::int64_t{1} << GAIN_BITS) && gain > -(std::int64_t{1} << GAIN_BITS);
        gains_.push_back(ranks_fit_ ? gain * (std::int64_t{1} << (DISTANCE_BITS + CHUNK_BITS)) : 0);
    }
    list_numbers_.assign(candidates.lists(), NOT_NUMBERED);
    most_.resize(candidates.lists());
}

void AlignmentSearch::forget() {
    numbers_.clear();
    short_.forget();
    middle_.forget();
    long_.forget();
}

// Lists that hold the same have the same number, whatever they are lists of; 0 is the empty list.
std::uint32_t AlignmentSearch::number_of(const Candidates& candidates, std::size_t position) {
    std::uint32_t& number = list_numbers_[candidates.list(position)];
    if (number != NOT_NUMBERED) return number;
    const View<Match> list = candidates.at(position);
    std::int64_t& most = most_[candidates.list(position)];
    number = 0;
    most = 0;
    if (!list.size()) return number;
    held_.clear();
    const std::int64_t* gain = gains_.data() + (list.data() - candidates.matches().data());
    for (const Match& match : list) {
        const std::int64_t parts[] = {match.hypothesis_start, match.hypothesis_length, match.reference_length, *gain};
        held_.append(reinterpret_cast<const char*>(parts), sizeof parts);
        most = std::max<std::int64_t>(most, std::llabs(*gain));
        ++gain;
    }
    return number = numbers_.emplace(held_, static_cast<std::uint32_t>(numbers_.size() + 1)).first->second;
}

bool AlignmentSearch::run_gathered(const Candidates& candidates, std::vector<Match>& chosen) {
    if (!ranks_fit_) return false;
    const std::size_t positions = candidates.positions(), longer = std::max(positions, hypothesis_size_);
    position_numbers_.resize(positions);
    std::size_t distance = 0;
    std::int64_t weighted = 0;
    for (std::size_t position = 0; position < positions; ++position) {
        const std::size_t choices = candidates.at(position).size();
        position_numbers_[position] = number_of(candidates, position);
        weighted += most_[candidates.list(position)] >> (DISTANCE_BITS + CHUNK_BITS);
        distance += choices * longer;
        if (choices > 64) return false;
    }
    if (std::bit_width(distance) > DISTANCE_BITS || std::bit_width(positions + 1) > CHUNK_BITS ||
        std::bit_width(static_cast<std::uint64_t>(weighted)) > GAIN_BITS) {
        return false;
    }
    RankUnits units;
    units.chunk_shift = DISTANCE_BITS;
    units.weighted_shift = units.word_shift = DISTANCE_BITS + CHUNK_BITS;
    const BeamTask task{candidates, units, {chain_.beam, chain_.limits.max_paths, false}, gains_, position_numbers_.data()};
    with_search_for(hypothesis_size_, [&](auto& search) {
        if (search.full()) search.forget();
        search.run(task, chosen);
    });
    return true;
}

}  // namespace meteor

// Matches, and the reasons for which a pair of segments cannot be aligned.
#pragma once

#include <vector>

#include "common.hpp"
#include "sentence_rows.hpp"

namespace meteor {

struct Match {
    std::uint32_t reference_start, reference_length, hypothesis_start, hypothesis_length;
    std::uint32_t matcher;  // index in the chain
    double probability;
};

// A match that a matcher in Python proposes, before its positions are checked.
struct Proposal {
    std::int64_t reference_start, hypothesis_start, reference_length, hypothesis_length;
    double probability;
};

enum class Failure {
    none,
    too_many_candidates,
    too_many_paths,
    misplaced_proposal,  // a matcher in Python proposed words that do not exist
    missing_vectors,     // a sentence is too long for the encoder of a contextual matcher
};

// The names of the failures in Python, in the order of the enumeration.
constexpr const char* FAILURE_NAMES[] = {"none", "too_many_candidates", "too_many_paths", "misplaced_proposal",
                                         "missing_vectors"};
static_assert(std::size(FAILURE_NAMES) == static_cast<std::size_t>(Failure::missing_vectors) + 1);

struct Outcome {
    Failure failure = Failure::none;
    std::uint32_t matcher = 0;  // that proposed wrong words or lacks vectors
    Proposal proposal{};        // the misplaced one

    [[nodiscard]] bool has_failed() const noexcept { return failure != Failure::none; }
};

// Additional input of the matchers for a pair of segments, besides the words.
struct PairFeatures {
    // A list of proposals for each matcher in Python, in chain order; null without such matchers.
    const std::vector<std::vector<Proposal>>* proposals = nullptr;
    // The word vectors of both sentences for each contextual matcher, in chain order; null if vectors are missing.
    std::vector<const SentenceRows*> hypothesis_rows, reference_rows;
};

}  // namespace meteor

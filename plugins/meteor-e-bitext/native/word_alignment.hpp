// Word alignment with IBM model 2 and a distortion that prefers the diagonal: Dyer, Chahuneau and Smith, "A Simple,
// Fast, and Effective Reparameterization of IBM Model 2", NAACL 2013. Comments that mention the paper refer to it.
#pragma once

#include <functional>

#include "corpus.hpp"

namespace meteor::bitext {

struct ModelOptions {
    std::size_t iterations = 5;      // of expectation maximization
    double null_probability = 0.08;  // of the empty word: p0 of the paper
    double tension = 4.0;            // the initial λ of the paper
    double concentration = 0.01;     // of the Dirichlet prior on translations: α of the paper
    std::size_t max_words = 100;     // sentence pairs with a longer sentence are not used
    std::size_t threads = 1;
};

// Reports that `completed` of `total` steps are completed. Returns false to interrupt the work.
using Progress = std::function<bool(std::size_t completed, std::size_t total)>;

// Trains a model of the target words given the source words. Fills, for each target word, its most probable source
// position, or NOT_ALIGNED. The result does not depend on the number of threads. Returns the final tension, or a
// negative number if the work was interrupted.
[[nodiscard]] double align_words(const Corpus& source, const Corpus& target, std::size_t source_types,
                                 std::size_t target_types, const ModelOptions& options, std::uint16_t* positions,
                                 const Progress& progress);

}  // namespace meteor::bitext

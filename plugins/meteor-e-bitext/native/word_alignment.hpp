// Word alignment with IBM model 2 and a distortion that prefers the diagonal: Dyer, Chahuneau and Smith, "A Simple,
// Fast, and Effective Reparameterization of IBM Model 2", NAACL 2013. Comments that mention the paper refer to it.
#pragma once

#include <functional>

#include "corpus.hpp"

namespace meteor::bitext {

struct ModelOptions {
    std::size_t iterations = 5;      // number of iterations of expectation maximization
    double null_probability = 0.08;  // probability of the empty word, p0 of the paper
    double tension = 4.0;            // initial preference for the diagonal, λ of the paper
    double concentration = 0.01;     // parameter of the Dirichlet prior on translations, α of the paper
    std::size_t max_words = 100;     // maximum length of a sentence; longer sentence pairs are not used
    std::size_t threads = 1;
};

// Reports that `completed` of `total` steps are completed. Returns false to interrupt the work.
using Progress = std::function<bool(std::size_t completed, std::size_t total)>;

// Trains a model of the target words given the source words. `positions` is filled with the most probable source
// position of each target word, or NOT_ALIGNED. The result does not depend on the number of threads. Returns the final
// tension, or a negative number if the work was interrupted.
[[nodiscard]] double align_words(const Corpus& source, const Corpus& target, std::size_t source_types,
                                 std::size_t target_types, const ModelOptions& options, std::uint16_t* positions,
                                 const Progress& progress);

}  // namespace meteor::bitext

// IBM model 2 with a distortion that prefers the diagonal: Dyer, Chahuneau and Smith, "A Simple, Fast, and Effective
// Reparameterization of IBM Model 2", NAACL 2013, whose symbols the comments use.
#pragma once

#include <functional>
#include <vector>

#include "corpus.hpp"

namespace meteor::bitext {

struct ModelOptions {
    std::size_t iterations = 5;
    double null_probability = 0.08;  // p0
    double tension = 4.0;            // λ to begin with
    double concentration = 0.01;     // α of the Dirichlet prior on translations
    std::size_t longest = 100;       // longer sentences are left out
    std::size_t threads = 1;
};

// Trains a model of target words given source words; writes for each target word its most probable source position,
// or NOT_ALIGNED. `report(done, all)` is called now and then and says whether to go on.
// The result does not depend on the number of threads. Returns λ, negative if it was told to stop.
double align_words(const Side& source, const Side& target, std::size_t source_types, std::size_t target_types,
                   const ModelOptions& options, std::uint16_t* positions,
                   const std::function<bool(std::size_t, std::size_t)>& report);

// The same links both ways, as pairs (source position, target position) sorted by sentence; `starts` counts pairs.
enum class Heuristic { intersection, union_, grow_diag, grow_diag_final, grow_diag_final_and };

struct Links {
    std::vector<std::uint16_t> pairs;
    std::vector<std::uint64_t> starts{0};
};

// `forward` holds a source position for each target word, `backward` a target position for each source word.
Links symmetrize(View<std::uint64_t> source_starts, View<std::uint64_t> target_starts, View<std::uint16_t> forward,
                 View<std::uint16_t> backward, Heuristic heuristic);

}  // namespace meteor::bitext

// Paraphrases through a pivot language: Bannard and Callison-Burch, "Paraphrasing with Bilingual Parallel Corpora",
// ACL 2005.
#pragma once

#include <functional>
#include <vector>

#include "corpus.hpp"

namespace meteor::bitext {

// Phrase pairs, by one of their phrases.
struct PairTable {
    View<std::uint64_t> starts;  // where the pairs of each phrase begin, and an end
    View<std::uint32_t> others;  // the other phrase of each pair
    View<double> probabilities;

    void check(std::size_t phrases) const {
        if (starts.size == 0 || starts[0] != 0 || starts[starts.size - 1] != others.size ||
            others.size != probabilities.size) {
            throw std::invalid_argument("a table's parts do not fit each other");
        }
        for (std::size_t k = 0; k + 1 < starts.size; ++k) {
            if (starts[k] > starts[k + 1]) throw std::invalid_argument("a table's rows overlap");
        }
        for (const std::uint32_t other : others) {
            if (other >= phrases) throw std::invalid_argument("a phrase is not in the table");
        }
    }
};

struct Paraphrase {
    std::uint32_t phrase, paraphrase;
    double probability;
};

// For each of `phrases` e1, all e2 with p(e2|e1) = Σ p(f|e1)·p(e2|f) of at least `least_sum`; products below
// `least_product` are left out of the sum. `to_pivot` has p(f|e) by e, `from_pivot` p(e|f) by f.
std::vector<Paraphrase> pivot(View<std::uint32_t> phrases, const PairTable& to_pivot, const PairTable& from_pivot,
                              double least_product, double least_sum);

}  // namespace meteor::bitext

// Paraphrases through a pivot language: Bannard and Callison-Burch, "Paraphrasing with Bilingual Parallel Corpora",
// ACL 2005.
#pragma once

#include <vector>

#include "corpus.hpp"

namespace meteor::bitext {

// The translation probabilities of phrases. The entries of a phrase are a row.
struct PhraseTable {
    View<std::uint64_t> starts;        // of the rows, and the number of entries
    View<std::uint32_t> translations;  // ids of phrases of the other language
    View<double> probabilities;

    // Throws std::invalid_argument if the arrays do not fit each other or the other language.
    void check(std::size_t translation_count) const;
};

struct Paraphrase {
    std::uint32_t phrase, paraphrase;
    double probability;
};

// Returns for each of `phrases` e1 all e2 whose probability p(e2|e1) = Σ p(f|e1)·p(e2|f) is at least `min_probability`.
// Products less than `min_product` are left out of the sum. `to_pivot` contains p(f|e), and `from_pivot` p(e|f).
[[nodiscard]] std::vector<Paraphrase> find_paraphrases(View<std::uint32_t> phrases, const PhraseTable& to_pivot,
                                                       const PhraseTable& from_pivot, double min_product,
                                                       double min_probability);

}  // namespace meteor::bitext

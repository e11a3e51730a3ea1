// Paraphrases through a pivot language: Bannard and Callison-Burch, "Paraphrasing with Bilingual Parallel Corpora",
// ACL 2005.
#pragma once

#include <vector>

#include "corpus.hpp"

namespace meteor::bitext {

// Translation probabilities. Each row contains the translations of one phrase.
struct PhraseTable {
    View<std::uint64_t> starts;        // the first entry of each row, then the number of entries
    View<std::uint32_t> translations;  // ids of phrases of the other language
    View<double> probabilities;

    // Throws std::invalid_argument if the arrays do not fit each other, or the id of a translation is too large.
    void check(std::size_t translation_count) const;
};

struct Paraphrase {
    std::uint32_t phrase, paraphrase;
    double probability;
};

// Returns the paraphrases e2 of each phrase e1 with p(e2|e1) = Σ p(f|e1)·p(e2|f) of at least `min_probability`.
// Products less than `min_product` are left out of the sum. `to_pivot` contains p(f|e), and `from_pivot` contains
// p(e|f).
[[nodiscard]] std::vector<Paraphrase> find_paraphrases(View<std::uint32_t> phrases, const PhraseTable& to_pivot,
                                                       const PhraseTable& from_pivot, double min_product,
                                                       double min_probability);

}  // namespace meteor::bitext

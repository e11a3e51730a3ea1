#include "pivot.hpp"

#include <algorithm>

namespace meteor::bitext {

void PhraseTable::check(std::size_t translation_count) const {
    if (starts.empty() || starts.front() != 0 || starts.back() != translations.size() ||
        translations.size() != probabilities.size()) {
        throw std::invalid_argument("a table's parts do not fit each other");
    }
    if (!std::ranges::is_sorted(starts)) throw std::invalid_argument("a table's rows overlap");
    for (const std::uint32_t translation : translations) {
        if (translation >= translation_count) throw std::invalid_argument("a phrase is not in the table");
    }
}

std::vector<Paraphrase> find_paraphrases(View<std::uint32_t> phrases, const PhraseTable& to_pivot,
                                         const PhraseTable& from_pivot, double min_product, double min_probability) {
    std::vector<double> sums(to_pivot.starts.size() - 1);  // sums by paraphrase, which are reset to 0 after each phrase
    std::vector<std::uint32_t> candidates;
    std::vector<Paraphrase> paraphrases;
    for (const std::uint32_t phrase : phrases) {
        candidates.clear();
        for (std::uint64_t k = to_pivot.starts[phrase]; k < to_pivot.starts[phrase + 1]; ++k) {
            const std::uint32_t pivot = to_pivot.translations[k];
            for (std::uint64_t l = from_pivot.starts[pivot]; l < from_pivot.starts[pivot + 1]; ++l) {
                const std::uint32_t candidate = from_pivot.translations[l];
                const double product = to_pivot.probabilities[k] * from_pivot.probabilities[l];
                if (product < min_product || !(product > 0) || candidate == phrase) continue;
                if (sums[candidate] == 0) candidates.push_back(candidate);
                sums[candidate] += product;
            }
        }
        std::ranges::sort(candidates);
        for (const std::uint32_t candidate : candidates) {
            if (sums[candidate] >= min_probability) paraphrases.push_back({phrase, candidate, sums[candidate]});
            sums[candidate] = 0;
        }
    }
    return paraphrases;
}

}  // namespace meteor::bitext

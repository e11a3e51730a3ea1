#include "pivot.hpp"

#include <algorithm>

namespace meteor::bitext {

std::vector<Paraphrase> pivot(View<std::uint32_t> phrases, const PairTable& to_pivot, const PairTable& from_pivot,
                              double least_product, double least_sum) {
    std::vector<double> sums(to_pivot.starts.size - 1);
    std::vector<std::uint32_t> found;
    std::vector<Paraphrase> paraphrases;
    for (const std::uint32_t phrase : phrases) {
        found.clear();
        for (std::uint64_t k = to_pivot.starts[phrase]; k < to_pivot.starts[phrase + 1]; ++k) {
            const std::uint32_t pivot = to_pivot.others[k];
            const double there = to_pivot.probabilities[k];
            for (std::uint64_t l = from_pivot.starts[pivot]; l < from_pivot.starts[pivot + 1]; ++l) {
                const std::uint32_t other = from_pivot.others[l];
                const double product = there * from_pivot.probabilities[l];
                if (product < least_product || !(product > 0) || other == phrase) continue;
                if (sums[other] == 0) found.push_back(other);
                sums[other] += product;
            }
        }
        std::sort(found.begin(), found.end());
        for (const std::uint32_t other : found) {
            if (sums[other] >= least_sum) paraphrases.push_back({phrase, other, sums[other]});
            sums[other] = 0;
        }
    }
    return paraphrases;
}

}  // namespace meteor::bitext

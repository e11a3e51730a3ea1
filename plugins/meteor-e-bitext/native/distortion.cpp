#include "distortion.hpp"

#include <algorithm>

#include "background.hpp"

namespace meteor::bitext {

// The probabilities on each side of the diagonal are a geometric sequence.
void compute_distortion(std::size_t target_position, SentenceSize size, double tension, double mass,
                        double* probabilities) noexcept {
    const auto [n, m] = size;
    const double ratio = std::exp(-tension / static_cast<double>(n));
    const std::size_t split = std::min(n, (target_position + 1) * n / m);  // the first position above the diagonal
    double sum = 0;
    if (split > 0) {
        double weight = std::exp(-tension * diagonal_distance(split - 1, target_position, size));
        for (std::size_t i = split; i-- > 0; weight *= ratio) sum += probabilities[i] = weight;
    }
    if (split < n) {
        double weight = std::exp(-tension * diagonal_distance(split, target_position, size));
        for (std::size_t i = split; i < n; ++i, weight *= ratio) sum += probabilities[i] = weight;
    }
    for (std::size_t i = 0; i < n; ++i) probabilities[i] *= mass / sum;
}

double expected_distance(const SizeCounts& size_counts, double tension, std::size_t threads) {
    constexpr std::size_t BATCH = 64;
    std::vector<double> distances(size_counts.size());
    const auto add_distances = [&](std::size_t batch, const std::atomic<bool>&) {
        std::vector<double> probabilities;
        for (std::size_t k = batch * BATCH; k < std::min(size_counts.size(), (batch + 1) * BATCH); ++k) {
            const SentenceSize size = size_counts[k].first;
            probabilities.resize(std::max(probabilities.size(), size.first));
            for (std::size_t j = 0; j < size.second; ++j) {
                compute_distortion(j, size, tension, 1, probabilities.data());
                for (std::size_t i = 0; i < size.first; ++i) {
                    distances[k] += probabilities[i] * diagonal_distance(i, j, size);
                }
            }
        }
    };
    run_in_background((size_counts.size() + BATCH - 1) / BATCH, threads, add_distances, [] { return true; });
    double sum = 0, words = 0;
    for (std::size_t k = 0; k < size_counts.size(); ++k) {
        const auto [size, sentences] = size_counts[k];
        sum += distances[k] * static_cast<double>(sentences);
        words += static_cast<double>(size.second * sentences);
    }
    return words > 0 ? sum / words : 0;
}

}  // namespace meteor::bitext

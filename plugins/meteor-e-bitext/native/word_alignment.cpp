#include "word_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "background.hpp"

namespace meteor::bitext {

namespace {

constexpr std::size_t SHARES = 16;  // of the target vocabulary: what one thread works on at a time
constexpr std::size_t PARTS = 64;   // of the source vocabulary, while the table is made
constexpr std::uint32_t NOTHING = 0xFFFFFFFF;

// ψ, by its recurrence and its asymptotic series.
double digamma(double x) {
    double result = 0;
    for (; x < 7; ++x) result -= 1 / x;
    x -= 0.5;
    const double square = 1 / (x * x), fourth = square * square;
    return result + std::log(x) + square / 24 - 7 * fourth / 960 + 31 * fourth * square / 8064 -
           127 * fourth * fourth / 30720;
}

// The words that each source word occurs together with, and their probabilities: a hash table a source word.
class TranslationTable {
public:
    struct Entry {
        std::uint32_t word = NOTHING;
        float probability = 0;
        double count = 0;
    };

    // Stops where `go_on` says so; the table is not whole then.
    TranslationTable(const Side& source, const Side& target, std::size_t source_types, std::size_t target_types,
                     const std::vector<bool>& kept, std::size_t threads, const std::function<bool()>& go_on)
        : rows_(source_types + 2) {
        // Sentences of each source word, one after the other.
        std::vector<std::uint64_t> first(source_types + 2);
        for (std::size_t s = 0; s < source.sentences(); ++s) {
            if (!kept[s]) continue;
            for (std::size_t i = 0; i < source.length(s); ++i) ++first[source.sentence(s)[i] + 1];
        }
        for (std::size_t type = 0; type < source_types; ++type) first[type + 1] += first[type];
        std::vector<std::uint32_t> places(first[source_types]);
        {
            std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
            for (std::size_t s = 0; s < source.sentences(); ++s) {
                if (!kept[s]) continue;
                for (std::size_t i = 0; i < source.length(s); ++i) {
                    places[next[source.sentence(s)[i]]++] = static_cast<std::uint32_t>(s);
                }
            }
        }
        // Calls work(type, companions) for each source word; companions(use) calls use(word) once for each target word
        // that it has a sentence pair in common with. Types of one remainder are one thread's: frequent words, whose
        // work is most, come first in the vocabulary.
        const auto each_type = [&](const auto& work) {
            return in_background(
                PARTS, threads,
                [&](std::size_t part, const std::atomic<bool>& stopped) {
                    std::vector<std::uint32_t> seen(target_types, NOTHING);
                    for (std::size_t type = part; type < source_types && !stopped; type += PARTS) {
                        work(type, [&](const auto& use) {
                            for (std::uint64_t place = first[type]; place < first[type + 1]; ++place) {
                                const std::size_t s = places[place];
                                if (place > first[type] && places[place - 1] == s) continue;
                                for (std::size_t j = 0; j < target.length(s); ++j) {
                                    const std::uint32_t word = target.sentence(s)[j];
                                    if (seen[word] == type) continue;
                                    seen[word] = static_cast<std::uint32_t>(type);
                                    use(word);
                                }
                            }
                        });
                    }
                },
                go_on);
        };
        const bool counted = each_type([&](std::size_t type, const auto& companions) {
            std::uint64_t count = 0;
            companions([&](std::uint32_t) { ++count; });
            rows_[type + 1] = count;
        });
        if (!counted) return;
        for (std::size_t type = 0; type < source_types; ++type) {
            const std::uint64_t count = rows_[type + 1];
            rows_[type + 1] = rows_[type] + count + count / 3 + 1;
        }
        rows_[source_types + 1] = rows_[source_types] + target_types + target_types / 3 + 1;
        entries_.resize(rows_[source_types + 1]);
        for (std::size_t word = 0; word < target_types; ++word) {
            insert(source_types, static_cast<std::uint32_t>(word));
        }
        whole_ = each_type([&](std::size_t type, const auto& companions) {
            companions([&](std::uint32_t word) { insert(type, word); });
        });
    }

    bool whole() const { return whole_; }

    // Brings the place where a search begins near, for the search that follows.
    std::uint64_t prepare(std::size_t type, std::uint32_t word) const {
        const std::uint64_t place = begin(type, word);
        METEOR_PREFETCH(&entries_[place]);
        return place;
    }

    // The word is in the table: it occurs together with the type.
    Entry& find(std::size_t type, std::uint32_t word, std::uint64_t place) {
        while (entries_[place].word != word) {
            if (++place == rows_[type + 1]) place = rows_[type];
        }
        return entries_[place];
    }

    // Turns counts into probabilities, by variational Bayes (section 3.2 of the paper), and forgets the counts.
    void estimate(double concentration, std::size_t threads) {
        constexpr std::size_t BATCH = 256;  // rows: most are short
        const std::size_t rows = rows_.size() - 1;
        in_background((rows + BATCH - 1) / BATCH, threads,
                      [&](std::size_t batch, const std::atomic<bool>&) {
                          for (std::size_t row = batch * BATCH; row < std::min(rows, (batch + 1) * BATCH); ++row) {
                              double total = 0;
                              std::size_t words = 0;
                              for (std::uint64_t k = rows_[row]; k < rows_[row + 1]; ++k) {
                                  total += entries_[k].count;
                                  words += entries_[k].word != NOTHING;
                              }
                              const double all = digamma(total + concentration * static_cast<double>(words));
                              for (std::uint64_t k = rows_[row]; k < rows_[row + 1]; ++k) {
                                  Entry& entry = entries_[k];
                                  entry.probability =
                                      static_cast<float>(std::exp(digamma(entry.count + concentration) - all));
                                  entry.count = 0;
                              }
                          }
                      },
                      [] { return true; });
    }

    void set_uniform() {
        for (Entry& entry : entries_) entry.probability = 1;
    }

private:
    std::uint64_t begin(std::size_t type, std::uint32_t word) const {
        const std::uint64_t size = rows_[type + 1] - rows_[type];
        return rows_[type] + (((static_cast<std::uint64_t>(word) * 0x9E3779B1u) & 0xFFFFFFFFu) * size >> 32);
    }
    void insert(std::size_t type, std::uint32_t word) {
        std::uint64_t place = begin(type, word);
        while (entries_[place].word != NOTHING) {
            if (++place == rows_[type + 1]) place = rows_[type];
        }
        entries_[place].word = word;
    }

    std::vector<std::uint64_t> rows_;  // of each source word, of no word, and an end
    std::vector<Entry> entries_;
    bool whole_ = false;
};

// δ(i | j, m, n) of all source positions i for target position j, both from 0. Returns h, the distance of each from the
// diagonal, through `distance`.
double diagonal_distance(std::size_t i, std::size_t j, std::size_t n, std::size_t m) {
    return std::fabs(static_cast<double>(i + 1) / static_cast<double>(n) -
                     static_cast<double>(j + 1) / static_cast<double>(m));
}

void distortion(std::size_t j, std::size_t n, std::size_t m, double tension, double mass, double* weights) {
    // Powers of one ratio on either side of the diagonal.
    const double ratio = std::exp(-tension / static_cast<double>(n));
    const std::size_t split = std::min(n, (j + 1) * n / m);  // positions below lie before the diagonal or on it
    double sum = 0;
    if (split > 0) {
        double weight = std::exp(-tension * diagonal_distance(split - 1, j, n, m));
        for (std::size_t i = split; i-- > 0; weight *= ratio) sum += weights[i] = weight;
    }
    if (split < n) {
        double weight = std::exp(-tension * diagonal_distance(split, j, n, m));
        for (std::size_t i = split; i < n; ++i, weight *= ratio) sum += weights[i] = weight;
    }
    for (std::size_t i = 0; i < n; ++i) weights[i] *= mass / sum;
}

using Sizes = std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::size_t>>;  // how many have each size

// The distance from the diagonal that the distortion expects, a target word, by sentence size. The sum does not depend
// on the number of threads.
double expected_distance(const Sizes& sizes, double tension, std::size_t threads) {
    constexpr std::size_t BATCH = 64;
    std::vector<double> distances(sizes.size());
    in_background((sizes.size() + BATCH - 1) / BATCH, threads,
                  [&](std::size_t batch, const std::atomic<bool>&) {
                      std::vector<double> weights;
                      for (std::size_t k = batch * BATCH; k < std::min(sizes.size(), (batch + 1) * BATCH); ++k) {
                          const auto [n, m] = sizes[k].first;
                          weights.resize(std::max(weights.size(), n));
                          for (std::size_t j = 0; j < m; ++j) {
                              distortion(j, n, m, tension, 1, weights.data());
                              for (std::size_t i = 0; i < n; ++i)
                                  distances[k] += weights[i] * diagonal_distance(i, j, n, m);
                          }
                      }
                  },
                  [] { return true; });
    double sum = 0, words = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        const auto [size, sentences] = sizes[k];
        sum += distances[k] * static_cast<double>(sentences);
        words += static_cast<double>(size.second * sentences);
    }
    return words > 0 ? sum / words : 0;
}

class Model {
public:
    Model(const Side& source, const Side& target, std::size_t source_types, std::size_t target_types,
          const ModelOptions& options, const std::function<bool()>& go_on)
        : source_(source),
          target_(target),
          null_(source_types),
          options_(options),
          kept_(keep(source, target, options)),
          table_(source, target, source_types, target_types, kept_, options.threads, go_on),
          tension_(options.tension) {
        table_.set_uniform();
        std::map<Sizes::value_type::first_type, std::size_t> sizes;
        for (std::size_t s = 0; s < source.sentences(); ++s) {
            if (kept_[s]) ++sizes[{source.length(s), target.length(s)}];
        }
        sizes_.assign(sizes.begin(), sizes.end());
    }

    bool whole() const { return table_.whole(); }
    double tension() const { return tension_; }

    // An iteration of expectation maximization; or, with `positions`, the search for the best alignment.
    bool pass(std::uint16_t* positions, bool move_tension, const std::function<bool()>& go_on) {
        std::vector<double> distances(SHARES), linked(SHARES);
        const bool done = in_background(
            SHARES, options_.threads,
            [&](std::size_t share, const std::atomic<bool>& stopped) {
                work(share, positions, distances[share], linked[share], stopped);
            },
            go_on);
        if (!done || positions) return done;
        table_.estimate(options_.concentration, options_.threads);
        double distance = 0, words = 0;
        for (std::size_t share = 0; share < SHARES; ++share) {
            distance += distances[share];
            words += linked[share];
        }
        if (move_tension && words > 0) {
            // Gradient steps towards the λ whose expected distance is the observed one.
            for (int step = 0; step < 8; ++step) {
                tension_ += 20 * (expected_distance(sizes_, tension_, options_.threads) - distance / words);
                tension_ = std::min(14.0, std::max(0.1, tension_));
            }
        }
        return true;
    }

private:
    static std::vector<bool> keep(const Side& source, const Side& target, const ModelOptions& options) {
        std::vector<bool> kept(source.sentences());
        for (std::size_t s = 0; s < kept.size(); ++s) {
            const std::size_t n = source.length(s), m = target.length(s);
            kept[s] = n > 0 && m > 0 && n <= options.longest && m <= options.longest;
        }
        return kept;
    }

    // The target words of one share, in all sentences. No two shares touch the same entries of the table, so the sums
    // are the same however many threads there are.
    void work(std::size_t share, std::uint16_t* positions, double& distance, double& linked,
              const std::atomic<bool>& stopped) {
        std::vector<double> weights(options_.longest);
        std::vector<std::uint64_t> places(options_.longest + 1);
        std::vector<TranslationTable::Entry*> entries(options_.longest + 1);
        std::vector<double> posteriors(options_.longest + 1);
        for (std::size_t s = 0; s < kept_.size(); ++s) {
            if (!kept_[s]) continue;
            if (stopped) return;
            const std::size_t n = source_.length(s), m = target_.length(s);
            const std::uint32_t* from = source_.sentence(s);
            const std::uint32_t* to = target_.sentence(s);
            for (std::size_t j = 0; j < m; ++j) {
                const std::uint32_t word = to[j];
                if (word % SHARES != share) continue;
                for (std::size_t i = 0; i < n; ++i) places[i] = table_.prepare(from[i], word);
                places[n] = table_.prepare(null_, word);
                distortion(j, n, m, tension_, 1 - options_.null_probability, weights.data());
                double sum = 0, best = 0;
                std::uint16_t best_position = NOT_ALIGNED;
                for (std::size_t i = 0; i <= n; ++i) {
                    entries[i] = &table_.find(i < n ? from[i] : null_, word, places[i]);
                    const double prior = i < n ? weights[i] : options_.null_probability;
                    posteriors[i] = prior * static_cast<double>(entries[i]->probability);
                    sum += posteriors[i];
                    if (i < n && posteriors[i] > best) {
                        best = posteriors[i];
                        best_position = static_cast<std::uint16_t>(i);
                    }
                }
                if (positions) {
                    positions[target_.starts[s] + j] = posteriors[n] >= best ? NOT_ALIGNED : best_position;
                    continue;
                }
                if (!(sum > 0)) continue;
                for (std::size_t i = 0; i <= n; ++i) {
                    const double posterior = posteriors[i] / sum;
                    entries[i]->count += posterior;
                    if (i < n) {
                        distance += posterior * diagonal_distance(i, j, n, m);
                        linked += posterior;
                    }
                }
            }
        }
    }

    const Side& source_;
    const Side& target_;
    const std::size_t null_;
    const ModelOptions options_;
    const std::vector<bool> kept_;
    TranslationTable table_;
    double tension_;
    Sizes sizes_;
};

// A sentence pair's links as a matrix, and which words have any.
class Matrix {
public:
    void reset(std::size_t n, std::size_t m) {
        n_ = n;
        m_ = m;
        cells_.assign(n * m, 0);
        sources_.assign(n, 0);
        targets_.assign(m, 0);
    }
    bool has(std::size_t i, std::size_t j) const { return cells_[j * n_ + i]; }
    bool source_linked(std::size_t i) const { return sources_[i]; }
    bool target_linked(std::size_t j) const { return targets_[j]; }
    void add(std::size_t i, std::size_t j) { cells_[j * n_ + i] = sources_[i] = targets_[j] = 1; }

private:
    std::size_t n_ = 0, m_ = 0;
    std::vector<char> cells_, sources_, targets_;
};

using Link = std::pair<std::uint16_t, std::uint16_t>;  // source and target position

// Adds links of the union that touch one there is, as long as either word has none (Och and Ney 2003; Koehn et al.
// 2005 for the diagonal).
void grow(Matrix& matrix, const Matrix& all, std::vector<Link>& links, std::size_t n, std::size_t m) {
    for (std::size_t next = 0; next < links.size(); ++next) {
        for (int di = -1; di <= 1; ++di) {
            for (int dj = -1; dj <= 1; ++dj) {
                const std::size_t i = links[next].first + static_cast<std::size_t>(di);
                const std::size_t j = links[next].second + static_cast<std::size_t>(dj);
                if (i >= n || j >= m || !all.has(i, j) || matrix.has(i, j)) continue;
                if (matrix.source_linked(i) && matrix.target_linked(j)) continue;
                matrix.add(i, j);
                links.emplace_back(static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j));
            }
        }
    }
}

}  // namespace

double align_words(const Side& source, const Side& target, std::size_t source_types, std::size_t target_types,
                   const ModelOptions& options, std::uint16_t* positions,
                   const std::function<bool(std::size_t, std::size_t)>& report) {
    std::fill(positions, positions + target.words.size, NOT_ALIGNED);
    const std::size_t all = options.iterations + 1;
    Model model(source, target, source_types, target_types, options, [&] { return report(0, all); });
    if (!model.whole()) return -1;
    for (std::size_t iteration = 0; iteration < options.iterations; ++iteration) {
        const auto go_on = [&] { return report(iteration, all); };
        // λ moves once translations say something about positions.
        if (!go_on() || !model.pass(nullptr, iteration > 0, go_on)) return -1;
    }
    const auto go_on = [&] { return report(options.iterations, all); };
    return go_on() && model.pass(positions, false, go_on) ? model.tension() : -1;
}

Links symmetrize(View<std::uint64_t> source_starts, View<std::uint64_t> target_starts, View<std::uint16_t> forward,
                 View<std::uint16_t> backward, Heuristic heuristic) {
    Links result;
    Matrix all, matrix;
    std::vector<Link> links;
    for (std::size_t s = 0; s + 1 < source_starts.size; ++s) {
        const std::size_t n = source_starts[s + 1] - source_starts[s], m = target_starts[s + 1] - target_starts[s];
        const std::uint16_t* from_target = forward.data + target_starts[s];
        const std::uint16_t* from_source = backward.data + source_starts[s];
        if (n < NOT_ALIGNED && m < NOT_ALIGNED && n * m <= (std::size_t{1} << 26)) {
            all.reset(n, m);
            matrix.reset(n, m);
            links.clear();
            for (std::size_t j = 0; j < m; ++j) {
                if (from_target[j] < n) all.add(from_target[j], j);
            }
            for (std::size_t i = 0; i < n; ++i) {
                if (from_source[i] < m) all.add(i, from_source[i]);
            }
            for (std::size_t j = 0; j < m; ++j) {
                const std::size_t i = from_target[j];
                if (i < n && from_source[i] == j) {
                    matrix.add(i, j);
                    links.emplace_back(static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j));
                }
            }
            if (heuristic == Heuristic::union_) {
                matrix = all;
            } else if (heuristic != Heuristic::intersection) {
                grow(matrix, all, links, n, m);
            }
            const bool both = heuristic == Heuristic::grow_diag_final_and;
            if (both || heuristic == Heuristic::grow_diag_final) {
                const auto finish = [&](std::size_t i, std::size_t j) {
                    const bool source = matrix.source_linked(i), target = matrix.target_linked(j);
                    if (both ? !source && !target : !source || !target) matrix.add(i, j);
                };
                for (std::size_t j = 0; j < m; ++j) {
                    if (from_target[j] < n) finish(from_target[j], j);
                }
                for (std::size_t i = 0; i < n; ++i) {
                    if (from_source[i] < m) finish(i, from_source[i]);
                }
            }
            for (std::size_t i = 0; i < n; ++i) {
                if (!matrix.source_linked(i)) continue;
                for (std::size_t j = 0; j < m; ++j) {
                    if (!matrix.has(i, j)) continue;
                    result.pairs.push_back(static_cast<std::uint16_t>(i));
                    result.pairs.push_back(static_cast<std::uint16_t>(j));
                }
            }
        }
        result.starts.push_back(result.pairs.size() / 2);
    }
    return result;
}

}  // namespace meteor::bitext

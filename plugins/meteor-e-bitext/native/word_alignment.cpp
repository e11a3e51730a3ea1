#include "word_alignment.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "background.hpp"
#include "distortion.hpp"
#include "translation_table.hpp"

namespace meteor::bitext {

namespace {

// The number of parts of the target vocabulary. A thread works on one part at a time. Different parts use different
// entries of the translation table, so the sums do not depend on the number of threads.
constexpr std::size_t PARTS = 16;

// Sums over posterior probabilities, for the update of the tension.
struct DistanceSums {
    double distance = 0, links = 0;
};

class Model {
public:
    Model(const Corpus& source, const Corpus& target, std::size_t source_types, std::size_t target_types,
          const ModelOptions& options)
        : source_(source),
          target_(target),
          options_(options),
          is_used_(select_sentences(source, target, options.max_words)),
          table_(source_types, target_types),
          tension_(options.tension),
          size_counts_(count_sizes(source, target, is_used_)) {}

    [[nodiscard]] Completion build_table(const KeepGoing& keep_going) {
        return table_.build(source_, target_, is_used_, options_.threads, keep_going);
    }

    // Runs one iteration of expectation maximization.
    [[nodiscard]] Completion train(bool updates_tension, const KeepGoing& keep_going) {
        std::vector<DistanceSums> sums(PARTS);
        const auto count_part = [&](std::size_t part, const std::atomic<bool>& is_stopped) {
            visit_target_words(part, is_stopped, [&](const Posteriors& posteriors) { count(posteriors, sums[part]); });
        };
        const Completion completion = run_in_background(PARTS, options_.threads, count_part, keep_going);
        if (completion == Completion::interrupted) return completion;
        table_.estimate(options_.concentration, options_.threads);
        if (updates_tension) update_tension(sums);
        return completion;
    }

    // Fills `positions` with the best source position of each target word.
    [[nodiscard]] Completion align(std::uint16_t* positions, const KeepGoing& keep_going) {
        const auto align_part = [&](std::size_t part, const std::atomic<bool>& is_stopped) {
            visit_target_words(part, is_stopped, [&](const Posteriors& posteriors) {
                positions[posteriors.target_index] = posteriors.best_position();
            });
        };
        return run_in_background(PARTS, options_.threads, align_part, keep_going);
    }

    [[nodiscard]] double tension() const noexcept { return tension_; }

private:
    // The probabilities, up to a factor, that a target word is aligned with each source word and with the empty word,
    // which comes last.
    struct Posteriors {
        std::size_t target_index = 0;  // the index of the target word in the corpus
        std::size_t target_position = 0;
        SentenceSize size;
        double sum = 0;
        std::vector<double> values;
        std::vector<TranslationTable::Entry*> entries;

        [[nodiscard]] std::uint16_t best_position() const noexcept {
            const std::size_t n = size.first;
            double best = 0;
            std::uint16_t position = NOT_ALIGNED;
            for (std::size_t i = 0; i < n; ++i) {
                if (values[i] > best) {
                    best = values[i];
                    position = static_cast<std::uint16_t>(i);
                }
            }
            return values[n] >= best ? NOT_ALIGNED : position;
        }
    };

    [[nodiscard]] static std::vector<bool> select_sentences(const Corpus& source, const Corpus& target,
                                                            std::size_t max_words) {
        std::vector<bool> is_used(source.sentence_count());
        for (std::size_t s = 0; s < is_used.size(); ++s) {
            const std::size_t n = source.length(s), m = target.length(s);
            is_used[s] = n > 0 && m > 0 && n <= max_words && m <= max_words;
        }
        return is_used;
    }
    [[nodiscard]] static SizeCounts count_sizes(const Corpus& source, const Corpus& target,
                                                const std::vector<bool>& is_used) {
        std::map<SentenceSize, std::size_t> counts;
        for (std::size_t s = 0; s < is_used.size(); ++s) {
            if (is_used[s]) ++counts[{source.length(s), target.length(s)}];
        }
        return {counts.begin(), counts.end()};
    }

    // Calls `visit` with the posteriors of each target word of one part of the vocabulary, in all sentence pairs.
    template <class Visit>
    void visit_target_words(std::size_t part, const std::atomic<bool>& is_stopped, const Visit& visit) {
        std::vector<double> distortion(options_.max_words);
        std::vector<std::uint64_t> slots(options_.max_words + 1);
        Posteriors posteriors;
        posteriors.values.resize(options_.max_words + 1);
        posteriors.entries.resize(options_.max_words + 1);
        for (std::size_t s = 0; s < is_used_.size(); ++s) {
            if (!is_used_[s]) continue;
            if (is_stopped) return;
            const View<std::uint32_t> target_sentence = target_.sentence(s);
            posteriors.size = {source_.length(s), target_sentence.size()};
            for (std::size_t j = 0; j < target_sentence.size(); ++j) {
                if (target_sentence[j] % PARTS != part) continue;
                posteriors.target_index = target_.starts[s] + j;
                posteriors.target_position = j;
                compute_posteriors(source_.sentence(s), target_sentence[j], distortion.data(), slots.data(),
                                   posteriors);
                visit(posteriors);
            }
        }
    }

    void compute_posteriors(View<std::uint32_t> source_sentence, std::uint32_t target_word, double* distortion,
                            std::uint64_t* slots, Posteriors& posteriors) {
        const std::size_t n = source_sentence.size();
        for (std::size_t i = 0; i < n; ++i) slots[i] = table_.prefetch(source_sentence[i], target_word);
        slots[n] = table_.prefetch(table_.empty_word(), target_word);
        compute_distortion(posteriors.target_position, posteriors.size, tension_, 1 - options_.null_probability,
                           distortion);
        posteriors.sum = 0;
        for (std::size_t i = 0; i <= n; ++i) {
            const std::size_t source_word = i < n ? source_sentence[i] : table_.empty_word();
            const double prior = i < n ? distortion[i] : options_.null_probability;
            posteriors.entries[i] = &table_.find(source_word, target_word, slots[i]);
            posteriors.values[i] = prior * static_cast<double>(posteriors.entries[i]->probability);
            posteriors.sum += posteriors.values[i];
        }
    }

    static void count(const Posteriors& posteriors, DistanceSums& sums) noexcept {
        if (!(posteriors.sum > 0)) return;
        const std::size_t n = posteriors.size.first;
        for (std::size_t i = 0; i <= n; ++i) {
            const double posterior = posteriors.values[i] / posteriors.sum;
            posteriors.entries[i]->count += posterior;
            if (i < n) {
                sums.distance += posterior * diagonal_distance(i, posteriors.target_position, posteriors.size);
                sums.links += posterior;
            }
        }
    }

    // Moves the tension by gradient steps, so that the expected distance approaches the observed distance.
    void update_tension(const std::vector<DistanceSums>& sums) {
        constexpr int STEPS = 8;
        constexpr double STEP_SIZE = 20, MIN_TENSION = 0.1, MAX_TENSION = 14;
        double distance = 0, links = 0;
        for (const DistanceSums& part : sums) {
            distance += part.distance;
            links += part.links;
        }
        if (!(links > 0)) return;
        for (int step = 0; step < STEPS; ++step) {
            const double expected = expected_distance(size_counts_, tension_, options_.threads);
            tension_ += STEP_SIZE * (expected - distance / links);
            tension_ = std::min(MAX_TENSION, std::max(MIN_TENSION, tension_));
        }
    }

    const Corpus& source_;
    const Corpus& target_;
    const ModelOptions options_;
    const std::vector<bool> is_used_;  // whether each sentence pair is used
    TranslationTable table_;
    double tension_;
    const SizeCounts size_counts_;
};

}  // namespace

double align_words(const Corpus& source, const Corpus& target, std::size_t source_types, std::size_t target_types,
                   const ModelOptions& options, std::uint16_t* positions, const Progress& progress) {
    constexpr double INTERRUPTED = -1;
    std::fill(positions, positions + target.words.size(), NOT_ALIGNED);
    const std::size_t steps = options.iterations + 1;
    Model model(source, target, source_types, target_types, options);
    if (model.build_table([&] { return progress(0, steps); }) == Completion::interrupted) return INTERRUPTED;
    for (std::size_t iteration = 0; iteration < options.iterations; ++iteration) {
        const auto keep_going = [&] { return progress(iteration, steps); };
        // In the first iteration, the translations do not say anything about positions yet.
        const bool updates_tension = iteration > 0;
        if (!keep_going() || model.train(updates_tension, keep_going) == Completion::interrupted) return INTERRUPTED;
    }
    const auto keep_going = [&] { return progress(options.iterations, steps); };
    const bool is_complete = keep_going() && model.align(positions, keep_going) == Completion::complete;
    return is_complete ? model.tension() : INTERRUPTED;
}

}  // namespace meteor::bitext

#include "batch.hpp"

#include <algorithm>

#include "statistics.hpp"

namespace meteor {

// -- Segments

Completion Batch::read(const std::vector<Text>& texts, const Normalizer& normalizer, std::size_t threads,
                       const KeepGoing& keep_going) {
    threads = std::max<std::size_t>(1, threads);
    segments_.assign(texts.size(), Segment{});
    words_by_thread_.assign(threads, ReadWords{});
    auto& readers = thread_states_.readers;
    while (readers.size() < threads) readers.push_back(std::make_unique<Reader>(vocabulary_));
    std::vector<std::vector<std::size_t>> irregular_segments(threads);
    const auto read_segment = [&](std::size_t thread, std::size_t segment) {
        ReadWords& words = words_by_thread_[thread];
        const std::size_t start = words.types.size();
        const bool is_regular = readers[thread]->read(texts[segment], normalizer, words);
        if (!is_regular) irregular_segments[thread].push_back(segment);
        segments_[segment] = {thread, start, words.types.size() - start};
    };
    const Completion completion = for_each(texts.size(), threads, read_segment, keep_going);
    for (const auto& segments : irregular_segments) {
        irregular_segments_.insert(irregular_segments_.end(), segments.begin(), segments.end());
    }
    return completion;
}

void Batch::set_types(const std::vector<std::vector<std::uint32_t>>& segments) {
    words_by_thread_.assign(1, ReadWords{});
    segments_.clear();
    std::vector<std::uint32_t>& types = words_by_thread_[0].types;
    for (const auto& segment : segments) {
        segments_.push_back({0, types.size(), segment.size()});
        for (const std::uint32_t type : segment) {
            if (type >= vocabulary_.size()) throw std::invalid_argument("a word type is not in the vocabulary");
            types.push_back(type);
        }
    }
    hash_segments();
}

void Batch::set_words(std::size_t segment, const std::vector<std::u32string>& words) {
    if (segment >= segments_.size()) throw std::invalid_argument("the segment does not exist");
    NormalizedText text;
    for (const std::u32string& word : words) {
        text.words.emplace_back(text.characters.size(), word.size());
        text.characters += word;
    }
    segments_[segment] = {0, words_by_thread_[0].types.size(), words.size()};
    words_by_thread_[0].add(vocabulary_, text);
}

// Words are looked up in groups. While some words are looked up, the memory for other words is prefetched.
void Batch::intern_new_words() {
    constexpr std::size_t GROUP = 16;
    std::vector<View<char32_t>> forms;
    for (ReadWords& read : words_by_thread_) {
        for (std::size_t first = 0; first < read.new_words.size(); first += GROUP) {
            const std::size_t last = std::min(first + GROUP, read.new_words.size());
            forms.clear();
            for (std::size_t k = first; k < last; ++k) {
                const ReadWords::NewWord& word = read.new_words[k];
                read.types[word.type_index] = vocabulary_.find(read.form(word), word.hash);
                if (read.types[word.type_index] == StringTable::ABSENT) forms.push_back(read.form(word));
            }
            vocabulary_.prefetch(forms);
            for (std::size_t k = first; k < last; ++k) {
                const ReadWords::NewWord& word = read.new_words[k];
                std::uint32_t& type = read.types[word.type_index];
                if (type == StringTable::ABSENT) type = vocabulary_.find_or_insert(read.form(word), word.hash);
            }
        }
        read.new_words.clear();
    }
    hash_segments();
}

void Batch::hash_segments() {
    for (std::size_t k = 0; k < segments_.size(); ++k) {
        std::uint64_t hash = segments_[k].size;
        for (const std::uint32_t type : words(k)) hash = mix_bits(hash ^ type);
        segments_[k].hash = hash;
    }
}

Words Batch::words(std::size_t segment) const noexcept {
    const Segment& location = segments_[segment];
    return {words_by_thread_[location.thread].types.data() + location.start, location.size};
}

bool Batch::have_equal_words(std::size_t segment, std::size_t other) const {
    return std::ranges::equal(words(segment), words(other));
}

std::vector<std::size_t> Batch::find_sentences() {
    sentences_.clear();
    rows_.clear();
    HashIndex sentence_ids;
    for (std::size_t k = 0; k < segments_.size(); ++k) {
        segments_[k].sentence = NO_SENTENCE;
        if (!segments_[k].size) continue;
        const auto is_equal = [&](std::uint32_t sentence) { return have_equal_words(k, sentences_[sentence]); };
        const auto new_id = static_cast<std::uint32_t>(sentences_.size());
        segments_[k].sentence = sentence_ids.find_or_insert(segments_[k].hash, new_id, is_equal);
        if (segments_[k].sentence == new_id) sentences_.push_back(k);
    }
    return sentences_;
}

std::size_t Batch::count_matchers(Family family) const {
    return static_cast<std::size_t>(std::ranges::count(chain_.matchers, family, &Matcher::family));
}

void Batch::set_rows(std::size_t matcher, std::size_t sentence, View<std::int16_t> rows) {
    const std::size_t matchers = count_matchers(Family::contextual);
    if (matcher >= matchers || sentence >= sentences_.size()) {
        throw std::invalid_argument("the matcher or the sentence does not exist");
    }
    rows_.resize(matchers);
    rows_[matcher].resize(sentences_.size());
    SentenceRows new_rows(rows, segments_[sentences_[sentence]].size, chain_.limits.vector_grid);
    const auto has_rows = [](const SentenceRows& item) { return item.word_count() != 0; };
    const auto existing_rows = std::ranges::find_if(rows_[matcher], has_rows);
    if (existing_rows != rows_[matcher].end() && existing_rows->dimension() != new_rows.dimension()) {
        throw std::invalid_argument("vectors differ in dimension");
    }
    rows_[matcher][sentence] = std::move(new_rows);
}

const SentenceRows* Batch::rows(std::size_t matcher, std::size_t segment) const noexcept {
    const std::size_t sentence = segments_[segment].sentence;
    if (sentence == NO_SENTENCE || matcher >= rows_.size() || sentence >= rows_[matcher].size()) return nullptr;
    const SentenceRows& rows = rows_[matcher][sentence];
    return rows.word_count() ? &rows : nullptr;
}

// -- Pairs

void Batch::pair(std::vector<std::size_t> reference_starts) {
    bool is_valid = !reference_starts.empty() && reference_starts.front() == 0;
    for (std::size_t k = 1; is_valid && k < reference_starts.size(); ++k) {
        is_valid = reference_starts[k] > reference_starts[k - 1];
    }
    if (!is_valid || reference_starts.size() - 1 + reference_starts.back() != segments_.size()) {
        throw std::invalid_argument("hypotheses and references do not fit the segments");
    }
    reference_starts_ = std::move(reference_starts);
    find_originals();
}

bool Batch::have_equal_pairs(std::size_t hypothesis, std::size_t other) const {
    const std::size_t start = reference_starts_[hypothesis], other_start = reference_starts_[other];
    const std::size_t count = reference_starts_[hypothesis + 1] - start;
    if (count != reference_starts_[other + 1] - other_start || !have_equal_words(hypothesis, other)) return false;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t first_segment = hypothesis_count() + k;
        if (!have_equal_words(first_segment + start, first_segment + other_start)) return false;
    }
    return true;
}

void Batch::find_originals() {
    const std::size_t count = hypothesis_count();
    originals_.resize(count);
    HashIndex hypotheses;
    for (std::size_t k = 0; k < count; ++k) {
        std::uint64_t hash = segments_[k].hash;
        for (std::size_t reference = reference_starts_[k]; reference < reference_starts_[k + 1]; ++reference) {
            hash = mix_bits(hash ^ mix_bits(segments_[count + reference].hash));
        }
        const auto is_equal = [&](std::uint32_t hypothesis) { return have_equal_pairs(k, hypothesis); };
        originals_[k] = hypotheses.find_or_insert(hash, static_cast<std::uint32_t>(k), is_equal);
    }
}

void Batch::propose(std::size_t reference, std::size_t matcher, std::vector<Proposal> proposals) {
    const std::size_t matchers = count_matchers(Family::proposals);
    if (matcher >= matchers || reference >= reference_starts_.back()) {
        throw std::invalid_argument("the matcher or the reference does not exist");
    }
    auto& lists = proposals_[reference];
    lists.resize(matchers);
    lists[matcher] = std::move(proposals);
}

std::vector<std::unique_ptr<ThreadState>>& Batch::prepare_threads(std::size_t threads) {
    if (!vocabulary_.is_complete()) throw std::invalid_argument("word types lack features");
    auto& states = thread_states_.states;
    while (states.size() < threads) states.push_back(std::make_unique<ThreadState>(chain_, vocabulary_));
    for (const auto& state : states) {
        state->statistics.resize(statistics_width(chain_));
        state->scores.resize(scores_width());
    }
    return states;
}

Completion Batch::score(const BatchOptions& options, const KeepGoing& keep_going, const BatchResults& results) {
    const std::size_t count = hypothesis_count();
    const std::size_t threads = std::max<std::size_t>(1, options.threads);
    auto& states = prepare_threads(threads);
    outcomes_.assign(count, Outcome{});
    failed_references_.assign(count, 0);
    alignments_.assign(options.keep_alignments ? count : 0, {});
    const auto score_original = [&](std::size_t thread, std::size_t hypothesis) {
        if (originals_[hypothesis] == hypothesis) score_hypothesis(*states[thread], hypothesis, options, results);
    };
    const Completion completion = for_each(count, threads, score_original, keep_going);
    if (completion == Completion::interrupted) return completion;
    copy_repeated_results(results);
    sum_statistics(results);
    return completion;
}

BatchResults Batch::row_of(const BatchResults& results, std::size_t hypothesis) const noexcept {
    return {results.statistics + hypothesis * statistics_width(chain_), results.scores + hypothesis * scores_width(),
            results.best_references + hypothesis};
}

void Batch::copy_repeated_results(const BatchResults& results) {
    for (std::size_t k = 0; k < hypothesis_count(); ++k) {
        if (originals_[k] == k) continue;
        const BatchResults original = row_of(results, originals_[k]), row = row_of(results, k);
        std::copy_n(original.statistics, statistics_width(chain_), row.statistics);
        std::copy_n(original.scores, scores_width(), row.scores);
        *row.best_references = *original.best_references;
    }
}

// Sums the statistics of all hypotheses, and lists the hypotheses that could not be aligned.
void Batch::sum_statistics(const BatchResults& results) {
    const std::size_t count = hypothesis_count();
    failed_pairs_.clear();
    total_.assign(statistics_width(chain_), 0);
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t original = originals_[k];
        if (outcomes_[original].has_failed()) {
            const std::size_t reference = count + reference_starts_[original] + failed_references_[original];
            failed_pairs_.push_back({k, words(k).size(), words(reference).size(), outcomes_[original]});
        } else {
            add_to_total(chain_, row_of(results, k).statistics, total_);
        }
    }
}

void Batch::score_hypothesis(ThreadState& state, std::size_t hypothesis, const BatchOptions& options,
                             const BatchResults& results) {
    const BatchResults best = row_of(results, hypothesis);
    const std::size_t first = reference_starts_[hypothesis], last = reference_starts_[hypothesis + 1];
    double best_score = -1;
    *best.best_references = 0;
    for (std::size_t reference = first; reference < last; ++reference) {
        const std::size_t reference_segment = hypothesis_count() + reference;
        const auto proposals = proposals_.find(reference);
        const Outcome outcome =
            align(state, hypothesis, reference_segment, proposals == proposals_.end() ? nullptr : &proposals->second,
                  options.maximum_accuracy);
        if (outcome.has_failed()) return fail_hypothesis(state, hypothesis, reference - first, outcome, best);
        count_statistics(chain_, vocabulary_, words(hypothesis), words(reference_segment), state.alignment,
                         state.statistics.data());
        const double score = compute_scores(chain_, state.statistics.data(), state.scores.data());
        if (score <= best_score) continue;
        best_score = score;
        std::ranges::copy(state.statistics, best.statistics);
        std::ranges::copy(state.scores, best.scores);
        *best.best_references = static_cast<std::int32_t>(reference - first);
        if (options.keep_alignments) alignments_[hypothesis] = state.alignment;
    }
}

// Sets the results of a hypothesis that could not be aligned with one of its references.
void Batch::fail_hypothesis(ThreadState& state, std::size_t hypothesis, std::size_t reference, const Outcome& outcome,
                            const BatchResults& row) {
    outcomes_[hypothesis] = outcome;
    failed_references_[hypothesis] = reference;
    *row.best_references = 0;
    state.alignment.clear();
    if (!alignments_.empty()) alignments_[hypothesis].clear();  // of an earlier reference
    const std::size_t first_reference_segment = hypothesis_count() + reference_starts_[hypothesis];
    count_statistics(chain_, vocabulary_, words(hypothesis), words(first_reference_segment), state.alignment,
                     row.statistics);
    compute_scores(chain_, row.statistics, row.scores);
}

Outcome Batch::align(ThreadState& state, std::size_t hypothesis_segment, std::size_t reference_segment,
                     const std::vector<std::vector<Proposal>>* proposals, bool maximum_accuracy) const {
    PairFeatures& features = state.features;
    features.proposals = proposals;
    features.hypothesis_rows.clear();
    features.reference_rows.clear();
    for (const Matcher& matcher : chain_.matchers) {
        if (matcher.family != Family::contextual) continue;
        features.hypothesis_rows.push_back(rows(matcher.column, hypothesis_segment));
        features.reference_rows.push_back(rows(matcher.column, reference_segment));
    }
    // References usually follow each other.
    const ReferenceCache& cache = state.aligner.reference_cache();
    for (std::size_t ahead = 1; ahead <= ReferenceCache::MAX_PAIRS_AHEAD; ++ahead) {
        const std::size_t segment = reference_segment + ahead;
        if (segment < segments_.size()) cache.prefetch(segments_[segment].hash, ahead);
    }
    return state.aligner.align(words(hypothesis_segment), words(reference_segment), hash(reference_segment), features,
                               maximum_accuracy, state.alignment);
}

}  // namespace meteor

#include "batch.hpp"

#include <algorithm>

namespace meteor {

bool Batch::read(const std::vector<Text>& texts, const Normalizer& normalizer, std::size_t threads, const GoOn& go_on) {
    threads = std::max<std::size_t>(1, threads);
    segments_.assign(texts.size(), Segment{});
    read_.assign(threads, ReadWords{});
    auto& readers = workshop_.readers;
    while (readers.size() < threads) readers.push_back(std::make_unique<Reader>(vocabulary_));
    std::vector<std::vector<std::size_t>> irregular(threads);
    const auto work = [&](std::size_t thread, std::size_t segment) {
        std::vector<std::uint32_t>& types = read_[thread].types;
        const std::size_t start = types.size();
        if (!readers[thread]->read(texts[segment], normalizer, read_[thread])) irregular[thread].push_back(segment);
        segments_[segment] = {thread, start, types.size() - start};
    };
    const bool done = for_each(texts.size(), threads, work, go_on);
    for (const auto& some : irregular) irregular_.insert(irregular_.end(), some.begin(), some.end());
    return done;
}

void Batch::take_types(std::vector<std::vector<std::uint32_t>> segments) {
    read_.assign(1, ReadWords{});
    segments_.clear();
    std::vector<std::uint32_t>& types = read_[0].types;
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
    if (segment >= segments_.size()) throw std::invalid_argument("there is no such segment");
    NormalizedText text;
    for (const std::u32string& word : words) {
        text.words.emplace_back(text.characters.size(), word.size());
        text.characters += word;
    }
    segments_[segment] = {0, read_[0].types.size(), words.size()};
    read_[0].add(vocabulary_, text);
}

void Batch::intern_new_words() {
    constexpr std::size_t SIDE_BY_SIDE = 16;
    std::vector<View<char32_t>> forms;
    for (ReadWords& read : read_) {
        for (std::size_t first = 0; first < read.new_words.size(); first += SIDE_BY_SIDE) {
            const std::size_t last = std::min(first + SIDE_BY_SIDE, read.new_words.size());
            forms.clear();
            for (std::size_t k = first; k < last; ++k) {
                const auto& [place, offset, size, hash] = read.new_words[k];
                const View<char32_t> form(read.characters.data() + offset, size);
                read.types[place] = vocabulary_.find(form, hash);
                if (read.types[place] == StringTable::ABSENT) forms.push_back(form);
            }
            vocabulary_.fetch(forms);
            for (std::size_t k = first; k < last; ++k) {
                const auto& [place, offset, size, hash] = read.new_words[k];
                if (read.types[place] != StringTable::ABSENT) continue;
                read.types[place] = vocabulary_.intern({read.characters.data() + offset, size}, hash);
            }
        }
        read.new_words.clear();
    }
    hash_segments();
}

void Batch::hash_segments() {
    for (std::size_t k = 0; k < segments_.size(); ++k) {
        std::uint64_t hash = segments_[k].size;
        for (const std::uint32_t type : words(k)) hash = mix(hash ^ type);
        segments_[k].hash = hash;
    }
}

Words Batch::words(std::size_t segment) const {
    const Segment& found = segments_[segment];
    return {read_[found.thread].types.data() + found.start, found.size};
}

void Batch::pair(std::vector<std::size_t> reference_starts) {
    bool fits = !reference_starts.empty() && reference_starts.front() == 0;
    for (std::size_t k = 1; fits && k < reference_starts.size(); ++k) {
        fits = reference_starts[k] > reference_starts[k - 1];
    }
    if (!fits || reference_starts.size() - 1 + reference_starts.back() != segments_.size()) {
        throw std::invalid_argument("hypotheses and references do not fit the segments");
    }
    reference_starts_ = std::move(reference_starts);
    find_repetitions();
}

bool Batch::equal(std::size_t segment, std::size_t other) const {
    return std::ranges::equal(words(segment), words(other));
}

std::vector<std::size_t> Batch::number_sentences() {
    sentences_.clear();
    rows_.clear();
    HashedNumbers numbers;
    for (std::size_t k = 0; k < segments_.size(); ++k) {
        segments_[k].sentence = NO_SENTENCE;
        if (!segments_[k].size) continue;
        const auto same = [&](std::uint32_t number) { return equal(k, sentences_[number]); };
        const auto next = static_cast<std::uint32_t>(sentences_.size());
        segments_[k].sentence = numbers.insert(segments_[k].hash, next, same);
        if (segments_[k].sentence == next) sentences_.push_back(k);
    }
    return sentences_;
}

std::size_t Batch::matchers_of(Family family) const {
    return static_cast<std::size_t>(std::ranges::count(chain_.matchers, family, &Matcher::family));
}

void Batch::give_rows(std::size_t matcher, std::size_t sentence, View<std::int16_t> rows) {
    const std::size_t matchers = matchers_of(Family::contextual);
    if (matcher >= matchers || sentence >= sentences_.size()) {
        throw std::invalid_argument("there is no such matcher or sentence");
    }
    rows_.resize(matchers);
    rows_[matcher].resize(sentences_.size());
    SentenceRows made(rows, segments_[sentences_[sentence]].size, chain_.limits.vector_grid);
    for (const SentenceRows& other : rows_[matcher]) {
        if (!other.words()) continue;
        if (other.dimension() != made.dimension()) throw std::invalid_argument("vectors differ in dimension");
        break;
    }
    rows_[matcher][sentence] = std::move(made);
}

const SentenceRows* Batch::rows(std::size_t matcher, std::size_t segment) const {
    const std::size_t sentence = segments_[segment].sentence;
    if (sentence == NO_SENTENCE || matcher >= rows_.size() || sentence >= rows_[matcher].size()) return nullptr;
    const SentenceRows& found = rows_[matcher][sentence];
    return found.words() ? &found : nullptr;
}

bool Batch::same(std::size_t hypothesis, std::size_t other) const {
    const std::size_t references = reference_starts_[hypothesis + 1] - reference_starts_[hypothesis];
    if (references != reference_starts_[other + 1] - reference_starts_[other]) return false;
    if (!equal(hypothesis, other)) return false;
    for (std::size_t k = 0; k < references; ++k) {
        if (!equal(hypotheses() + reference_starts_[hypothesis] + k, hypotheses() + reference_starts_[other] + k)) {
            return false;
        }
    }
    return true;
}

void Batch::find_repetitions() {
    const std::size_t count = hypotheses();
    originals_.resize(count);
    HashedNumbers numbers;
    for (std::size_t k = 0; k < count; ++k) {
        std::uint64_t hash = segments_[k].hash;
        for (std::size_t r = reference_starts_[k]; r < reference_starts_[k + 1]; ++r) {
            hash = mix(hash ^ mix(segments_[count + r].hash));
        }
        const auto same_as = [&](std::uint32_t number) { return same(k, number); };
        originals_[k] = numbers.insert(hash, static_cast<std::uint32_t>(k), same_as);
    }
}

void Batch::propose(std::size_t reference, std::size_t matcher, std::vector<Proposal> proposals) {
    const std::size_t matchers = matchers_of(Family::proposals);
    if (matcher >= matchers || reference >= reference_starts_.back()) {
        throw std::invalid_argument("there is no such matcher or reference");
    }
    auto& lists = proposals_[reference];
    lists.resize(matchers);
    lists[matcher] = std::move(proposals);
}

void Batch::prepare(std::size_t threads) {
    if (!vocabulary_.complete()) throw std::invalid_argument("word types lack features");
    auto& aligners = workshop_.aligners;
    while (aligners.size() < threads) aligners.push_back(std::make_unique<Aligner>(chain_, vocabulary_));
    for (const auto& aligner : aligners) {
        aligner->row.resize(statistics_width(chain_));
        aligner->scores.resize(scores_width());
    }
}

bool Batch::score(const BatchOptions& options, const GoOn& go_on, std::int64_t* statistics, double* scores,
                  std::int32_t* best_references) {
    const std::size_t count = hypotheses(), width = statistics_width(chain_), parts = scores_width();
    const std::size_t threads = std::max<std::size_t>(1, options.threads);
    prepare(threads);
    auto& aligners = workshop_.aligners;
    outcomes_.assign(count, Outcome{});
    failed_references_.assign(count, 0);
    alignments_.assign(options.keep_alignments ? count : 0, {});
    failures_.clear();
    total_.assign(width, 0);
    const auto work = [&](std::size_t worker, std::size_t k) {
        if (originals_[k] != k) return;
        score_hypothesis(*aligners[worker], k, options, statistics + k * width, scores + k * parts,
                         best_references + k);
    };
    if (!for_each(count, threads, work, go_on)) return false;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t original = originals_[k];
        if (original != k) {
            std::copy_n(statistics + original * width, width, statistics + k * width);
            std::copy_n(scores + original * parts, parts, scores + k * parts);
            best_references[k] = best_references[original];
        }
        if (outcomes_[original].problem != Problem::none) {
            const std::size_t reference = count + reference_starts_[original] + failed_references_[original];
            failures_.push_back({k, words(k).size(), words(reference).size(), outcomes_[original]});
        } else {
            add_row(chain_, statistics + k * width, total_);
        }
    }
    return true;
}

void Batch::score_hypothesis(Aligner& aligner, std::size_t hypothesis, const BatchOptions& options,
                             std::int64_t* statistics, double* scores, std::int32_t* best_reference) {
    const std::size_t width = statistics_width(chain_), parts = scores_width();
    const std::size_t first = reference_starts_[hypothesis], last = reference_starts_[hypothesis + 1];
    double best = -1;
    *best_reference = 0;
    for (std::size_t reference = first; reference < last; ++reference) {
        const auto proposals = proposals_.find(reference);
        const Outcome outcome =
            align(aligner, hypothesis, hypotheses() + reference,
                  proposals == proposals_.end() ? nullptr : &proposals->second, options.maximum_accuracy);
        if (outcome.problem != Problem::none) {
            outcomes_[hypothesis] = outcome;
            failed_references_[hypothesis] = reference - first;
            *best_reference = 0;
            aligner.matches.clear();
            count_statistics(chain_, vocabulary_, words(hypothesis), words(hypotheses() + first), aligner.matches,
                             statistics);
            compute_scores(chain_, statistics, scores);
            return;
        }
        count_statistics(chain_, vocabulary_, words(hypothesis), words(hypotheses() + reference), aligner.matches,
                         aligner.row.data());
        const double score = compute_scores(chain_, aligner.row.data(), aligner.scores.data());
        if (score <= best) continue;
        best = score;
        std::copy_n(aligner.row.data(), width, statistics);
        std::copy_n(aligner.scores.data(), parts, scores);
        *best_reference = static_cast<std::int32_t>(reference - first);
        if (options.keep_alignments) alignments_[hypothesis] = aligner.matches;
    }
}

Outcome Batch::align(Aligner& aligner, std::size_t hypothesis, std::size_t reference,
                     const std::vector<std::vector<Proposal>>* proposals, bool maximum_accuracy) {
    const Words hypothesis_words = words(hypothesis), reference_words = words(reference);
    aligner.matches.clear();
    PairFeatures& features = aligner.features;
    features.proposals = proposals;
    features.hypothesis_rows.clear();
    features.reference_rows.clear();
    for (const Matcher& matcher : chain_.matchers) {
        if (matcher.family != Family::contextual) continue;
        features.hypothesis_rows.push_back(rows(matcher.column, hypothesis));
        features.reference_rows.push_back(rows(matcher.column, reference));
    }
    for (std::size_t steps = 1; steps <= Candidates::EXPECTED && reference + steps < segments_.size(); ++steps) {
        aligner.candidates.expect(segments_[reference + steps].hash, steps);
    }
    Outcome outcome =
        aligner.candidates.collect(hypothesis_words, reference_words, segments_[reference].hash, features);
    if (outcome.problem == Problem::none &&
        !aligner.search.run(aligner.candidates, hypothesis_words.size(),
                            {chain_.beam, chain_.limits.max_paths, maximum_accuracy}, aligner.matches)) {
        outcome.problem = Problem::too_many_paths;
    }
    return outcome;
}

}  // namespace meteor

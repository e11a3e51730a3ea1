#include "phrase_matcher.hpp"

#include <algorithm>
#include <utility>

namespace meteor {

PhraseMatcher::TableState& PhraseMatcher::table_state(std::size_t column) {
    if (table_states_.size() <= column) table_states_.resize(column + 1);
    return table_states_[column];
}

void PhraseMatcher::find_phrases(const Matcher& matcher, Words segment, std::vector<PhraseHit>& hits) {
    phrase_words_.resize(segment.size());
    for (std::size_t k = 0; k < segment.size(); ++k) {
        phrase_words_[k] = vocabulary_.phrase_word(matcher.column, segment[k]);
    }
    matcher.phrases->find(phrase_words_, table_state(matcher.column).steps, hits);
}

const std::vector<PhraseHit>& PhraseMatcher::phrases_of_hypothesis(const Matcher& matcher, Words hypothesis) {
    TableState& state = table_state(matcher.column);
    if (!std::ranges::equal(hypothesis, state.hypothesis)) {
        find_phrases(matcher, hypothesis, state.hypothesis_hits);
        state.hypothesis.assign(hypothesis.begin(), hypothesis.end());
    }
    return state.hypothesis_hits;
}

void PhraseMatcher::load_reference(const Matcher& matcher, ReferenceFeatures& reference, std::vector<PhraseHit> hits) {
    if (reference.phrases.size() <= matcher.column) reference.phrases.resize(matcher.column + 1);
    ReferencePhrases& phrases = reference.phrases[matcher.column];
    const PhraseIndex& index = *matcher.phrases;
    phrases.hits = std::move(hits);
    const auto hit_count = static_cast<std::uint32_t>(phrases.hits.size());
    phrases.next_hit.assign(hit_count, NONE);
    for (std::uint32_t hit = hit_count; hit-- > 0;) {
        const std::uint32_t node_id = phrases.nodes.find_or_insert(phrases.hits[hit].node);
        if (node_id == phrases.first_hit.size()) phrases.first_hit.push_back(NONE);
        phrases.next_hit[hit] = phrases.first_hit[node_id];
        phrases.first_hit[node_id] = hit;
        index.prefetch_entries(phrases.hits[hit].node);
    }
    phrases.paraphrase_starts.assign(1, 0);
    for (const PhraseHit& hit : phrases.hits) {
        const Words paraphrases = index.paraphrases(hit.node);
        phrases.paraphrases.insert(phrases.paraphrases.end(), paraphrases.begin(), paraphrases.end());
        phrases.paraphrase_starts.push_back(static_cast<std::uint32_t>(phrases.paraphrases.size()));
    }
    phrases.is_loaded = true;
    reference.size_in_bytes += 64 * phrases.hits.size() + sizeof(std::uint32_t) * phrases.paraphrases.size();
}

// Finds the phrases of the reference that match new phrases of the hypothesis.
void PhraseMatcher::relate_new_phrases(const PhraseIndex& index, ReferencePhrases& phrases) {
    for (const std::uint32_t node : new_nodes_) index.prefetch_entries(node);
    related_phrases_.clear();
    look_up_reference_phrases(phrases);
    look_up_new_phrases(index, phrases);
    phrases.related_phrases.add_results(related_phrases_);
}

void PhraseMatcher::look_up_reference_phrases(const ReferencePhrases& phrases) {
    node_filter_.clear();
    for (const std::uint32_t node : new_nodes_) node_filter_.add(node);
    for (std::uint32_t hit = 0; hit < phrases.hits.size(); ++hit) {
        const std::uint32_t start = phrases.paraphrase_starts[hit], end = phrases.paraphrase_starts[hit + 1];
        for (std::uint32_t k = start; k < end; ++k) {
            if (!node_filter_.may_contain(phrases.paraphrases[k])) continue;
            const std::uint32_t key_index = phrases.related_phrases.new_key_index(phrases.paraphrases[k]);
            if (key_index == IdMap::ABSENT) continue;
            related_phrases_.push_back({key_index, {hit, k - start, true}});
        }
    }
}

void PhraseMatcher::look_up_new_phrases(const PhraseIndex& index, const ReferencePhrases& phrases) {
    node_filter_.clear();
    for (const PhraseHit& hit : phrases.hits) node_filter_.add(hit.node);
    for (std::uint32_t key_index = 0; key_index < new_nodes_.size(); ++key_index) {
        const Words paraphrases = index.paraphrases(new_nodes_[key_index]);
        for (std::uint32_t entry = 0; entry < paraphrases.size(); ++entry) {
            if (!node_filter_.may_contain(paraphrases[entry])) continue;
            const std::uint32_t node_id = phrases.nodes.find(paraphrases[entry]);
            if (node_id == IdMap::ABSENT) continue;
            for (std::uint32_t hit = phrases.first_hit[node_id]; hit != NONE; hit = phrases.next_hit[hit]) {
                related_phrases_.push_back({key_index, {hit, entry, false}});
            }
        }
    }
}

// The order of candidates is that of the Python engine: first the phrases of the reference are looked up, and then the
// phrases of the hypothesis. The paraphrases of a phrase have the order of the table.
Failure PhraseMatcher::add_candidates(const Matcher& matcher, std::uint32_t matcher_index, ReferenceFeatures& reference,
                                      Words hypothesis, CandidateSet& candidates) {
    if (reference.phrases.size() <= matcher.column || !reference.phrases[matcher.column].is_loaded) {
        std::vector<PhraseHit> hits;
        find_phrases(matcher, reference.words, hits);
        load_reference(matcher, reference, std::move(hits));
    }
    ReferencePhrases& phrases = reference.phrases[matcher.column];
    const std::vector<PhraseHit>& hypothesis_hits = phrases_of_hypothesis(matcher, hypothesis);
    if (phrases.hits.empty() || hypothesis_hits.empty()) return Failure::none;
    phrases.related_phrases.assign_rows(
        hypothesis_hits, [](const PhraseHit& hit) { return hit.node; }, rows_, new_nodes_);
    if (!new_nodes_.empty()) {
        relate_new_phrases(*matcher.phrases, phrases);
        reference.size_in_bytes += 24 * new_nodes_.size() + sizeof(RelatedPhrase) * related_phrases_.size();
    }
    from_reference_.clear();
    from_hypothesis_.clear();
    for (std::uint32_t hit = 0; hit < hypothesis_hits.size(); ++hit) {
        for (const RelatedPhrase& related : phrases.related_phrases.row(rows_[hit])) {
            if (related.is_reference_looked_up) {
                from_reference_.push_back({related.hit, related.entry, hit});
            } else {
                from_hypothesis_.push_back({hit, related.entry, related.hit});
            }
        }
        if (!candidates.has_capacity_for(from_reference_.size() + from_hypothesis_.size())) {
            return Failure::too_many_candidates;
        }
    }
    std::sort(from_reference_.begin(), from_reference_.end());
    std::sort(from_hypothesis_.begin(), from_hypothesis_.end());
    const auto add = [&](const PhraseHit& reference_hit, const PhraseHit& hypothesis_hit) {
        candidates.add({reference_hit.start, reference_hit.length, hypothesis_hit.start, hypothesis_hit.length,
                        matcher_index, 1.0});
        return candidates.has_capacity();
    };
    for (const PhrasePair& pair : from_reference_) {
        if (!add(phrases.hits[pair.phrase_hit], hypothesis_hits[pair.paraphrase_hit])) {
            return Failure::too_many_candidates;
        }
    }
    for (const PhrasePair& pair : from_hypothesis_) {
        if (!add(phrases.hits[pair.paraphrase_hit], hypothesis_hits[pair.phrase_hit])) {
            return Failure::too_many_candidates;
        }
    }
    return Failure::none;
}

}  // namespace meteor

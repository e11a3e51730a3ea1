// Candidates of phrases that a table pairs.
#include "candidates.hpp"

#include <algorithm>

namespace meteor {

void Candidates::find_phrases(const PhraseIndex& index, std::size_t column, Words words, std::vector<PhraseHit>& hits) {
    phrase_words_.resize(words.size());
    for (std::size_t k = 0; k < words.size(); ++k) phrase_words_[k] = vocabulary_.phrase_word(column, words[k]);
    index.find(phrase_words_, steps_[column], hits);
}

// Makes the tables of a reference's phrases.
void Candidates::find_side(const PhraseIndex& index, PhraseSide& side) {
    const auto size = static_cast<std::uint32_t>(side.hits.size());
    side.next.assign(size, NONE);
    for (std::uint32_t hit = size; hit-- > 0;) {
        const std::uint32_t number = side.nodes.number(side.hits[hit].node);
        if (number == side.first.size()) side.first.push_back(NONE);
        side.next[hit] = side.first[number];
        side.first[number] = hit;
        index.prefetch_entries(side.hits[hit].node);
    }
    side.starts.assign(1, 0);
    for (const PhraseHit& hit : side.hits) {
        const Words others = index.paraphrases(hit.node);
        side.others.insert(side.others.end(), others.begin(), others.end());
        side.starts.push_back(static_cast<std::uint32_t>(side.others.size()));
    }
    side.found = true;
}

// Finds out which phrases of the reference match those of a hypothesis, as far as it is not known.
void Candidates::relate_phrases(const PhraseIndex& index, KnownSegment& known, PhraseSide& side,
                                const std::vector<PhraseHit>& hits) {
    side.answers.ask(hits, [](const PhraseHit& hit) { return hit.node; }, phrase_numbers_, new_phrases_);
    for (const std::uint32_t node : new_phrases_) index.prefetch_entries(node);
    if (new_phrases_.empty()) return;
    related_phrases_.clear();
    filter_.clear();
    for (const std::uint32_t node : new_phrases_) filter_.add(node);
    for (std::uint32_t hit = 0; hit < side.hits.size(); ++hit) {
        for (std::uint32_t at = side.starts[hit]; at < side.starts[hit + 1]; ++at) {
            if (!filter_.may_hold(side.others[at])) continue;
            const std::uint32_t phrase = side.answers.place(side.others[at]);
            if (phrase == NumberMap::ABSENT) continue;
            related_phrases_.push_back({phrase, {hit, at - side.starts[hit], true}});
        }
    }
    filter_.clear();
    for (const PhraseHit& hit : side.hits) filter_.add(hit.node);
    for (std::uint32_t phrase = 0; phrase < new_phrases_.size(); ++phrase) {
        const Words others = index.paraphrases(new_phrases_[phrase]);
        for (std::uint32_t place = 0; place < others.size(); ++place) {
            if (!filter_.may_hold(others[place])) continue;
            const std::uint32_t number = side.nodes.find(others[place]);
            if (number == NumberMap::ABSENT) continue;
            for (std::uint32_t hit = side.first[number]; hit != NONE; hit = side.next[hit]) {
                related_phrases_.push_back({phrase, {hit, place, false}});
            }
        }
    }
    side.answers.add(related_phrases_);
    charge(known, 24 * new_phrases_.size() + sizeof(RelatedPhrase) * related_phrases_.size());
}

// For each phrase of the reference, then of the hypothesis, the phrases of the other side that the table pairs with it.
bool Candidates::match_phrases(const PhraseIndex& index, std::size_t column, KnownSegment& known, Words hypothesis,
                               Words reference) {
    if (last_.size() <= column) {
        last_.resize(column + 1);
        steps_.resize(column + 1);
    }
    if (known.phrases.size() <= column) known.phrases.resize(column + 1);
    PhraseSide& side = known.phrases[column];
    if (!side.found) {
        if (shared_) side.hits.swap(list_phrases_[column]);
        if (!shared_) find_phrases(index, column, reference, side.hits);
        find_side(index, side);
        charge(known, 64 * side.hits.size() + 4 * side.others.size());
    }
    LastHypothesis& last = last_[column];
    const std::uint64_t generation = vocabulary_.generation() + 1;
    if (last.generation != generation || !std::ranges::equal(hypothesis, last.words)) {
        find_phrases(index, column, hypothesis, last.hits);
        last.words.assign(hypothesis.begin(), hypothesis.end());
        last.generation = generation;
    }
    const std::vector<PhraseHit>& hits = last.hits;
    if (side.hits.empty() || hits.empty()) return true;
    relate_phrases(index, known, side, hits);
    from_reference_.clear();
    from_hypothesis_.clear();
    for (std::uint32_t hit = 0; hit < hits.size(); ++hit) {
        for (const RelatedPhrase& related : side.answers.row(phrase_numbers_[hit])) {
            if (related.of_reference) {
                from_reference_.push_back({related.hit, related.place, hit});
            } else {
                from_hypothesis_.push_back({hit, related.place, related.hit});
            }
        }
        if (from_reference_.size() + from_hypothesis_.size() > room_) return false;
    }
    std::sort(from_reference_.begin(), from_reference_.end());
    std::sort(from_hypothesis_.begin(), from_hypothesis_.end());
    for (const PhrasePair& pair : from_reference_) {
        const PhraseHit &phrase = side.hits[pair.from], &match = hits[pair.to];
        if (!add(phrase.start, phrase.length, match.start, match.length)) return false;
    }
    for (const PhrasePair& pair : from_hypothesis_) {
        const PhraseHit &phrase = hits[pair.from], &match = side.hits[pair.to];
        if (!add(match.start, match.length, phrase.start, phrase.length)) return false;
    }
    return true;
}

}  // namespace meteor

#include "candidates.hpp"

#include <algorithm>

namespace meteor {

Outcome Candidates::collect(Words hypothesis, Words reference, const PairFeatures& features) {
    proposed_.clear();
    reference_cover_.assign(reference.size, 0);
    hypothesis_cover_.assign(hypothesis.size, 0);
    const auto same = [this](std::uint32_t type, std::uint32_t other) {
        return type == other ||
               (chain_.identity == Identity::java && vocabulary_.identity(type) == vocabulary_.identity(other));
    };
    const bool equal =
        hypothesis.size == reference.size && std::equal(hypothesis.begin(), hypothesis.end(), reference.begin(), same);
    const std::size_t asked = equal ? std::min<std::size_t>(1, chain_.matchers.size()) : chain_.matchers.size();
    Outcome outcome;
    bool room = true;
    for (matcher_ = 0; matcher_ < asked && room; ++matcher_) {
        const Matcher& matcher = chain_.matchers[matcher_];
        switch (matcher.family) {
            case Family::exact:
                room = match_exact(hypothesis, reference);
                break;
            case Family::keys:
            case Family::strings:
            case Family::synonyms:
                room = match_keys(vocabulary_.keys(matcher.column), matcher.match_equal_words, hypothesis, reference);
                break;
            case Family::similarity:
                room = match_vectors(vocabulary_.vectors(matcher.column), matcher, hypothesis, reference);
                break;
            case Family::contextual: {
                if (!hypothesis.size || !reference.size) break;
                const SentenceRows* rows = features.hypothesis_rows[matcher.column];
                const SentenceRows* others = features.reference_rows[matcher.column];
                if (!rows || !others) {
                    outcome.problem = Problem::without_vectors;
                    outcome.matcher = matcher_;
                    return outcome;
                }
                room = match_rows(*rows, *others, matcher, hypothesis, reference);
                break;
            }
            case Family::phrases:
                room = match_phrases(*matcher.phrases, matcher.column, hypothesis, reference);
                break;
            case Family::proposals:
                if (!features.proposals) break;
                room = match_proposals((*features.proposals)[matcher.column], hypothesis, reference, outcome);
                if (outcome.problem != Problem::none) return outcome;
                break;
        }
    }
    if (!room) {
        outcome.problem = Problem::too_many_candidates;
        return outcome;
    }
    sort_by_reference();
    fix();
    return outcome;
}

inline bool Candidates::add(std::uint32_t j, std::uint32_t reference_length, std::uint32_t i,
                            std::uint32_t hypothesis_length, double probability) {
    for (std::uint32_t word = j; word < j + reference_length; ++word) ++reference_cover_[word];
    for (std::uint32_t word = i; word < i + hypothesis_length; ++word) ++hypothesis_cover_[word];
    proposed_.push_back({j, reference_length, i, hypothesis_length, matcher_, probability});
    return proposed_.size() <= chain_.max_candidates;
}

inline bool Candidates::add_word_pair(std::uint32_t j, std::uint32_t i, double probability) {
    ++reference_cover_[j];
    ++hypothesis_cover_[i];
    proposed_.push_back({j, 1, i, 1, matcher_, probability});
    return proposed_.size() <= chain_.max_candidates;
}

bool Candidates::match_exact(Words hypothesis, Words reference) {
    if (heads_.size() < vocabulary_.identity_count()) heads_.resize(vocabulary_.identity_count(), NONE);
    entries_.resize(hypothesis.size);
    for (std::uint32_t i = static_cast<std::uint32_t>(hypothesis.size); i-- > 0;) {
        std::uint32_t& head = heads_[vocabulary_.identity(hypothesis[i])];
        entries_[i] = {i, head};
        head = i;
    }
    bool room = true;
    for (std::uint32_t j = 0; j < reference.size && room; ++j) {
        std::uint32_t entry = heads_[vocabulary_.identity(reference[j])];
        for (; entry != NONE && room; entry = entries_[entry].next) room = add_word_pair(j, entries_[entry].position);
    }
    for (const std::uint32_t type : hypothesis) heads_[vocabulary_.identity(type)] = NONE;
    return room;
}

bool Candidates::match_keys(const KeyColumn& column, bool equal_words, Words hypothesis, Words reference) {
    if (heads_.size() < column.key_count()) heads_.resize(column.key_count(), NONE);
    entries_.clear();
    for (std::uint32_t i = static_cast<std::uint32_t>(hypothesis.size); i-- > 0;) {
        for (const std::uint32_t key : column.keys(hypothesis[i])) {
            entries_.push_back({i, heads_[key]});
            heads_[key] = static_cast<std::uint32_t>(entries_.size() - 1);
        }
    }
    bool room = true;
    for (std::uint32_t j = 0; j < reference.size && room; ++j) {
        const std::uint32_t word = vocabulary_.identity(reference[j]);
        found_.clear();
        int sources = 0;
        for (const std::uint32_t key : column.keys(reference[j])) {
            std::uint32_t entry = heads_[key];
            sources += entry != NONE;
            for (; entry != NONE; entry = entries_[entry].next) {
                const std::uint32_t i = entries_[entry].position;
                if (equal_words || vocabulary_.identity(hypothesis[i]) != word) found_.push_back(i);
            }
        }
        if (sources > 1) {
            std::sort(found_.begin(), found_.end());
            found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
        }
        for (std::size_t k = 0; k < found_.size() && room; ++k) room = add_word_pair(j, found_[k]);
    }
    for (const std::uint32_t type : hypothesis) {
        for (const std::uint32_t key : column.keys(type)) heads_[key] = NONE;
    }
    return room;
}

// The sum of a product runs over the dimensions in their order, in double precision, in which each product of two
// single-precision numbers is exact: so the similarity does not depend on how many words there are.
bool Candidates::match_vectors(const VectorColumn& column, const Matcher& matcher, Words hypothesis, Words reference) {
    const bool match_equal = matcher.below > 1;
    const std::size_t dimension = column.dimension, size = hypothesis.size;
    transposed_.resize(dimension * size);
    for (std::size_t i = 0; i < size; ++i) {
        const float* row = column.row(hypothesis[i]);
        for (std::size_t k = 0; k < dimension; ++k) transposed_[k * size + i] = row[k];
    }
    bool room = true;
    for (std::uint32_t j = 0; j < reference.size && room; ++j) {
        const std::uint32_t type = reference[j];
        const bool known = column.known[type] != 0;
        sums_.assign(size, 0.0);
        if (known) {
            const float* row = column.row(type);
            for (std::size_t k = 0; k < dimension; ++k) {
                const double factor = row[k];
                const double* values = transposed_.data() + k * size;
                for (std::size_t i = 0; i < size; ++i) sums_[i] += factor * values[i];
            }
        }
        const std::uint32_t word = vocabulary_.identity(type);
        for (std::uint32_t i = 0; i < size && room; ++i) {
            if (vocabulary_.identity(hypothesis[i]) == word) {
                if (match_equal) room = add_word_pair(j, i);
            } else if (known && column.known[hypothesis[i]]) {
                const double similarity = (1 + sums_[i]) / 2;
                if (similarity >= matcher.threshold && similarity < matcher.below) {
                    room = add_word_pair(j, i, std::min(1.0, similarity));
                }
            }
        }
    }
    return room;
}

bool Candidates::match_rows(const SentenceRows& hypothesis_rows, const SentenceRows& reference_rows,
                            const Matcher& matcher, Words hypothesis, Words reference) {
    const bool match_equal = matcher.below > 1;
    bool room = true;
    for (std::uint32_t j = 0; j < reference.size && room; ++j) {
        const std::uint32_t word = vocabulary_.identity(reference[j]);
        for (std::uint32_t i = 0; i < hypothesis.size && room; ++i) {
            if (vocabulary_.identity(hypothesis[i]) == word) {
                if (match_equal) room = add_word_pair(j, i);
            } else if (reference_rows.known(j) && hypothesis_rows.known(i)) {
                const double similarity = reference_rows.similarity(j, hypothesis_rows, i);
                if (similarity >= matcher.threshold && similarity < matcher.below) {
                    room = add_word_pair(j, i, std::min(1.0, similarity));
                }
            }
        }
    }
    return room;
}

void Candidates::find_phrases(const PhraseIndex& index, std::size_t column, Words words, std::vector<PhraseHit>& hits) {
    phrase_ids_.resize(words.size);
    for (std::size_t k = 0; k < words.size; ++k) phrase_ids_[k] = vocabulary_.phrase_word(column, words[k]);
    index.find(phrase_ids_, memories_[column].steps, hits);
}

const std::vector<PhraseHit>& Candidates::find_reference_phrases(const PhraseIndex& index, std::size_t column,
                                                                 Words words) {
    if (words.size > LONGEST_KNOWN_SEGMENT) {
        find_phrases(index, column, words, reference_hits_);
        return reference_hits_;
    }
    std::uint64_t hash = words.size;
    for (const std::uint32_t type : words) hash = mix(hash ^ type);
    std::vector<KnownSegment>& segments = memories_[column].segments;
    if (segments.empty()) segments.resize(KNOWN_SEGMENTS);
    KnownSegment& known = segments[hash % KNOWN_SEGMENTS];
    const std::uint64_t generation = vocabulary_.generation() + 1;  // 0: nothing is known
    if (known.generation != generation || known.words.size() != words.size ||
        !std::equal(words.begin(), words.end(), known.words.begin())) {
        known.generation = 0;
        find_phrases(index, column, words, known.hits);
        known.words.assign(words.begin(), words.end());
        known.generation = generation;
    }
    return known.hits;
}

bool Candidates::match_phrases(const PhraseIndex& index, std::size_t column, Words hypothesis, Words reference) {
    if (memories_.size() <= column) memories_.resize(column + 1);
    const std::vector<PhraseHit>& reference_hits = find_reference_phrases(index, column, reference);
    find_phrases(index, column, hypothesis, hypothesis_hits_);
    if (reference_hits.empty() || hypothesis_hits_.empty()) return true;
    for (const PhraseHit& hit : reference_hits) index.prefetch_entries(hit.node);
    for (const PhraseHit& hit : hypothesis_hits_) index.prefetch_entries(hit.node);
    return pair_phrases(index, reference_hits, hypothesis_hits_, true) &&
           pair_phrases(index, hypothesis_hits_, reference_hits, false);
}

// For each phrase of one side, in order, the phrases of the other side that the table pairs with it.
bool Candidates::pair_phrases(const PhraseIndex& index, const std::vector<PhraseHit>& from,
                              const std::vector<PhraseHit>& to, bool from_reference) {
    std::size_t slots = 16;
    while (slots < 4 * to.size()) slots *= 2;
    const std::size_t mask = slots - 1;
    node_slots_.assign(slots, {0, NONE});
    next_hit_.assign(to.size(), NONE);
    last_hit_.resize(slots);
    const auto slot_of = [this, mask](std::uint32_t node) {
        std::size_t at = (node * 0x9E3779B1u >> 8) & mask;
        while (node_slots_[at].hit != NONE && node_slots_[at].node != node) at = (at + 1) & mask;
        return at;
    };
    for (std::uint32_t hit = 0; hit < to.size(); ++hit) {
        const std::size_t at = slot_of(to[hit].node);
        if (node_slots_[at].hit == NONE) {
            node_slots_[at] = {to[hit].node, hit};
        } else {
            next_hit_[last_hit_[at]] = hit;
        }
        last_hit_[at] = hit;
    }
    for (const PhraseHit& phrase : from) {
        for (const std::uint32_t other : index.paraphrases(phrase.node)) {
            for (std::uint32_t hit = node_slots_[slot_of(other)].hit; hit != NONE; hit = next_hit_[hit]) {
                const PhraseHit& match = to[hit];
                const bool room = from_reference ? add(phrase.start, phrase.length, match.start, match.length)
                                                 : add(match.start, match.length, phrase.start, phrase.length);
                if (!room) return false;
            }
        }
    }
    return true;
}

bool Candidates::match_proposals(const std::vector<Proposal>& proposals, Words hypothesis, Words reference,
                                 Outcome& outcome) {
    const auto fits = [](std::int64_t start, std::int64_t length, std::size_t size) {
        const auto limit = static_cast<std::int64_t>(size);
        return start >= 0 && length >= 1 && start < limit && length <= limit - start;
    };
    for (const Proposal& proposal : proposals) {
        if (!fits(proposal.reference_start, proposal.reference_length, reference.size) ||
            !fits(proposal.hypothesis_start, proposal.hypothesis_length, hypothesis.size)) {
            outcome.problem = Problem::misplaced_proposal;
            outcome.matcher = matcher_;
            outcome.proposal = proposal;
            return false;
        }
        const bool room = add(static_cast<std::uint32_t>(proposal.reference_start),
                              static_cast<std::uint32_t>(proposal.reference_length),
                              static_cast<std::uint32_t>(proposal.hypothesis_start),
                              static_cast<std::uint32_t>(proposal.hypothesis_length), proposal.probability);
        if (!room) return false;
    }
    return true;
}

// A stable counting sort.
void Candidates::sort_by_reference() {
    const std::size_t positions = reference_cover_.size();
    starts_.assign(positions + 1, 0);
    for (const Match& match : proposed_) ++starts_[match.reference_start + 1];
    for (std::size_t j = 0; j < positions; ++j) starts_[j + 1] += starts_[j];
    matches_.resize(proposed_.size());
    for (const Match& match : proposed_) matches_[starts_[match.reference_start]++] = match;
    for (std::size_t j = positions; j > 0; --j) starts_[j] = starts_[j - 1];
    starts_[0] = 0;
}

// A match is fixed that is alone at its position, and whose words no other match covers.
void Candidates::fix() {
    const std::size_t positions = reference_cover_.size();
    fixed_.assign(positions, 0);
    for (std::size_t j = 0; j < positions; ++j) {
        if (starts_[j + 1] - starts_[j] != 1) continue;
        const Match& only = matches_[starts_[j]];
        bool alone = true;
        for (std::uint32_t word = 0; word < only.reference_length; ++word) {
            alone = alone && reference_cover_[j + word] == 1;
        }
        for (std::uint32_t word = 0; word < only.hypothesis_length; ++word) {
            alone = alone && hypothesis_cover_[only.hypothesis_start + word] == 1;
        }
        fixed_[j] = alone;
    }
}

}  // namespace meteor

// Collects the candidates of a pair of segments.
#include "candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace meteor {

// -- What was found out of references, remembered for the next hypothesis, and fetched before it is needed. --

// What is known of a reference, or nothing yet. `alone`: a segment that is not to be remembered.
Candidates::KnownSegment& Candidates::know(Words reference, std::uint64_t hash, bool alone) {
    if (alone) {
        start(segment_, reference);
        return segment_;
    }
    if (known_bytes_ > KNOWN_BYTES) {
        segments_.clear();
        known_bytes_ = 0;
    }
    if (segments_.empty()) {
        segments_.resize(KNOWN_SEGMENTS);
        hashes_.assign(KNOWN_SEGMENTS, 0);
    }
    const std::size_t set = hash % (KNOWN_SEGMENTS / WAYS) * WAYS;
    std::size_t chosen = NONE;
    for (std::size_t way = set; way < set + WAYS; ++way) {
        if (hashes_[way] == hash && segments_[way].known && std::ranges::equal(reference, segments_[way].words)) {
            return segments_[way];
        }
        if (!segments_[way].known && chosen == NONE) chosen = way;
    }
    if (chosen == NONE) chosen = set + replaced_++ % WAYS;
    KnownSegment& known = segments_[chosen];
    known_bytes_ -= known.bytes;
    known = KnownSegment{};
    start(known, reference);
    known.known = true;
    hashes_[chosen] = hash;
    charge(known, 40 * reference.size() + 4 * (known.keys.size() + known.key_ends.size()));
    return known;
}

void Candidates::expect(std::uint64_t hash, std::size_t steps) const {
    if (segments_.empty()) return;
    const auto fetch = [](const void* data, std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += 64) METEOR_PREFETCH(static_cast<const char*>(data) + at);
    };
    const auto fetch_all = [&fetch](const auto& items) { fetch(items.data(), items.size() * sizeof(items[0])); };
    const std::size_t set = hash % (KNOWN_SEGMENTS / WAYS) * WAYS;
    for (std::size_t way = set; way < set + WAYS; ++way) {
        if (hashes_[way] != hash) continue;
        const KnownSegment& known = segments_[way];
        if (steps == EXPECTED) {
            fetch(&known, sizeof known);
        } else if (steps == 2) {
            fetch_all(known.words);
            fetch_all(known.starts);
            fetch_all(known.positions);
            fetch_all(known.keys);
            fetch_all(known.key_ends);
            known.answers.each_part(fetch_all);
            fetch_all(known.phrases);
        } else {
            for (const PhraseSide& side : known.phrases) {
                fetch_all(side.hits);
                fetch_all(side.starts);
                fetch_all(side.others);
                side.answers.each_part(fetch_all);
            }
        }
        return;
    }
}

void Candidates::charge(KnownSegment& known, std::size_t bytes) {
    if (!known.known) return;
    known.bytes += bytes;
    known_bytes_ += bytes;
}

void Candidates::start(KnownSegment& known, Words reference) const {
    known.words.assign(reference.begin(), reference.end());
    known.distinct.clear();
    known.types.clear();
    for (const std::uint32_t type : reference) {
        if (known.distinct.number(type) == known.types.size()) known.types.push_back(type);
    }
    known.starts.assign(1, 0);
    known.positions.clear();
    append_by_key(
        reference, known.types.size(), [&known](std::uint32_t type) { return known.distinct.find(type); },
        [first = reference.data()](const std::uint32_t& type) { return static_cast<std::uint32_t>(&type - first); },
        known.starts, known.positions);
    known.keys.clear();
    known.key_ends.clear();
    known.key_ends.reserve(chain_.matchers.size() * known.types.size());
    known.keys.reserve(known.key_ends.capacity());
    for (const Matcher& matcher : chain_.matchers) {
        for (const std::uint32_t type : known.types) {
            const Words keys = keys_of(matcher, type);
            known.keys.insert(known.keys.end(), keys.begin(), keys.end());
            known.key_ends.push_back(static_cast<std::uint32_t>(known.keys.size()));
        }
    }
    known.answers.clear();
    known.phrases.clear();
}

// -- A pair of segments. --

bool Candidates::equal(Words hypothesis, Words reference) const {
    const auto same = [this](std::uint32_t type, std::uint32_t other) {
        return type == other ||
               (chain_.identity == Identity::java && vocabulary_.identity(type) == vocabulary_.identity(other));
    };
    return std::ranges::equal(hypothesis, reference, same);
}

Outcome Candidates::collect(Words hypothesis, Words reference, std::uint64_t hash, const PairFeatures& features) {
    const bool alike = equal(hypothesis, reference);
    const std::size_t asked = alike ? std::min<std::size_t>(1, chain_.matchers.size()) : chain_.matchers.size();
    shared_ = gathered_ = false;
    first_ = 0;
    begin(hypothesis.size(), reference.size(), std::min(chain_.limits.separate_candidates, chain_.limits.max_candidates));
    const bool alone = alike || reference.size() > LONGEST_KNOWN_SEGMENT;
    Outcome outcome = ask(know(reference, hash, alone), hypothesis, reference, features, asked);
    if (outcome.problem == Problem::too_many_candidates) {
        shared_ = std::max(hypothesis.size(), reference.size()) <= chain_.limits.max_shared_words && share({reference}, asked);
        const Words words = shared_ ? Words(list_words_) : reference;
        begin(hypothesis.size(), words.size(), chain_.limits.max_candidates);
        outcome = ask(know(words, hash, true), hypothesis, words, features, asked);
    }
    if (outcome.problem != Problem::none) return outcome;
    sort_by_reference();
    if (shared_) cover_shared();
    fix();
    return outcome;
}

void Candidates::begin(std::size_t hypothesis_size, std::size_t positions, std::size_t room) {
    room_ = room;
    proposed_.clear();
    reference_cover_.assign(positions, 0);
    hypothesis_cover_.assign(hypothesis_size, 0);
}

Outcome Candidates::ask(KnownSegment& known, Words hypothesis, Words reference, const PairFeatures& features,
                        std::size_t asked) {
    Outcome outcome;
    bool room = relate(known, hypothesis, asked);
    for (matcher_ = 0; matcher_ < asked && room; ++matcher_) {
        const Matcher& matcher = chain_.matchers[matcher_];
        switch (matcher.family) {
            case Family::exact:
            case Family::keys:
            case Family::strings:
            case Family::synonyms:
            case Family::similarity:
                room = match_words(known);
                break;
            case Family::contextual: {
                if (!hypothesis.size() || !reference.size()) break;
                const SentenceRows* rows = features.hypothesis_rows[matcher.column];
                const SentenceRows* others = features.reference_rows[matcher.column];
                if (!rows || !others) return {Problem::without_vectors, matcher_};
                room = match_rows(*rows, *others, matcher, hypothesis, reference);
                break;
            }
            case Family::characters:
                break;
            case Family::overlap:
            case Family::ngrams:
                room = match_overlap(vocabulary_.keys(matcher.column), matcher.threshold, hypothesis, reference);
                break;
            case Family::phrases:
                room = match_phrases(*matcher.phrases, matcher.column, known, hypothesis, reference);
                break;
            case Family::proposals:
                if (!features.proposals) break;
                room = match_proposals((*features.proposals)[matcher.column], hypothesis, reference, outcome);
                if (outcome.problem != Problem::none) return outcome;
                break;
        }
    }
    if (!room) outcome.problem = Problem::too_many_candidates;
    return outcome;
}

bool Candidates::match_proposals(const std::vector<Proposal>& proposals, Words hypothesis, Words reference,
                                 Outcome& outcome) {
    const auto fits = [](std::int64_t start, std::int64_t length, std::size_t size) {
        const auto limit = static_cast<std::int64_t>(size);
        return start >= 0 && length >= 1 && start < limit && length <= limit - start;
    };
    for (const Proposal& proposal : proposals) {
        if (!fits(proposal.reference_start, proposal.reference_length, reference.size()) ||
            !fits(proposal.hypothesis_start, proposal.hypothesis_length, hypothesis.size())) {
            outcome = {Problem::misplaced_proposal, matcher_, proposal};
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

void Candidates::sort_by_reference() {
    starts_.assign(1, 0);
    matches_.clear();
    append_by_key(
        proposed_, reference_cover_.size(), [](const Match& match) { return match.reference_start; }, std::identity(),
        starts_, matches_);
}

// A match is fixed that is alone at its position, and whose words no other match covers.
void Candidates::fix() {
    const std::size_t positions = reference_cover_.size();
    fixed_.assign(positions, 0);
    for (std::size_t j = 0; j < positions; ++j) {
        const View<Match> starting = at(j);
        if (starting.size() != 1) continue;
        const Match& only = starting[0];
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

// -- Positions of references that share a list of candidates. --

// Finds the positions that may share a list: those where the same word stands and the same phrases begin. False if a
// matcher looks at more than that.
bool Candidates::share(const std::vector<Words>& references, std::size_t asked) {
    std::vector<std::vector<std::uint32_t>> keys;
    for (const Words& reference : references) {
        for (const std::uint32_t type : reference) keys.push_back({type});
    }
    std::vector<std::vector<PhraseHit>> phrases;
    for (std::size_t matcher = 0; matcher < asked; ++matcher) {
        const Matcher& one = chain_.matchers[matcher];
        if (one.family == Family::proposals || one.family == Family::contextual || shares_pieces(one.family)) {
            return false;
        }
        if (one.family != Family::phrases) continue;
        phrases.resize(std::max(phrases.size(), one.column + 1));
        if (steps_.size() < phrases.size()) steps_.resize(phrases.size());
        std::uint32_t start = 0;
        for (const Words& reference : references) {
            find_phrases(*one.phrases, one.column, reference, list_hits_);
            for (PhraseHit& hit : list_hits_) hit.start += start;
            phrases[one.column].insert(phrases[one.column].end(), list_hits_.begin(), list_hits_.end());
            start += static_cast<std::uint32_t>(reference.size());
        }
        for (std::vector<std::uint32_t>& key : keys) key.push_back(NONE);
        for (const PhraseHit& hit : phrases[one.column]) keys[hit.start].push_back(hit.node);
    }
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
    std::vector<std::uint32_t> firsts;
    lists_.resize(keys.size());
    list_words_.clear();
    for (std::uint32_t j = 0; j < keys.size(); ++j) {
        const std::uint32_t word = keys[j].front();
        const auto found = numbers.emplace(std::move(keys[j]), static_cast<std::uint32_t>(list_words_.size()));
        lists_[j] = found.first->second;
        if (!found.second) continue;
        list_words_.push_back(word);
        firsts.push_back(j);
    }
    list_phrases_.assign(phrases.size(), {});
    for (std::size_t column = 0; column < phrases.size(); ++column) {
        for (PhraseHit hit : phrases[column]) {
            const std::uint32_t list = lists_[hit.start];
            if (firsts[list] != hit.start) continue;
            hit.start = list;
            list_phrases_[column].push_back(hit);
        }
    }
    return true;
}

bool Candidates::gather(const std::vector<Words>& references) {
    reference_starts_.assign(1, 0);
    std::size_t longest = 0;
    for (const Words& reference : references) {
        reference_starts_.push_back(reference_starts_.back() + reference.size());
        longest = std::max(longest, reference.size());
    }
    shared_ = gathered_ = longest <= LONGEST_KNOWN_SEGMENT && share(references, chain_.matchers.size());
    if (gathered_) start(segment_, list_words_);
    return gathered_;
}

bool Candidates::make_lists(Words hypothesis) {
    if (hypothesis.size() > LONGEST_KNOWN_SEGMENT) return false;
    begin(hypothesis.size(), list_words_.size(), chain_.limits.max_candidates);
    const Outcome outcome = ask(segment_, hypothesis, list_words_, PairFeatures{}, chain_.matchers.size());
    if (outcome.problem != Problem::none) return false;
    sort_by_reference();
    return true;
}

bool Candidates::select(std::size_t reference) {
    first_ = reference_starts_[reference];
    const std::size_t positions = reference_starts_[reference + 1] - first_;
    reference_cover_.assign(positions, 0);
    std::fill(hypothesis_cover_.begin(), hypothesis_cover_.end(), 0);
    std::size_t count = 0;
    for (std::size_t j = 0; j < positions; ++j) {
        const View<Match> starting = at(j);
        count += starting.size();
        for (const Match& match : starting) {
            cover(reference_cover_, j, match.reference_length);
            cover(hypothesis_cover_, match.hypothesis_start, match.hypothesis_length);
        }
    }
    fix();
    return count <= std::min(chain_.limits.separate_candidates, chain_.limits.max_candidates);
}

// How often candidates cover each word, where positions share lists; numbers that are large need not be exact.
void Candidates::cover_shared() {
    const auto add_to = [](std::uint32_t& cover, std::size_t count) {
        cover = static_cast<std::uint32_t>(std::min<std::size_t>(cover + count, NONE));
    };
    std::vector<std::size_t> uses(list_words_.size(), 0);
    for (const std::uint32_t list : lists_) ++uses[list];
    std::fill(hypothesis_cover_.begin(), hypothesis_cover_.end(), 0);
    std::vector<std::map<std::uint32_t, std::size_t>> lengths(list_words_.size());
    for (const Match& match : matches_) {
        ++lengths[match.reference_start][match.reference_length];
        for (std::uint32_t word = 0; word < match.hypothesis_length; ++word) {
            add_to(hypothesis_cover_[match.hypothesis_start + word], uses[match.reference_start]);
        }
    }
    reference_cover_.assign(lists_.size(), 0);
    for (std::size_t j = 0; j < lists_.size(); ++j) {
        for (const auto& [length, count] : lengths[lists_[j]]) {
            for (std::uint32_t word = 0; word < length; ++word) add_to(reference_cover_[j + word], count);
        }
    }
}

// -- Candidates of single words: by keys, vectors, rows of an encoder and pieces. --

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

// Finds out what the reference has for the words of a hypothesis, as far as it is not known.
bool Candidates::relate(KnownSegment& known, Words hypothesis, std::size_t asked) {
    known.answers.ask(hypothesis, std::identity(), numbers_, new_words_);
    if (!new_words_.empty()) {
        related_.clear();
        if (!relate_all(known, new_words_, asked)) {
            known.known = false;
            return false;
        }
        known.answers.add(related_);  // in the order of the matchers
        charge(known, 24 * new_words_.size() + sizeof(Related) * related_.size());
    }
    cursors_.clear();
    for (const std::uint32_t number : numbers_) cursors_.push_back(known.answers.row(number));
    return true;
}

// Asks the matchers of single words, in chain order.
bool Candidates::relate_all(const KnownSegment& known, Words words, std::size_t asked) {
    const Words distinct = known.types;
    bool room = true;
    for (matcher_ = 0; matcher_ < asked && room; ++matcher_) {
        const Matcher& matcher = chain_.matchers[matcher_];
        if (joins_by_keys(matcher.family)) room = match_keys(known, matcher, words);
        if (matcher.family == Family::similarity) {
            room = match_vectors(vocabulary_.vectors(matcher.column), matcher, words, distinct);
        }
    }
    return room;
}

// Of one matcher, for each reference word the words of the hypothesis in their order.
bool Candidates::match_words(const KnownSegment& known) {
    for (std::uint32_t i = 0; i < cursors_.size(); ++i) {
        View<Related>& left = cursors_[i];
        for (; !left.empty() && left.front().matcher == matcher_; left = left.subspan(1)) {
            const Related& related = left.front();
            const std::uint32_t last = known.starts[related.distinct + 1];
            for (std::uint32_t at = known.starts[related.distinct]; at < last; ++at) {
                if (!add(known.positions[at], 1, i, 1, related.probability)) return false;
            }
        }
    }
    return true;
}

// What a matcher joins a word with others by, if that is keys.
Words Candidates::keys_of(const Matcher& matcher, std::uint32_t type) const {
    if (matcher.family == Family::exact) return vocabulary_.identity_key(type);
    return joins_by_keys(matcher.family) ? vocabulary_.keys(matcher.column).keys(type) : Words{};
}

bool Candidates::match_keys(const KnownSegment& known, const Matcher& matcher, Words words) {
    const bool exact = matcher.family == Family::exact, equal_words = exact || matcher.match_equal_words;
    const std::size_t keys = exact ? vocabulary_.identity_count() : vocabulary_.keys(matcher.column).key_count();
    if (heads_.size() < keys) heads_.resize(keys, NONE);
    entries_.clear();
    filter_.clear();
    for (std::uint32_t i = static_cast<std::uint32_t>(words.size()); i-- > 0;) {
        for (const std::uint32_t key : keys_of(matcher, words[i])) {
            filter_.add(key);
            entries_.push_back({i, heads_[key]});
            heads_[key] = static_cast<std::uint32_t>(entries_.size() - 1);
        }
    }
    const std::size_t types = known.types.size();
    const std::uint32_t* const ends = known.key_ends.data() + matcher_ * types;
    std::uint32_t at = matcher_ && types ? ends[-1] : 0;
    bool room = true;
    for (std::uint32_t distinct = 0; distinct < types && room; ++distinct) {
        found_.clear();
        int sources = 0;
        for (; at < ends[distinct]; ++at) {
            if (!filter_.may_hold(known.keys[at])) continue;
            std::uint32_t entry = heads_[known.keys[at]];
            sources += entry != NONE;
            for (; entry != NONE; entry = entries_[entry].next) found_.push_back(entries_[entry].position);
        }
        if (sources > 1) {
            std::sort(found_.begin(), found_.end());
            found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
        }
        const std::uint32_t word = vocabulary_.identity(known.types[distinct]);
        for (const std::uint32_t i : found_) {
            if (equal_words || vocabulary_.identity(words[i]) != word) room = room && relate_word(distinct, i);
        }
    }
    for (const std::uint32_t type : words) {
        for (const std::uint32_t key : keys_of(matcher, type)) heads_[key] = NONE;
    }
    return room;
}

// Pairs different words whose similarity is within the bounds of the matcher, and equal ones if that has no upper
// bound. `similarities_of` a reference word is a function of the hypothesis's; what is not a number is within no
// bounds.
template <class SimilaritiesOf, class Take>
bool Candidates::match_similar(const Matcher& matcher, Words hypothesis, Words reference,
                               const SimilaritiesOf& similarities_of, const Take& take) {
    const bool match_equal = matcher.below > 1;
    bool room = true;
    for (std::uint32_t j = 0; j < reference.size() && room; ++j) {
        const std::uint32_t word = vocabulary_.identity(reference[j]);
        const auto similarity_of = similarities_of(j);
        for (std::uint32_t i = 0; i < hypothesis.size() && room; ++i) {
            if (vocabulary_.identity(hypothesis[i]) == word) {
                if (match_equal) room = take(j, i, 1.0);
                continue;
            }
            const double similarity = similarity_of(i);
            if (similarity >= matcher.threshold && similarity < matcher.below) {
                room = take(j, i, std::min(1.0, similarity));
            }
        }
    }
    return room;
}

// The sum of a product runs over the dimensions in their order, in double precision, in which each product of two
// single-precision numbers is exact: so the similarity does not depend on how many words there are.
bool Candidates::match_vectors(const VectorColumn& column, const Matcher& matcher, Words hypothesis, Words reference) {
    const std::size_t dimension = column.dimension, size = hypothesis.size();
    transposed_.resize(dimension * size);
    for (std::size_t i = 0; i < size; ++i) {
        const float* row = column.row(hypothesis[i]);
        for (std::size_t k = 0; k < dimension; ++k) transposed_[k * size + i] = row[k];
    }
    const auto similarities_of = [&](std::uint32_t j) {
        const float* row = column.row(reference[j]);
        sums_.assign(size, 0.0);
        for (std::size_t k = 0; column.known[reference[j]] && k < dimension; ++k) {
            const double factor = row[k];
            const double* values = transposed_.data() + k * size;
            for (std::size_t i = 0; i < size; ++i) sums_[i] += factor * values[i];
        }
        return [&, known = column.known[reference[j]]](std::uint32_t i) {
            return known && column.known[hypothesis[i]] ? (1 + sums_[i]) / 2 : NOT_A_NUMBER;
        };
    };
    const auto take = [this](std::uint32_t j, std::uint32_t i, double probability) {
        return relate_word(j, i, probability);
    };
    return match_similar(matcher, hypothesis, reference, similarities_of, take);
}

bool Candidates::match_rows(const SentenceRows& hypothesis_rows, const SentenceRows& reference_rows,
                            const Matcher& matcher, Words hypothesis, Words reference) {
    const auto similarities_of = [&](std::uint32_t j) {
        return [&, j](std::uint32_t i) {
            const bool known = reference_rows.known(j) && hypothesis_rows.known(i);
            return known ? reference_rows.similarity(j, hypothesis_rows, i) : NOT_A_NUMBER;
        };
    };
    const auto take = [this](std::uint32_t j, std::uint32_t i, double probability) {
        return add(j, 1, i, 1, probability);
    };
    return match_similar(matcher, hypothesis, reference, similarities_of, take);
}

// Pairs of words that are not on the other side as they are, from the most similar to the least, each word once.
bool Candidates::match_overlap(const KeyColumn& pieces, double threshold, Words hypothesis, Words reference) {
    piece_words_.resize(std::max<std::size_t>(piece_words_.size(), pieces.key_count()), 0);
    marks_.resize(std::max(marks_.size(), vocabulary_.identity_count()), 0);
    const auto mark = [this](Words words, std::uint8_t bit) {
        for (const std::uint32_t type : words) marks_[vocabulary_.identity(type)] |= bit;
    };
    mark(hypothesis, 1);
    mark(reference, 2);
    const auto alone = [this](std::uint32_t type) { return marks_[vocabulary_.identity(type)] != 3; };
    overlaps_.clear();
    found_.clear();
    for (std::uint32_t j = 0; j < reference.size(); ++j) {
        if (alone(reference[j])) found_.push_back(j);
    }
    // 64 words of the reference at once, a bit for each: a word has a piece once, and the bits of the numbers of shared
    // pieces are in words of their own.
    for (std::size_t first = 0; first < found_.size(); first += 64) {
        const View<std::uint32_t> others = View<std::uint32_t>(found_).subspan(first);
        const std::size_t size = std::min<std::size_t>(64, others.size());
        for (std::size_t k = 0; k < size; ++k) {
            for (const std::uint32_t piece : pieces.keys(reference[others[k]])) {
                piece_words_[piece] |= std::uint64_t{1} << k;
            }
        }
        for (std::uint32_t i = 0; i < hypothesis.size(); ++i) {
            if (!alone(hypothesis[i])) continue;
            const Words own = pieces.keys(hypothesis[i]);
            std::array<std::uint64_t, 32> shared{};
            std::uint64_t some = 0;
            for (const std::uint32_t piece : own) {
                std::uint64_t carry = piece_words_[piece];
                some |= carry;
                for (std::size_t bit = 0; carry; ++bit) carry &= std::exchange(shared[bit], shared[bit] ^ carry);
            }
            const std::size_t bits = std::bit_width(own.size());
            for (; some; some &= some - 1) {
                const int k = std::countr_zero(some);
                std::uint64_t count = 0;
                for (std::size_t bit = 0; bit < bits; ++bit) count |= (shared[bit] >> k & 1) << bit;
                const std::uint32_t j = others[static_cast<std::size_t>(k)];
                const std::size_t all = own.size() + pieces.keys(reference[j]).size();
                const double similarity = 2.0 * static_cast<double>(count) / static_cast<double>(all);
                if (similarity < threshold) continue;
                const auto apart = std::int64_t{j} * static_cast<std::int64_t>(hypothesis.size()) -
                                   std::int64_t{i} * static_cast<std::int64_t>(reference.size());
                overlaps_.push_back({similarity, std::abs(apart), j, i});
            }
        }
        for (std::size_t k = 0; k < size; ++k) {
            for (const std::uint32_t piece : pieces.keys(reference[others[k]])) piece_words_[piece] = 0;
        }
    }
    for (const Words& words : {hypothesis, reference}) {
        for (const std::uint32_t type : words) marks_[vocabulary_.identity(type)] = 0;
    }
    std::sort(overlaps_.begin(), overlaps_.end());
    taken_.assign(hypothesis.size() + reference.size(), 0);
    bool room = true;
    for (const Overlap& pair : overlaps_) {
        if (!room) break;
        if (taken_[pair.i] || taken_[hypothesis.size() + pair.j]) continue;
        taken_[pair.i] = taken_[hypothesis.size() + pair.j] = 1;
        room = add(pair.j, 1, pair.i, 1, pair.similarity);
    }
    return room;
}

// -- Candidates of phrases that a table pairs. --

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
    if (!std::ranges::equal(hypothesis, last.words)) {
        find_phrases(index, column, hypothesis, last.hits);
        last.words.assign(hypothesis.begin(), hypothesis.end());
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

#include "candidates.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace meteor {

namespace {
constexpr std::size_t LONGEST_SHARED = 10000;  // words of a side; meteor_e/engine/candidates.py has the same
}

bool Candidates::equal(Words hypothesis, Words reference) const {
    const auto same = [this](std::uint32_t type, std::uint32_t other) {
        return type == other ||
               (chain_.identity == Identity::java && vocabulary_.identity(type) == vocabulary_.identity(other));
    };
    return hypothesis.size() == reference.size() &&
           std::equal(hypothesis.begin(), hypothesis.end(), reference.begin(), same);
}

Outcome Candidates::collect(Words hypothesis, Words reference, std::uint64_t hash, const PairFeatures& features) {
    proposed_.clear();
    reference_cover_.assign(reference.size(), 0);
    hypothesis_cover_.assign(hypothesis.size(), 0);
    const bool alike = equal(hypothesis, reference);
    const std::size_t asked = alike ? std::min<std::size_t>(1, chain_.matchers.size()) : chain_.matchers.size();
    shared_ = gathered_ = false;
    first_ = 0;
    room_ = std::min(chain_.separate_candidates, chain_.max_candidates);
    const bool alone = alike || reference.size() > LONGEST_KNOWN_SEGMENT;
    Outcome outcome = propose(hypothesis, reference, hash, features, asked, alone);
    if (outcome.problem == Problem::too_many_candidates) {
        room_ = chain_.max_candidates;
        proposed_.clear();
        hypothesis_cover_.assign(hypothesis.size(), 0);
        shared_ = std::max(hypothesis.size(), reference.size()) <= LONGEST_SHARED && share({reference}, asked);
        const std::size_t positions = shared_ ? list_words_.size() : reference.size();
        reference_cover_.assign(positions, 0);
        const Words words = shared_ ? Words{list_words_.data(), positions} : reference;
        outcome = propose(hypothesis, words, hash, features, asked, true);
    }
    if (outcome.problem != Problem::none) return outcome;
    sort_by_reference();
    if (shared_) cover_shared();
    fix();
    return outcome;
}

Outcome Candidates::propose(Words hypothesis, Words reference, std::uint64_t hash, const PairFeatures& features,
                            std::size_t asked, bool alone) {
    return ask(know(reference, hash, alone), hypothesis, reference, features, asked);
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
                if (!rows || !others) {
                    outcome.problem = Problem::without_vectors;
                    outcome.matcher = matcher_;
                    return outcome;
                }
                room = match_rows(*rows, *others, matcher, hypothesis, reference);
                break;
            }
            case Family::characters:
                break;
            case Family::overlap:
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
    if (!room) {
        outcome.problem = Problem::too_many_candidates;
        return outcome;
    }
    return outcome;
}

inline bool Candidates::add(std::uint32_t j, std::uint32_t reference_length, std::uint32_t i,
                            std::uint32_t hypothesis_length, double probability) {
    if (!shared_) {
        for (std::uint32_t word = j; word < j + reference_length; ++word) ++reference_cover_[word];
    }
    for (std::uint32_t word = i; word < i + hypothesis_length; ++word) ++hypothesis_cover_[word];
    proposed_.push_back({j, reference_length, i, hypothesis_length, matcher_, probability});
    return proposed_.size() <= room_;
}

inline bool Candidates::add_word_pair(std::uint32_t j, std::uint32_t i, double probability) {
    ++reference_cover_[j];
    ++hypothesis_cover_[i];
    proposed_.push_back({j, 1, i, 1, matcher_, probability});
    return proposed_.size() <= room_;
}

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
        if (one.family == Family::proposals || one.family == Family::contextual || one.family == Family::overlap) {
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
    if (gathered_) start(segment_, {list_words_.data(), list_words_.size()});
    return gathered_;
}

bool Candidates::make_lists(Words hypothesis) {
    if (hypothesis.size() > LONGEST_KNOWN_SEGMENT) return false;
    proposed_.clear();
    reference_cover_.assign(list_words_.size(), 0);
    hypothesis_cover_.assign(hypothesis.size(), 0);
    room_ = chain_.max_candidates;
    const Words words{list_words_.data(), list_words_.size()};
    const Outcome outcome = ask(segment_, hypothesis, words, PairFeatures{}, chain_.matchers.size());
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
            for (std::size_t word = 0; word < match.reference_length; ++word) ++reference_cover_[j + word];
            for (std::size_t word = 0; word < match.hypothesis_length; ++word) {
                ++hypothesis_cover_[match.hypothesis_start + word];
            }
        }
    }
    fix();
    return count <= std::min(chain_.separate_candidates, chain_.max_candidates);
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
    const std::uint64_t generation = vocabulary_.generation() + 1;  // 0: nothing is known
    const std::size_t set = hash % (KNOWN_SEGMENTS / WAYS) * WAYS;
    std::size_t chosen = NONE;
    for (std::size_t way = set; way < set + WAYS; ++way) {
        if (hashes_[way] == hash && segments_[way].generation == generation &&
            segments_[way].words.size() == reference.size() &&
            std::equal(reference.begin(), reference.end(), segments_[way].words.begin())) {
            return segments_[way];
        }
        if (segments_[way].generation != generation && chosen == NONE) chosen = way;
    }
    if (chosen == NONE) chosen = set + replaced_++ % WAYS;
    KnownSegment& known = segments_[chosen];
    known_bytes_ -= known.bytes;
    known = KnownSegment{};
    start(known, reference);
    known.generation = generation;
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
            fetch_all(known.related_starts);
            fetch_all(known.related);
            fetch_all(known.asked.slots());
            fetch_all(known.phrases);
        } else {
            for (const PhraseSide& side : known.phrases) {
                fetch_all(side.asked.slots());
                fetch_all(side.hits);
                fetch_all(side.starts);
                fetch_all(side.others);
                fetch_all(side.related_starts);
                fetch_all(side.related);
            }
        }
        return;
    }
}

void Candidates::charge(KnownSegment& known, std::size_t bytes) {
    if (!known.generation) return;
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
    const std::size_t count = known.types.size();
    known.starts.assign(count + 1, 0);
    for (const std::uint32_t type : reference) ++known.starts[known.distinct.find(type) + 1];
    for (std::size_t k = 0; k < count; ++k) known.starts[k + 1] += known.starts[k];
    known.positions.resize(reference.size());
    for (std::uint32_t j = 0; j < reference.size(); ++j) {
        known.positions[known.starts[known.distinct.find(reference[j])]++] = j;
    }
    for (std::size_t k = count; k > 0; --k) known.starts[k] = known.starts[k - 1];
    known.starts[0] = 0;
    known.keys.clear();
    known.key_ends.clear();
    std::size_t key_count = 0;
    for (const Matcher& matcher : chain_.matchers) {
        for (const std::uint32_t type : known.types) key_count += keys_of(matcher, type).size();
    }
    known.keys.reserve(key_count);
    known.key_ends.reserve(chain_.matchers.size() * count);
    for (const Matcher& matcher : chain_.matchers) {
        for (const std::uint32_t type : known.types) {
            const Words keys = keys_of(matcher, type);
            known.keys.insert(known.keys.end(), keys.begin(), keys.end());
            known.key_ends.push_back(static_cast<std::uint32_t>(known.keys.size()));
        }
    }
    known.asked.clear();
    known.related_starts.assign(1, 0);
    known.related.clear();
    known.phrases.clear();
}

// Finds out what the reference has for the words of a hypothesis, as far as it is not known.
bool Candidates::relate(KnownSegment& known, Words hypothesis, std::size_t asked) {
    if (known.asked.size() > MOST_ASKED) {
        known.asked.clear();
        known.related_starts.assign(1, 0);
        known.related.clear();
    }
    const std::uint32_t before = known.asked.size();
    numbers_.resize(hypothesis.size());
    new_words_.clear();
    for (std::size_t i = 0; i < hypothesis.size(); ++i) {
        numbers_[i] = known.asked.number(hypothesis[i]);
        if (numbers_[i] == before + new_words_.size()) new_words_.push_back(hypothesis[i]);
    }
    if (!new_words_.empty()) {
        related_.clear();
        if (!relate_all(known, {new_words_.data(), new_words_.size()}, asked)) {
            known.generation = 0;
            return false;
        }
        // By word; those of one word stay in the order of the matchers.
        counts_.assign(new_words_.size() + 1, 0);
        for (const NewRelated& found : related_) ++counts_[found.word + 1];
        const auto first = static_cast<std::uint32_t>(known.related.size());
        for (std::size_t k = 0; k < new_words_.size(); ++k) {
            counts_[k + 1] += counts_[k];
            known.related_starts.push_back(first + counts_[k + 1]);
        }
        known.related.resize(first + related_.size());
        for (const NewRelated& found : related_) known.related[first + counts_[found.word]++] = found.related;
        charge(known, 24 * new_words_.size() + sizeof(Related) * related_.size());
    }
    cursors_.resize(hypothesis.size());
    for (std::size_t i = 0; i < hypothesis.size(); ++i) {
        cursors_[i] = {known.related_starts[numbers_[i]], known.related_starts[numbers_[i] + 1]};
    }
    return true;
}

// Asks the matchers of single words, in chain order.
bool Candidates::relate_all(const KnownSegment& known, Words words, std::size_t asked) {
    const Words distinct{known.types.data(), known.types.size()};
    bool room = true;
    for (matcher_ = 0; matcher_ < asked && room; ++matcher_) {
        const Matcher& matcher = chain_.matchers[matcher_];
        switch (matcher.family) {
            case Family::exact:
            case Family::keys:
            case Family::strings:
            case Family::synonyms:
                room = match_keys(known, matcher, words);
                break;
            case Family::similarity:
                room = match_vectors(vocabulary_.vectors(matcher.column), matcher, words, distinct);
                break;
            case Family::characters:
            case Family::contextual:
            case Family::overlap:
            case Family::phrases:
            case Family::proposals:
                break;
        }
    }
    return room;
}

inline bool Candidates::relate_word(std::uint32_t distinct, std::uint32_t word, double probability) {
    related_.push_back({word, {distinct, matcher_, probability}});
    return related_.size() <= chain_.max_candidates;
}

// Of one matcher, for each reference word the words of the hypothesis in their order.
bool Candidates::match_words(const KnownSegment& known) {
    for (std::uint32_t i = 0; i < cursors_.size(); ++i) {
        Cursor& cursor = cursors_[i];
        for (; cursor.at < cursor.end && known.related[cursor.at].matcher == matcher_; ++cursor.at) {
            const Related& related = known.related[cursor.at];
            const std::uint32_t last = known.starts[related.distinct + 1];
            for (std::uint32_t at = known.starts[related.distinct]; at < last; ++at) {
                if (!add_word_pair(known.positions[at], i, related.probability)) return false;
            }
        }
    }
    return true;
}

// What a matcher joins a word with others by, if that is keys.
Words Candidates::keys_of(const Matcher& matcher, std::uint32_t type) const {
    switch (matcher.family) {
        case Family::exact:
            return vocabulary_.identity_key(type);
        case Family::keys:
        case Family::strings:
        case Family::synonyms:
            return vocabulary_.keys(matcher.column).keys(type);
        default:
            return {};
    }
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

// The sum of a product runs over the dimensions in their order, in double precision, in which each product of two
// single-precision numbers is exact: so the similarity does not depend on how many words there are.
bool Candidates::match_vectors(const VectorColumn& column, const Matcher& matcher, Words hypothesis, Words reference) {
    const bool match_equal = matcher.below > 1;
    const std::size_t dimension = column.dimension, size = hypothesis.size();
    transposed_.resize(dimension * size);
    for (std::size_t i = 0; i < size; ++i) {
        const float* row = column.row(hypothesis[i]);
        for (std::size_t k = 0; k < dimension; ++k) transposed_[k * size + i] = row[k];
    }
    bool room = true;
    for (std::uint32_t j = 0; j < reference.size() && room; ++j) {
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
                if (match_equal) room = relate_word(j, i);
            } else if (known && column.known[hypothesis[i]]) {
                const double similarity = (1 + sums_[i]) / 2;
                if (similarity >= matcher.threshold && similarity < matcher.below) {
                    room = relate_word(j, i, std::min(1.0, similarity));
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
    for (std::uint32_t j = 0; j < reference.size() && room; ++j) {
        const std::uint32_t word = vocabulary_.identity(reference[j]);
        for (std::uint32_t i = 0; i < hypothesis.size() && room; ++i) {
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

// Pairs of words that are not on the other side as they are, from the most similar to the least, each word once.
bool Candidates::match_overlap(const KeyColumn& pieces, double threshold, Words hypothesis, Words reference) {
    heads_.resize(std::max<std::size_t>(heads_.size(), pieces.key_count()), NONE);
    marks_.resize(std::max(marks_.size(), vocabulary_.identity_count()), 0);
    const auto mark = [this](Words words, std::uint8_t bit) {
        for (const std::uint32_t type : words) marks_[vocabulary_.identity(type)] |= bit;
    };
    mark(hypothesis, 1);
    mark(reference, 2);
    const auto alone = [this](std::uint32_t type) { return marks_[vocabulary_.identity(type)] != 3; };
    entries_.clear();
    for (std::uint32_t j = 0; j < reference.size(); ++j) {
        if (!alone(reference[j])) continue;
        for (const std::uint32_t piece : pieces.keys(reference[j])) {
            entries_.push_back({j, heads_[piece]});
            heads_[piece] = static_cast<std::uint32_t>(entries_.size() - 1);
        }
    }
    overlaps_.clear();
    found_.clear();
    shared_pieces_.assign(reference.size(), 0);
    for (std::uint32_t i = 0; i < hypothesis.size(); ++i) {
        if (!alone(hypothesis[i])) continue;
        const Words own = pieces.keys(hypothesis[i]);
        for (const std::uint32_t piece : own) {
            for (std::uint32_t at = heads_[piece]; at != NONE; at = entries_[at].next) {
                if (!shared_pieces_[entries_[at].position]++) found_.push_back(entries_[at].position);
            }
        }
        for (const std::uint32_t j : found_) {
            const std::size_t all = own.size() + pieces.keys(reference[j]).size();
            const double similarity = 2.0 * shared_pieces_[j] / static_cast<double>(all);
            shared_pieces_[j] = 0;
            if (similarity < threshold) continue;
            const auto apart = std::int64_t{j} * static_cast<std::int64_t>(hypothesis.size()) -
                               std::int64_t{i} * static_cast<std::int64_t>(reference.size());
            overlaps_.push_back({similarity, std::abs(apart), j, i});
        }
        found_.clear();
    }
    for (std::uint32_t j = 0; j < reference.size(); ++j) {
        if (!alone(reference[j])) continue;
        for (const std::uint32_t piece : pieces.keys(reference[j])) heads_[piece] = NONE;
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
        room = add_word_pair(pair.j, pair.i, pair.similarity);
    }
    return room;
}

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
    side.related_starts.assign(1, 0);
    side.found = true;
}

// Finds out which phrases of the reference match those of a hypothesis, as far as it is not known.
void Candidates::relate_phrases(const PhraseIndex& index, KnownSegment& known, PhraseSide& side,
                                const std::vector<PhraseHit>& hits) {
    if (side.asked.size() > MOST_ASKED) {
        side.asked.clear();
        side.related_starts.assign(1, 0);
        side.related.clear();
    }
    const std::uint32_t before = side.asked.size();
    phrase_numbers_.resize(hits.size());
    new_phrases_.clear();
    for (std::size_t hit = 0; hit < hits.size(); ++hit) {
        phrase_numbers_[hit] = side.asked.number(hits[hit].node);
        if (phrase_numbers_[hit] == before + new_phrases_.size()) {
            new_phrases_.push_back(hits[hit].node);
            index.prefetch_entries(hits[hit].node);
        }
    }
    if (new_phrases_.empty()) return;
    related_phrases_.clear();
    filter_.clear();
    for (const std::uint32_t node : new_phrases_) filter_.add(node);
    for (std::uint32_t hit = 0; hit < side.hits.size(); ++hit) {
        for (std::uint32_t at = side.starts[hit]; at < side.starts[hit + 1]; ++at) {
            if (!filter_.may_hold(side.others[at])) continue;
            const std::uint32_t number = side.asked.find(side.others[at]);
            if (number == NumberMap::ABSENT || number < before) continue;
            related_phrases_.push_back({number - before, {hit, at - side.starts[hit], true}});
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
    counts_.assign(new_phrases_.size() + 1, 0);
    for (const NewRelatedPhrase& found : related_phrases_) ++counts_[found.phrase + 1];
    const auto first = static_cast<std::uint32_t>(side.related.size());
    for (std::size_t k = 0; k < new_phrases_.size(); ++k) {
        counts_[k + 1] += counts_[k];
        side.related_starts.push_back(first + counts_[k + 1]);
    }
    side.related.resize(first + related_phrases_.size());
    for (const NewRelatedPhrase& found : related_phrases_) {
        side.related[first + counts_[found.phrase]++] = found.related;
    }
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
    if (last.generation != generation || last.words.size() != hypothesis.size() ||
        !std::equal(hypothesis.begin(), hypothesis.end(), last.words.begin())) {
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
        const std::uint32_t end = side.related_starts[phrase_numbers_[hit] + 1];
        for (std::uint32_t at = side.related_starts[phrase_numbers_[hit]]; at < end; ++at) {
            const RelatedPhrase& related = side.related[at];
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

bool Candidates::match_proposals(const std::vector<Proposal>& proposals, Words hypothesis, Words reference,
                                 Outcome& outcome) {
    const auto fits = [](std::int64_t start, std::int64_t length, std::size_t size) {
        const auto limit = static_cast<std::int64_t>(size);
        return start >= 0 && length >= 1 && start < limit && length <= limit - start;
    };
    for (const Proposal& proposal : proposals) {
        if (!fits(proposal.reference_start, proposal.reference_length, reference.size()) ||
            !fits(proposal.hypothesis_start, proposal.hypothesis_length, hypothesis.size())) {
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

}  // namespace meteor

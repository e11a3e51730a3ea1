// Candidates of single words: by keys, vectors, rows of an encoder and pieces.
#include "candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

namespace meteor {

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

// Finds out what the reference has for the words of a hypothesis, as far as it is not known.
bool Candidates::relate(KnownSegment& known, Words hypothesis, std::size_t asked) {
    known.answers.ask(hypothesis, std::identity(), numbers_, new_words_);
    if (!new_words_.empty()) {
        related_.clear();
        if (!relate_all(known, new_words_, asked)) {
            known.generation = 0;
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

}  // namespace meteor

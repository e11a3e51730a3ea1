#include "word_matcher.hpp"

#include <algorithm>
#include <functional>

namespace meteor {

Failure WordMatcher::relate(ReferenceFeatures& reference, Words hypothesis, std::size_t matcher_count) {
    reference.related_words.assign_rows(hypothesis, std::identity(), rows_, new_words_);
    if (!new_words_.empty()) {
        const Failure failure = relate_new_words(reference, matcher_count);
        if (failure != Failure::none) {
            reference.is_valid = false;
            return failure;
        }
        reference.related_words.add_results(related_words_);  // these of a word are in the order of the matchers
        reference.size_in_bytes += 24 * new_words_.size() + sizeof(RelatedWord) * related_words_.size();
    }
    remaining_.clear();
    for (const std::uint32_t row : rows_) remaining_.push_back(reference.related_words.row(row));
    return Failure::none;
}

Failure WordMatcher::relate_new_words(const ReferenceFeatures& reference, std::size_t matcher_count) {
    related_words_.clear();
    for (std::uint32_t index = 0; index < matcher_count; ++index) {
        const Matcher& matcher = chain_.matchers[index];
        Failure failure = Failure::none;
        if (matches_by_key(matcher.family)) {
            failure = relate_by_keys(reference, index);
        } else if (matcher.family == Family::similarity) {
            const auto add = [this, index](std::uint32_t distinct_word, std::uint32_t word, double probability) {
                related_words_.push_back({word, {distinct_word, index, probability}});
                return has_capacity();
            };
            type_comparison_.load(vocabulary_.vectors(matcher.column), new_words_, reference.distinct_words);
            const bool is_complete =
                visit_similar_words(vocabulary_, matcher, new_words_, reference.distinct_words, type_comparison_, add);
            if (!is_complete) failure = Failure::too_many_candidates;
        }
        if (failure != Failure::none) return failure;
    }
    return Failure::none;
}

Failure WordMatcher::relate_by_keys(const ReferenceFeatures& reference, std::uint32_t index) {
    const Matcher& matcher = chain_.matchers[index];
    const bool matches_equal_words = matcher.family == Family::exact || matcher.match_equal_words;
    index_keys_of_new_words(matcher);
    const std::size_t distinct_count = reference.distinct_words.size();
    const std::uint32_t* const key_ends = reference.key_ends.data() + index * distinct_count;
    std::uint32_t first_key = index && distinct_count ? key_ends[-1] : 0;
    for (std::uint32_t distinct_word = 0; distinct_word < distinct_count && has_capacity(); ++distinct_word) {
        const std::uint32_t key_end = key_ends[distinct_word];
        find_words_with_keys(View<std::uint32_t>(reference.keys).subspan(first_key, key_end - first_key));
        first_key = key_end;
        const std::uint32_t identity = vocabulary_.identity(reference.distinct_words[distinct_word]);
        for (const std::uint32_t word : matching_words_) {
            if (!has_capacity()) break;
            if (!matches_equal_words && vocabulary_.identity(new_words_[word]) == identity) continue;
            related_words_.push_back({word, {distinct_word, index, 1.0}});
        }
    }
    clear_key_index(matcher);
    return has_capacity() ? Failure::none : Failure::too_many_candidates;
}

void WordMatcher::index_keys_of_new_words(const Matcher& matcher) {
    const std::size_t key_count =
        matcher.family == Family::exact ? vocabulary_.identity_count() : vocabulary_.keys(matcher.column).key_count();
    if (first_entry_.size() < key_count) first_entry_.resize(key_count, NONE);
    entries_.clear();
    key_filter_.clear();
    // The loop runs backward, so that the linked list of each key is in ascending order.
    for (auto word = static_cast<std::uint32_t>(new_words_.size()); word-- > 0;) {
        for (const std::uint32_t key : vocabulary_.keys_of(matcher, new_words_[word])) {
            key_filter_.add(key);
            entries_.push_back({word, first_entry_[key]});
            first_entry_[key] = static_cast<std::uint32_t>(entries_.size() - 1);
        }
    }
}

void WordMatcher::clear_key_index(const Matcher& matcher) noexcept {
    for (const std::uint32_t type : new_words_) {
        for (const std::uint32_t key : vocabulary_.keys_of(matcher, type)) first_entry_[key] = NONE;
    }
}

// Sets `matching_words_` to the new words with at least one of the keys, in ascending order.
void WordMatcher::find_words_with_keys(View<std::uint32_t> keys) {
    matching_words_.clear();
    int matching_keys = 0;
    for (const std::uint32_t key : keys) {
        if (!key_filter_.may_contain(key)) continue;
        std::uint32_t entry = first_entry_[key];
        matching_keys += entry != NONE;
        for (; entry != NONE; entry = entries_[entry].next) matching_words_.push_back(entries_[entry].word);
    }
    if (matching_keys > 1) {
        std::ranges::sort(matching_words_);
        matching_words_.erase(std::unique(matching_words_.begin(), matching_words_.end()), matching_words_.end());
    }
}

// Adds the candidates in the order of hypothesis words. The candidate set sorts them by reference word.
Failure WordMatcher::add_candidates(const ReferenceFeatures& reference, std::uint32_t matcher,
                                    CandidateSet& candidates) {
    for (std::uint32_t i = 0; i < remaining_.size(); ++i) {
        View<RelatedWord>& remaining = remaining_[i];
        for (; !remaining.empty() && remaining.front().matcher == matcher; remaining = remaining.subspan(1)) {
            const RelatedWord& related = remaining.front();
            const std::uint32_t end = reference.position_starts[related.distinct_word + 1];
            for (std::uint32_t k = reference.position_starts[related.distinct_word]; k < end; ++k) {
                candidates.add({reference.positions[k], 1, i, 1, matcher, related.probability});
                if (!candidates.has_capacity()) return Failure::too_many_candidates;
            }
        }
    }
    return Failure::none;
}

}  // namespace meteor

// Word types (distinct words) and their features. Each feature is computed once per word type.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "chain.hpp"
#include "common.hpp"
#include "hash_tables.hpp"

namespace meteor {

// The hash of a word in Java (String.hashCode).
[[nodiscard]] std::uint32_t java_hash(View<char32_t> string) noexcept;

// The keys or pieces of all word types, by which a matcher compares words. The keys of a column are numbered from 0.
class KeyColumn {
public:
    [[nodiscard]] Words keys(std::uint32_t type) const noexcept {
        return {keys_.data() + starts_[type], starts_[type + 1] - starts_[type]};
    }
    [[nodiscard]] std::uint32_t key_count() const noexcept { return key_count_; }
    [[nodiscard]] std::size_t type_count() const noexcept { return starts_.size() - 1; }

    // Each of these functions adds the keys of the next word type. A column uses only one of the functions.
    void add_ids(const std::vector<std::uint32_t>& ids);          // ids are consecutive numbers from 0
    void add_numbers(const std::vector<std::uint32_t>& numbers);  // any numbers
    void add_string(View<char32_t> string);
    void add_ngrams(View<char32_t> word, const std::u32string& lowercase_word, std::size_t max_length);

private:
    void add_piece(std::u32string& piece);

    std::vector<std::size_t> starts_{0};
    std::vector<std::uint32_t> keys_;
    std::uint32_t key_count_ = 0;
    StringTable strings_;
    IdMap numbers_;
    std::vector<std::size_t> last_type_;  // of each piece, the last word type that has it
};

// The unit vectors of all word types, which a similarity matcher compares.
struct VectorColumn {
    std::size_t dimension = 0;
    std::vector<float> rows;
    std::vector<std::uint8_t> has_vector;  // 0 for a row of zeros, which does not match anything

    [[nodiscard]] const float* row(std::uint32_t type) const noexcept {
        return rows.data() + std::size_t{type} * dimension;
    }
    [[nodiscard]] std::size_t type_count() const noexcept { return has_vector.size(); }
    void add(const float* new_rows, std::size_t count, std::size_t new_dimension);
};

class Vocabulary {
public:
    explicit Vocabulary(const Chain& chain);

    // -- Adding word types

    // For a word type whose tokens have only a form.
    [[nodiscard]] std::uint32_t find(View<char32_t> form, std::uint64_t hash) const { return forms_.find(form, hash); }
    std::uint32_t find_or_insert(View<char32_t> form, std::uint64_t hash);
    // Prefetches the parts of memory-mapped indexes that find_or_insert() reads.
    void prefetch(const std::vector<View<char32_t>>& forms);

    // For a word type whose tokens have other features besides the form. Always adds a new word type.
    std::uint32_t insert(View<char32_t> form);

    // -- Features of new word types, which Python computes. Call set_function_words() last.

    void set_units(View<std::uint32_t> units);
    [[nodiscard]] KeyColumn& keys(std::size_t column) { return keys_[column]; }
    [[nodiscard]] VectorColumn& vectors(std::size_t column) { return vectors_[column]; }
    void set_function_words(View<std::uint8_t> flags);

    // -- Reading

    [[nodiscard]] std::size_t size() const noexcept { return form_ids_.size(); }
    [[nodiscard]] std::size_t described_count() const noexcept { return is_function_word_.size(); }
    [[nodiscard]] bool is_complete() const;  // whether all types have all features

    [[nodiscard]] View<char32_t> form(std::uint32_t type) const noexcept { return forms_[form_ids_[type]]; }
    // For matchers, word types with the same identity are the same word.
    [[nodiscard]] std::uint32_t identity(std::uint32_t type) const noexcept { return identities_[type]; }
    [[nodiscard]] std::size_t identity_count() const noexcept {
        return std::max(forms_.size(), identity_by_hash_.size());
    }
    [[nodiscard]] bool is_function_word(std::uint32_t type) const noexcept { return is_function_word_[type] != 0; }
    // The count of a word, multiplied by Chain::unit: 1, a weight, or its number of UTF-16 code units (character mode).
    [[nodiscard]] std::uint32_t units(std::uint32_t type) const noexcept { return units_[type]; }
    [[nodiscard]] const KeyColumn& keys(std::size_t column) const noexcept { return keys_[column]; }
    // The keys by which a matcher compares words. Without such keys, the result is empty.
    [[nodiscard]] Words keys_of(const Matcher& matcher, std::uint32_t type) const noexcept {
        if (matcher.family == Family::exact) return {&identities_[type], 1};
        return matches_by_key(matcher.family) ? keys_[matcher.column].keys(type) : Words{};
    }
    [[nodiscard]] const VectorColumn& vectors(std::size_t column) const noexcept { return vectors_[column]; }
    [[nodiscard]] PhraseWord phrase_word(std::size_t column, std::uint32_t type) const noexcept {
        return phrase_words_[column][type];
    }

private:
    void add_type(std::uint32_t form_id);
    [[nodiscard]] std::uint32_t identity_of(std::uint32_t form_id);
    [[nodiscard]] std::uint32_t default_units(View<char32_t> form) const noexcept;

    const Chain& chain_;
    StringTable forms_;
    std::vector<std::uint32_t> form_ids_, identities_;                   // by type
    std::unordered_map<std::uint32_t, std::uint32_t> identity_by_hash_;  // for Identity::java
    std::vector<std::uint8_t> is_function_word_;
    std::vector<std::uint32_t> units_;
    std::vector<KeyColumn> keys_;
    std::vector<VectorColumn> vectors_;
    std::vector<std::vector<PhraseWord>> phrase_words_;
    std::vector<std::uint32_t> synsets_, hashes_;
};

}  // namespace meteor

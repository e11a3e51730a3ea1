// Word types and their features, each computed once.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "chain.hpp"
#include "common.hpp"
#include "hash_tables.hpp"

namespace meteor {

// String.hashCode of Java.
[[nodiscard]] std::uint32_t java_hash(View<char32_t> string) noexcept;

// The keys of all word types, for a matcher that compares words by keys or pieces. A column numbers its keys from 0.
class KeyColumn {
public:
    [[nodiscard]] Words keys(std::uint32_t type) const noexcept {
        return {keys_.data() + starts_[type], starts_[type + 1] - starts_[type]};
    }
    [[nodiscard]] std::uint32_t key_count() const noexcept { return key_count_; }
    [[nodiscard]] std::size_t type_count() const noexcept { return starts_.size() - 1; }

    // Each of these adds the keys of the next word type. A column is filled by one of them only.
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

// The unit vectors of all word types, for a similarity matcher.
struct VectorColumn {
    std::size_t dimension = 0;
    std::vector<float> rows;
    std::vector<std::uint8_t> known;  // 0 for a row of zeros, which does not match anything

    [[nodiscard]] const float* row(std::uint32_t type) const noexcept {
        return rows.data() + std::size_t{type} * dimension;
    }
    [[nodiscard]] std::size_t type_count() const noexcept { return known.size(); }
    void add(const float* new_rows, std::size_t count, std::size_t new_dimension);
};

class Vocabulary {
public:
    explicit Vocabulary(const Chain& chain);

    // -- Adding word types

    // For a type whose token is its form and nothing else.
    [[nodiscard]] std::uint32_t find(View<char32_t> form, std::uint64_t hash) const { return forms_.find(form, hash); }
    std::uint32_t find_or_insert(View<char32_t> form, std::uint64_t hash);
    // Prefetches what find_or_insert() looks up in the mapped indexes.
    void prefetch(const std::vector<View<char32_t>>& forms);

    // For a type whose tokens carry more than their form. The type is always a new one.
    std::uint32_t insert(View<char32_t> form);

    // -- Features of the new types, which Python computes. set_function_words() comes last.

    void set_units(View<std::uint32_t> units);
    [[nodiscard]] KeyColumn& keys(std::size_t column) { return keys_[column]; }
    [[nodiscard]] VectorColumn& vectors(std::size_t column) { return vectors_[column]; }
    void set_function_words(View<std::uint8_t> flags);

    // -- Reading

    [[nodiscard]] std::size_t size() const noexcept { return form_ids_.size(); }
    [[nodiscard]] std::size_t described_count() const noexcept { return is_function_word_.size(); }
    [[nodiscard]] bool is_complete() const;  // whether all types have all features

    [[nodiscard]] View<char32_t> form(std::uint32_t type) const noexcept { return forms_[form_ids_[type]]; }
    // Types with the same identity are the same word for the matchers.
    [[nodiscard]] std::uint32_t identity(std::uint32_t type) const noexcept { return identities_[type]; }
    [[nodiscard]] std::size_t identity_count() const noexcept {
        return std::max(forms_.size(), identity_by_hash_.size());
    }
    [[nodiscard]] bool is_function_word(std::uint32_t type) const noexcept { return is_function_word_[type] != 0; }
    // What the word counts: 1, a weight, or its UTF-16 code units in character mode; times Chain::unit.
    [[nodiscard]] std::uint32_t units(std::uint32_t type) const noexcept { return units_[type]; }
    [[nodiscard]] const KeyColumn& keys(std::size_t column) const noexcept { return keys_[column]; }
    // The keys by which a matcher compares words; empty if it does not use keys.
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

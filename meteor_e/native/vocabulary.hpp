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

// Java's String.hashCode.
std::uint32_t java_hash(View<char32_t> string);

// The keys of a matcher that joins words by keys.
class KeyColumn {
public:
    Words keys(std::uint32_t type) const { return {keys_.data() + starts_[type], starts_[type + 1] - starts_[type]}; }
    std::uint32_t key_count() const { return key_count_; }
    std::size_t size() const { return starts_.size() - 1; }

    void add(const std::vector<std::uint32_t>& keys);  // dense numbers
    void add_string(View<char32_t> string);            // one key, numbered here
    void add_ngrams(View<char32_t> word, const std::u32string& lowered, std::size_t max_length,
                    std::size_t max_characters);
    void add_sparse(const std::vector<std::uint32_t>& keys);  // any numbers

private:
    std::vector<std::size_t> starts_{0};
    std::vector<std::uint32_t> keys_;
    std::uint32_t key_count_ = 0;
    StringTable strings_;
    NumberMap numbers_;
    std::vector<std::size_t> last_word_;  // that has a piece, in the place of the piece's number
};

// The unit vectors of a similarity matcher.
struct VectorColumn {
    std::size_t dimension = 0;
    std::vector<float> rows;
    std::vector<std::uint8_t> known;  // 0: a row of zeros, which matches nothing

    const float* row(std::uint32_t type) const { return rows.data() + std::size_t{type} * dimension; }
    std::size_t size() const { return known.size(); }
    void add(const float* first, std::size_t count, std::size_t width);
};

class Vocabulary {
public:
    explicit Vocabulary(const Chain& chain);

    // A type whose token is its form, and nothing else. Finds it if it is there.
    std::uint32_t find(View<char32_t> form, std::uint64_t hash) const { return forms_.find(form, hash); }
    std::uint32_t intern(View<char32_t> form, std::uint64_t hash);
    // Fetches what intern() will look at, of some forms side by side.
    void fetch(const std::vector<View<char32_t>>& forms);

    // A type of tokens that carry more than their form: always a new one.
    std::uint32_t add(View<char32_t> form);

    // What Python says of the types that are new, in their order.
    // What the new types count, in the place of 1; before add_functional.
    void weigh(const std::uint32_t* units, std::size_t count);
    void add_functional(const std::uint8_t* flags, std::size_t count);
    KeyColumn& keys(std::size_t column) { return keys_[column]; }
    VectorColumn& vectors(std::size_t column) { return vectors_[column]; }
    bool complete() const;  // whether every type has all its features

    std::size_t size() const { return form_of_.size(); }
    std::size_t described() const { return functional_.size(); }  // types whose features are there
    View<char32_t> form(std::uint32_t type) const { return forms_[form_of_[type]]; }
    // What makes words equal: types with one identity are one word to the matchers.
    std::uint32_t identity(std::uint32_t type) const { return identity_of_[type]; }
    Words identity_key(std::uint32_t type) const { return {&identity_of_[type], 1}; }
    std::size_t identity_count() const { return std::max(forms_.size(), identities_.size()); }
    bool functional(std::uint32_t type) const { return functional_[type] != 0; }
    std::uint32_t units(std::uint32_t type) const { return units_[type]; }
    const KeyColumn& keys(std::size_t column) const { return keys_[column]; }
    const VectorColumn& vectors(std::size_t column) const { return vectors_[column]; }
    PhraseWord phrase_word(std::size_t column, std::uint32_t type) const { return phrase_words_[column][type]; }

private:
    void add_type(std::uint32_t form);

    const Chain& chain_;
    StringTable forms_;
    std::vector<std::uint32_t> form_of_, identity_of_;
    std::unordered_map<std::uint32_t, std::uint32_t> identities_;  // numbers of the hashes of words, if they count
    std::vector<std::uint8_t> functional_;
    std::vector<std::uint32_t> units_;  // what the word counts: 1, or its UTF-16 code units in character mode
    std::vector<KeyColumn> keys_;
    std::vector<VectorColumn> vectors_;
    std::vector<std::vector<PhraseWord>> phrase_words_;
    std::vector<std::uint32_t> synsets_, hashes_;
};

}  // namespace meteor

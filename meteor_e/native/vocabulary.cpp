#include "vocabulary.hpp"

#include <algorithm>

namespace meteor {

namespace {

constexpr char32_t AFTER_UNICODE = 0x110000;  // the first number that is not a code point

// The table in which the vocabulary looks up the words for a matcher, or null if the matcher has no table.
const WordTable* word_table_of(const Matcher& matcher) noexcept {
    if (matcher.synonyms) return &matcher.synonyms->words();
    return matcher.phrases ? &matcher.phrases->words() : nullptr;
}

// Returns the pattern of capital letters in a word, from the first capital on. The result differs from all n-grams.
std::u32string capitals_of(View<char32_t> word, const std::u32string& lowercase_word) {
    std::u32string capitals;
    for (std::size_t k = 0; k < std::min(word.size(), lowercase_word.size()); ++k) {
        const bool is_capital = word[k] != lowercase_word[k];
        if (is_capital || !capitals.empty()) capitals.push_back(AFTER_UNICODE + is_capital);
    }
    capitals.push_back(AFTER_UNICODE);
    return capitals;
}

}  // namespace

std::uint32_t java_hash(View<char32_t> string) noexcept {
    std::uint32_t hash = 0;
    for (const char32_t character : string) {
        if (character > 0xFFFF) {  // two UTF-16 code units
            hash = 31 * hash + (0xD7C0 + static_cast<std::uint32_t>(character >> 10));
            hash = 31 * hash + (0xDC00 | static_cast<std::uint32_t>(character & 0x3FF));
        } else {
            hash = 31 * hash + static_cast<std::uint32_t>(character);
        }
    }
    return hash;
}

void KeyColumn::add_ids(const std::vector<std::uint32_t>& ids) {
    for (const std::uint32_t id : ids) {
        keys_.push_back(id);
        key_count_ = std::max(key_count_, id + 1);
    }
    starts_.push_back(keys_.size());
}

void KeyColumn::add_numbers(const std::vector<std::uint32_t>& numbers) {
    for (const std::uint32_t number : numbers) keys_.push_back(numbers_.find_or_insert(number));
    key_count_ = numbers_.size();
    starts_.push_back(keys_.size());
}

void KeyColumn::add_string(View<char32_t> string) {
    keys_.push_back(strings_.find_or_insert(string));
    key_count_ = static_cast<std::uint32_t>(strings_.size());
    starts_.push_back(keys_.size());
}

// Adds the same pieces of a word as NgramMatcher in meteor_e/matchers/pieces.py.
void KeyColumn::add_ngrams(View<char32_t> word, const std::u32string& lowercase_word, std::size_t max_length) {
    std::u32string piece;
    if (!std::ranges::equal(word, lowercase_word)) {
        piece = capitals_of(word, lowercase_word);
        add_piece(piece);
    }
    const std::u32string marked = U'\x02' + lowercase_word + U'\x03';
    for (const char32_t character : lowercase_word) {
        piece.assign(1, character);
        add_piece(piece);
    }
    for (std::size_t length = 2; length <= max_length; ++length) {
        for (std::size_t start = 0; start + length <= marked.size(); ++start) {
            piece.assign(marked, start, length);
            add_piece(piece);
        }
    }
    key_count_ = static_cast<std::uint32_t>(strings_.size());
    starts_.push_back(keys_.size());
}

// Adds a piece of the next word type. If a piece is repeated in a word, a counter is appended, so that each occurrence
// is a different piece.
void KeyColumn::add_piece(std::u32string& piece) {
    const std::size_t length = piece.size(), type = starts_.size();
    std::uint32_t id = strings_.find_or_insert(piece);
    last_type_.resize(strings_.size(), 0);
    for (char32_t counter = AFTER_UNICODE; last_type_[id] == type; ++counter) {
        piece.resize(length);
        piece.push_back(counter);
        id = strings_.find_or_insert(piece);
        last_type_.resize(strings_.size(), 0);
    }
    last_type_[id] = type;
    keys_.push_back(id);
}

void VectorColumn::add(const float* new_rows, std::size_t count, std::size_t new_dimension) {
    if (has_vector.empty()) dimension = new_dimension;
    if (new_dimension != dimension) throw std::invalid_argument("the vectors' dimension changed");
    rows.insert(rows.end(), new_rows, new_rows + count * dimension);
    for (std::size_t k = 0; k < count; ++k) {
        const float* const row = new_rows + k * dimension;
        has_vector.push_back(std::any_of(row, row + dimension, [](float value) { return value != 0; }));
    }
}

Vocabulary::Vocabulary(const Chain& chain) : chain_(chain) {
    for (const Matcher& matcher : chain.matchers) {
        const auto add_column = [&matcher](auto& columns) {
            columns.resize(std::max(columns.size(), matcher.column + 1));
        };
        if (matches_by_pieces(matcher.family)) add_column(keys_);
        if (matches_by_key(matcher.family) && matcher.family != Family::exact) add_column(keys_);
        if (matcher.family == Family::similarity) add_column(vectors_);
        if (matcher.family == Family::phrases) add_column(phrase_words_);
    }
}

std::uint32_t Vocabulary::find_or_insert(View<char32_t> form, std::uint64_t hash) {
    const std::uint32_t id = forms_.find_or_insert(form, hash);
    if (id == form_ids_.size()) add_type(id);
    return id;
}

// Each step of the lookup handles all words, so that the memory accesses of different words overlap.
void Vocabulary::prefetch(const std::vector<View<char32_t>>& forms) {
    hashes_.clear();
    for (const View<char32_t>& form : forms) hashes_.push_back(WordTable::hash(utf8(form)));
    for (int step = 0; step < WordTable::PREFETCH_STEPS; ++step) {
        for (const Matcher& matcher : chain_.matchers) {
            const WordTable* const table = word_table_of(matcher);
            if (!table) continue;
            for (const std::uint32_t hash : hashes_) table->prefetch(hash, step);
        }
    }
}

std::uint32_t Vocabulary::insert(View<char32_t> form) {
    add_type(forms_.find_or_insert(form));
    return static_cast<std::uint32_t>(form_ids_.size() - 1);
}

void Vocabulary::add_type(std::uint32_t form_id) {
    const View<char32_t> form = forms_[form_id];
    form_ids_.push_back(form_id);
    identities_.push_back(identity_of(form_id));
    units_.push_back(default_units(form) * chain_.unit);
    for (const Matcher& matcher : chain_.matchers) {
        if (matcher.family == Family::synonyms) {
            matcher.synonyms->find_synsets(form, synsets_);
            keys_[matcher.column].add_numbers(synsets_);
        } else if (matcher.family == Family::phrases) {
            phrase_words_[matcher.column].push_back(matcher.phrases->word(utf8(form)));
        }
    }
}

std::uint32_t Vocabulary::identity_of(std::uint32_t form_id) {
    if (chain_.identity == Identity::word) return form_id;
    const auto new_identity = static_cast<std::uint32_t>(identity_by_hash_.size());
    return identity_by_hash_.emplace(java_hash(forms_[form_id]), new_identity).first->second;
}

std::uint32_t Vocabulary::default_units(View<char32_t> form) const noexcept {
    if (!chain_.character_mode) return 1;
    auto code_units = static_cast<std::uint32_t>(form.size());
    for (const char32_t character : form) code_units += character > 0xFFFF;
    return code_units;
}

void Vocabulary::set_units(View<std::uint32_t> units) {
    const auto first = units_.begin() + static_cast<std::ptrdiff_t>(described_count());
    std::ranges::transform(units, first, [this](std::uint32_t weight) { return weight * chain_.unit; });
}

void Vocabulary::set_function_words(View<std::uint8_t> flags) {
    is_function_word_.insert(is_function_word_.end(), flags.begin(), flags.end());
}

bool Vocabulary::is_complete() const {
    for (const Matcher& matcher : chain_.matchers) {
        const bool has_keys_from_python =
            matcher.family == Family::keys || matcher.family == Family::strings || matches_by_pieces(matcher.family);
        if (has_keys_from_python && keys_[matcher.column].type_count() != size()) return false;
        if (matcher.family == Family::similarity && vectors_[matcher.column].type_count() != size()) return false;
    }
    return is_function_word_.size() == size();
}

}  // namespace meteor

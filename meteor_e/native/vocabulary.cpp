#include "vocabulary.hpp"

#include <algorithm>

namespace meteor {

std::uint32_t java_hash(View<char32_t> string) {
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

void KeyColumn::add(const std::vector<std::uint32_t>& keys) {
    for (const std::uint32_t key : keys) {
        keys_.push_back(key);
        key_count_ = std::max(key_count_, key + 1);
    }
    starts_.push_back(keys_.size());
}

void KeyColumn::add_string(View<char32_t> string) { add({strings_.insert(string)}); }

void KeyColumn::add_sparse(const std::vector<std::uint32_t>& keys) {
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t key : keys) numbers.push_back(numbers_.number(key));
    add(numbers);
}

// The pieces of NgramMatcher in meteor_e/matchers/pieces.py; a piece that comes again is another one.
void KeyColumn::add_ngrams(View<char32_t> word, const std::u32string& lowered, std::size_t max_length,
                           std::size_t max_characters) {
    constexpr char32_t BEYOND = 0x110000;  // the first number that is no character
    const View<char32_t> looked_at = word.first(std::min(word.size(), max_characters));
    std::u32string piece;
    const auto add_piece = [&](auto first, auto last) {
        piece.assign(first, last);
        std::uint32_t number;
        for (char32_t again = BEYOND;; ++again) {
            number = strings_.insert(piece);
            last_word_.resize(strings_.size(), 0);
            if (last_word_[number] != starts_.size()) break;
            piece.resize(static_cast<std::size_t>(last - first));
            piece.push_back(again);
        }
        last_word_[number] = starts_.size();
        keys_.push_back(number);
    };
    if (!std::ranges::equal(looked_at, lowered)) {
        std::u32string cases;
        for (std::size_t k = 0; k < std::min(looked_at.size(), lowered.size()); ++k) {
            const bool capital = looked_at[k] != lowered[k];
            if (capital || !cases.empty()) cases.push_back(BEYOND + capital);
        }
        cases.push_back(BEYOND);  // no n-gram
        add_piece(cases.begin(), cases.end());
    }
    const std::u32string marked = U'\x02' + lowered + U'\x03';
    const auto start = marked.begin(), end = marked.end();
    for (auto at = start + 1; at != end - 1; ++at) add_piece(at, at + 1);
    for (std::ptrdiff_t length = 2; length <= static_cast<std::ptrdiff_t>(max_length); ++length) {
        for (auto at = start; end - at >= length; ++at) add_piece(at, at + length);
    }
    key_count_ = static_cast<std::uint32_t>(strings_.size());
    starts_.push_back(keys_.size());
}

void VectorColumn::add(const float* first, std::size_t count, std::size_t width) {
    if (known.empty()) dimension = width;
    if (width != dimension) throw std::invalid_argument("the vectors' dimension changed");
    rows.insert(rows.end(), first, first + count * width);
    for (std::size_t k = 0; k < count; ++k) {
        const float* row = first + k * width;
        known.push_back(std::any_of(row, row + width, [](float value) { return value != 0; }));
    }
}

Vocabulary::Vocabulary(const Chain& chain) : chain_(chain) {
    for (const Matcher& matcher : chain.matchers) {
        const auto make_room = [&matcher](auto& columns) {
            columns.resize(std::max(columns.size(), matcher.column + 1));
        };
        if (shares_pieces(matcher.family)) make_room(keys_);
        if (joins_by_keys(matcher.family) && matcher.family != Family::exact) make_room(keys_);
        if (matcher.family == Family::similarity) make_room(vectors_);
        if (matcher.family == Family::phrases) make_room(phrase_words_);
    }
}

std::uint32_t Vocabulary::intern(View<char32_t> form, std::uint64_t hash) {
    const std::uint32_t number = forms_.insert(form, hash);
    if (number == form_of_.size()) add_type(number);
    return number;
}

void Vocabulary::fetch(const std::vector<View<char32_t>>& forms) {
    hashes_.clear();
    for (const View<char32_t>& form : forms) hashes_.push_back(WordTable::hash(utf8(form)));
    for (int step = 0; step < WordTable::FETCHES; ++step) {
        for (const Matcher& matcher : chain_.matchers) {
            const WordTable* const words = matcher.synonyms  ? &matcher.synonyms->words()
                                           : matcher.phrases ? &matcher.phrases->words()
                                                             : nullptr;
            if (!words) continue;
            for (const std::uint32_t hash : hashes_) words->fetch(hash, step);
        }
    }
}

std::uint32_t Vocabulary::add(View<char32_t> form) {
    add_type(forms_.insert(form));
    return static_cast<std::uint32_t>(form_of_.size() - 1);
}

void Vocabulary::add_type(std::uint32_t number) {
    form_of_.push_back(number);
    const View<char32_t> form = forms_[number];
    std::uint32_t identity = number;
    if (chain_.identity == Identity::java) {
        const auto next = static_cast<std::uint32_t>(identities_.size());
        identity = identities_.emplace(java_hash(form), next).first->second;
    }
    identity_of_.push_back(identity);
    std::uint32_t units = 1;
    if (chain_.character_mode) {
        units = static_cast<std::uint32_t>(form.size());
        for (const char32_t character : form) units += character > 0xFFFF;
    }
    units_.push_back(units * chain_.unit);
    for (const Matcher& matcher : chain_.matchers) {
        if (matcher.family == Family::synonyms) {
            matcher.synonyms->synsets(form, synsets_);
            keys_[matcher.column].add_sparse(synsets_);
        } else if (matcher.family == Family::phrases) {
            phrase_words_[matcher.column].push_back(matcher.phrases->word(utf8(form)));
        }
    }
}

void Vocabulary::weigh(const std::uint32_t* units, std::size_t count) {
    std::transform(units, units + count, units_.begin() + static_cast<std::ptrdiff_t>(described()),
                   [this](std::uint32_t number) { return number * chain_.unit; });
}

void Vocabulary::add_functional(const std::uint8_t* flags, std::size_t count) {
    functional_.insert(functional_.end(), flags, flags + count);
}

bool Vocabulary::complete() const {
    for (const Matcher& matcher : chain_.matchers) {
        const bool has_keys =
            matcher.family == Family::keys || matcher.family == Family::strings || shares_pieces(matcher.family);
        if (has_keys && keys_[matcher.column].size() != size()) return false;
        if (matcher.family == Family::similarity && vectors_[matcher.column].size() != size()) return false;
    }
    return functional_.size() == size();
}

}  // namespace meteor

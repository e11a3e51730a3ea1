#include "reader.hpp"

#include <algorithm>

namespace meteor {

namespace {

bool is_separator(std::uint8_t character) noexcept { return (classes(character) & SEPARATOR) != 0; }

const std::uint8_t* skip_separators(const std::uint8_t* start, const std::uint8_t* end) noexcept {
    return std::find_if_not(start, end, is_separator);
}

// The rules for these characters also match the neighboring characters. If two tokens have such characters at their
// common space, both rules need this space, but only one of them can match it.
bool consumes_neighbors(std::uint8_t character) noexcept {
    return character == '\'' || character == '`' || character == ',';
}

// Returns a representative of the class of a character after a final dot. The rules for final dots distinguish
// lowercase letters, digits, and all other characters.
char32_t kind_of_following(std::uint8_t character) noexcept {
    if (character >= 'a' && character <= 'z') return U'a';
    return character >= '0' && character <= '9' ? U'0' : U'-';
}

}  // namespace

void ReadWords::add(const Vocabulary& vocabulary, const NormalizedText& text) {
    for (const auto& [offset, size] : text.words) {
        const View<char32_t> word(text.characters.data() + offset, size);
        const std::uint64_t hash = StringTable::hash(word);
        const std::uint32_t type = vocabulary.find(word, hash);
        if (type == StringTable::ABSENT) {
            new_words.push_back({types.size(), characters.size(), size, hash});
            characters.append(word.data(), size);
        }
        types.push_back(type);
    }
}

bool Reader::read(const Text& text, const Normalizer& normalizer, ReadWords& words) {
    if (text.width == 1) {
        const std::size_t type_count = words.types.size(), new_word_count = words.new_words.size();
        const Result result = read_tokens({static_cast<const std::uint8_t*>(text.data), text.size}, normalizer, words);
        if (result == Result::complete) return true;
        words.types.resize(type_count);
        words.new_words.resize(new_word_count);
        if (result == Result::needs_python) return false;
    }
    if (!normalizer.split_words(text, 0, normalized_)) return false;
    words.add(vocabulary_, normalized_);
    return true;
}

// Fills `tokens_`. Returns false if the rules cannot be applied token by token.
bool Reader::split_tokens(Remainder& remainder) {
    const std::uint8_t* const end = remainder.end;
    tokens_.clear();
    while (remainder.start < end && tokens_.size() < TOKENS_AHEAD) {
        const std::uint8_t* const start = remainder.start;
        RawToken key;
        std::size_t size = read_raw_token(start, end, key);
        const bool is_long = size > RawToken::MAX_CHARACTERS;
        if (is_long) {
            key = {};
            while (start + size < end && start[size] > 0x20 && start[size] != 0xA0) ++size;
        }
        const std::uint8_t* const token_end = start + size;
        // Control characters are removed only at the ends of a text. Unicode spaces separate words in a later step.
        if (token_end < end && !is_separator(*token_end)) return false;
        if (remainder.follows_consuming_character && consumes_neighbors(*start)) return false;
        remainder.follows_consuming_character = consumes_neighbors(token_end[-1]);
        remainder.start = skip_separators(token_end, end);
        char32_t following = 0;
        if (token_end[-1] == '.' && remainder.start < end) {
            following = kind_of_following(*remainder.start);
            if (!is_long) key.set_following(following);
        }
        const std::uint64_t hash = TokenCache::hash(key);
        cache_.prefetch(hash);
        tokens_.push_back({{start, size}, following, key, hash});
    }
    return true;
}

Reader::Result Reader::read_tokens(View<std::uint8_t> text, const Normalizer& normalizer, ReadWords& words) {
    const std::uint8_t* const end = text.data() + text.size();
    Remainder remainder{skip_separators(text.data(), end), end, false};
    while (remainder.start < remainder.end) {
        if (!split_tokens(remainder)) return Result::tokens_are_not_independent;
        for (const Token& token : tokens_) {
            if (!read_token(token, normalizer, words)) return Result::needs_python;
        }
    }
    return Result::complete;
}

// Returns false if the token needs the normalizer in Python.
bool Reader::read_token(const Token& token, const Normalizer& normalizer, ReadWords& words) {
    std::vector<std::uint32_t>& types = words.types;
    const bool is_cacheable = !token.key.is_empty();
    if (is_cacheable) {
        if (const auto known_types = cache_.find(token.key, token.hash)) {
            for (const std::uint32_t type : *known_types) types.push_back(type);
            return true;
        }
    }
    if (!normalizer.split_words({token.text.data(), token.text.size(), 1}, token.following, normalized_)) return false;
    const std::size_t first_type = types.size(), new_word_count = words.new_words.size();
    words.add(vocabulary_, normalized_);
    const bool has_new_words = words.new_words.size() != new_word_count;
    if (is_cacheable && !has_new_words && types.size() - first_type <= TokenCache::MAX_WORDS) {
        cache_.insert(token.key, token.hash, Words(types).subspan(first_type));
    }
    return true;
}

}  // namespace meteor

// Splits raw texts into words, and looks up the word types.
#pragma once

#include <string>
#include <vector>

#include "common.hpp"
#include "normalizer.hpp"
#include "token_cache.hpp"
#include "vocabulary.hpp"

namespace meteor {

// The words of consecutive segments. Words that are not in the vocabulary do not have a type yet.
struct ReadWords {
    struct NewWord {
        std::size_t type_index;    // in `types`
        std::size_t offset, size;  // in `characters`
        std::uint64_t hash;
    };

    std::vector<std::uint32_t> types;
    std::vector<NewWord> new_words;
    std::u32string characters;  // of the new words

    void add(const Vocabulary& vocabulary, const NormalizedText& text);
    [[nodiscard]] View<char32_t> form(const NewWord& word) const noexcept {
        return {characters.data() + word.offset, word.size};
    }
};

// Reads texts in one thread. A token is a part of a text between white space. Most tokens are found in a cache. This is
// possible because only two rules of the normalizer look at the next token, and no rule looks further.
class Reader {
public:
    explicit Reader(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    // Appends the words of a text. If the text needs the normalizer in Python, returns false and appends nothing.
    [[nodiscard]] bool read(const Text& text, const Normalizer& normalizer, ReadWords& words);

private:
    enum class Result { complete, needs_python, tokens_are_not_independent };

    struct Token {
        View<std::uint8_t> text;
        char32_t following;  // 0, or a character of the same kind as the first one of the next token
        RawToken key;        // empty if the text is too long for the cache
        std::uint64_t hash;
    };
    // The rest of a text, which has not been read yet.
    struct Remainder {
        const std::uint8_t* start;
        const std::uint8_t* end;
        bool follows_consuming_character;  // the rule for the character before the space consumes the space
    };
    static constexpr std::size_t TOKENS_AHEAD = 64;  // tokens that are split off before the first of them is looked up

    [[nodiscard]] bool split_tokens(Remainder& remainder);
    [[nodiscard]] Result read_tokens(View<std::uint8_t> text, const Normalizer& normalizer, ReadWords& words);
    [[nodiscard]] bool read_token(const Token& token, const Normalizer& normalizer, ReadWords& words);

    const Vocabulary& vocabulary_;
    NormalizedText normalized_;
    std::vector<Token> tokens_;
    TokenCache cache_;
};

}  // namespace meteor

// From raw texts to word types, as one thread reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "normalizer.hpp"
#include "vocabulary.hpp"

namespace meteor {

// The words of segments, one after the other.
struct ReadWords {
    struct NewWord {
        std::size_t place;         // in `types`
        std::size_t offset, size;  // in `characters`
        std::uint64_t hash;
    };

    std::vector<std::uint32_t> types;
    std::vector<NewWord> new_words;  // that have no type yet
    std::u32string characters;

    void add(const Vocabulary& vocabulary, const NormalizedText& text);
};

// What lies between two white spaces: up to 15 characters, a byte each, and behind them a number of ours.
struct RawToken {
    static constexpr std::size_t LONGEST = 15;

    std::uint64_t head = 0, tail = 0;  // the first character is the lowest byte of `head`

    bool operator==(const RawToken&) const = default;
};

// The word types of raw tokens that were met before. Bounded: it forgets all when it is full.
class TokenMemory {
public:
    static constexpr std::size_t MOST_WORDS = 3;

    static std::uint64_t hash(RawToken token) { return mix(mix(token.head) * 0x9E3779B97F4A7C15ull ^ token.tail); }

    // Fetches what find() will look at.
    void expect(std::uint64_t hash) const {
        if (!slots_.empty()) METEOR_PREFETCH(&slots_[hash & (slots_.size() - 1)]);
    }
    std::optional<Words> find(RawToken token, std::uint64_t hash) const;
    // Takes one that find() does not know.
    void add(RawToken token, std::uint64_t hash, Words types);
    void clear();

private:
    struct Slot {
        RawToken token;  // of no characters: the slot is empty
        std::uint32_t count = 0;
        std::uint32_t types[MOST_WORDS] = {};
    };
    static constexpr std::size_t FIRST_SLOTS = std::size_t{1} << 10, MOST_SLOTS = std::size_t{1} << 17;

    std::size_t slot_of(RawToken token, std::uint64_t hash) const;
    void grow();

    std::vector<Slot> slots_;  // a power of two of them, at most half in use
    std::size_t used_ = 0;
};

// Reads texts. No rule of the normalizer looks further than to the next token, and only two look there at all; so a
// text is taken token by token, and most tokens were met before.
class Reader {
public:
    explicit Reader(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    // Appends the words of a text. False: the normalizer leaves the text to Python; nothing is appended.
    bool read(const Text& text, const Normalizer& normalizer, ReadWords& words);

private:
    enum class Result { done, left_to_python, must_be_read_whole };

    struct FoundToken {
        View<std::uint8_t> text;
        char32_t following;  // 0, or what stands for the first character of the next token
        RawToken token;      // empty: the text is too long
        std::uint64_t hash;
    };
    // What is left of a text.
    struct Rest {
        const std::uint8_t* at;
        const std::uint8_t* end;
        bool after_taker;  // whether the token before ends with a character whose rule takes the space behind it
    };
    static constexpr std::size_t AHEAD = 64;  // tokens that are looked for before the first of them is looked up

    bool find_tokens(Rest& rest);
    Result read_tokens(View<std::uint8_t> text, const Normalizer& normalizer, ReadWords& words);

    const Vocabulary& vocabulary_;
    NormalizedText normalized_;
    std::vector<FoundToken> tokens_;
    TokenMemory memory_;
};

}  // namespace meteor

// From raw text to words: the passes of meteor_e/text/normalization.py, which says what each is for.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "characters.hpp"
#include "common.hpp"

namespace meteor {

enum class Mode { none, lower, full, no_punctuation };
enum class Apostrophes { english, french, apart };

// A text as Python holds it: `width` bytes a character.
struct Text {
    const void* data = nullptr;
    std::size_t size = 0;
    int width = 1;
};

// Characters that grow as they are appended to, without being set to zero first.
class Characters {
public:
    void reserve(std::size_t capacity);
    void clear() { size_ = 0; }
    void push(char32_t character) { data_[size_++] = character; }  // after reserve()
    void append(const char32_t* first, const char32_t* last);      // after reserve()
    void release_if_larger_than(std::size_t limit);

    const char32_t* data() const { return data_.get(); }
    char32_t* data() { return data_.get(); }
    std::size_t size() const { return size_; }
    char32_t operator[](std::size_t index) const { return data_[index]; }
    void swap(Characters& other) noexcept;

private:
    std::unique_ptr<char32_t[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// The words of a text: slices of `characters`.
struct NormalizedText {
    Characters characters;
    std::vector<std::pair<std::size_t, std::size_t>> words;  // offset and length
    Characters spare;                                        // the passes' second buffer
};

class Normalizer {
public:
    using Lowercase = char32_t (*)(char32_t);
    using Prefixes = std::unordered_set<std::u32string>;

    Normalizer(Mode mode, Apostrophes apostrophes, Prefixes always, Prefixes numeric,
               const std::u32string& kept_capitals, Lowercase lowercase)
        : mode_(mode),
          apostrophes_(apostrophes),
          always_(std::move(always)),
          numeric_(std::move(numeric)),
          kept_capitals_(kept_capitals.begin(), kept_capitals.end()),
          lowercase_(lowercase) {}

    // Fills `result`. `following`: the character behind the text and white space, if there is any. False: the text
    // needs the Python normalizer (a letter whose lower case depends on its neighbours or is two characters, or
    // METEOR's own marker for dots).
    bool words(const Text& text, char32_t following, NormalizedText& result) const;

private:
    struct Found;  // which characters the text holds, so that passes without work are left out

    template <class Character>
    bool words_of(const Character* text, std::size_t size, char32_t following, NormalizedText& result) const;
    template <class Character>
    static bool set_symbols_apart(const Character* text, std::size_t size, Characters& out, Found& found);
    bool normalize_punctuation(NormalizedText& result, char32_t following, const Found& found) const;
    void split_apostrophes(Characters& text, Characters& spare) const;
    bool split_final_dots(const Characters& text, char32_t following, Characters& out) const;
    bool split_final_dot(const char32_t* first, const char32_t* last, char32_t following, Characters& out) const;
    bool split_words(NormalizedText& result) const;
    bool lower(char32_t character, Characters& out) const;

    Mode mode_;
    Apostrophes apostrophes_;
    Prefixes always_, numeric_;
    std::unordered_set<char32_t> kept_capitals_;  // that stay as they are, whatever `lowercase_` has of them
    Lowercase lowercase_;
};

}  // namespace meteor

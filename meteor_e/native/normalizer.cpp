#include "normalizer.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace meteor {

namespace {

// A run of n ≥ 2 dots is one character, DOTS + n, from the second step to the last. METEOR writes a word for it.
constexpr char32_t DOTS = 0x110000;
constexpr std::u32string_view MARKER = U"DOTMULTI";

constexpr char32_t CAPITAL_SIGMA = 0x3A3;       // its lower case depends on its neighbours
constexpr char32_t CAPITAL_I_WITH_DOT = 0x130;  // its lower case is two characters
constexpr std::size_t KEPT_BUFFER = std::size_t{1} << 20;

// Replaces a character between two others, in one pass of non-overlapping matches from left to right.
// `before` and `after` say which neighbours fit; `replacement` takes the character's place.
template <class Before, class After>
void replace_between(std::u32string& text, std::u32string& spare, char32_t centre, const Before& before,
                     const After& after, const char32_t* replacement) {
    const char32_t* at = text.data();
    const char32_t* const end = at + text.size();
    spare.clear();
    while (at < end) {
        const char32_t* found = std::find(at + 1, end, centre);
        if (end - found < 2) break;
        if (before(found[-1]) && after(found[1])) {
            spare.append(at, found);
            spare += replacement;
            spare.push_back(found[1]);
            at = found + 2;
        } else {
            spare.append(at, found);
            at = found;
        }
    }
    spare.append(at, end);
    text.swap(spare);
}

bool is_alpha(char32_t c) { return classes(c) & ALPHA; }
bool not_alpha(char32_t c) { return !(classes(c) & ALPHA); }
bool not_alnum(char32_t c) { return !(classes(c) & ALNUM); }
bool is_alnum(char32_t c) { return classes(c) & ALNUM; }
bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool not_digit(char32_t c) { return !is_digit(c); }

void split_commas(std::u32string& text, std::u32string& spare) {
    replace_between(text, spare, ',', not_digit, not_digit, U" , ");
    replace_between(text, spare, ',', is_digit, not_digit, U" , ");
    replace_between(text, spare, ',', not_digit, is_digit, U" , ");
}

// Steps 4 and 5: quotes and dashes. Returns whether an apostrophe is left.
bool unify_quotes_and_dashes(std::u32string& text, std::u32string& spare) {
    const auto single = [](char32_t c) { return c == '\'' || c == '`' || c == 0x2018 || c == 0x2019; };
    bool apostrophe = false;
    const char32_t* at = text.data();
    const char32_t* const end = at + text.size();
    spare.clear();
    while (at < end) {
        const char32_t c = *at++;
        if (single(c)) {
            if (at < end && single(*at)) {
                ++at;
                spare += U" \" ";
            } else {
                spare.push_back('\'');
                apostrophe = true;
            }
        } else if (c == 0x201C || c == 0x201D) {
            spare += U" \" ";
        } else if (c == '-' || c == 0x2013) {
            if (at < end && (*at == '-' || *at == 0x2013)) ++at;
            spare.push_back('-');
        } else {
            spare.push_back(c);
        }
    }
    text.swap(spare);
    return apostrophe;
}

}  // namespace

struct Normalizer::Found {
    bool dots = false, commas = false, quotes_or_dashes = false;
};

bool Normalizer::words(const Text& text, char32_t following, NormalizedText& result) const {
    for (std::u32string* buffer : {&result.characters, &result.spare}) {
        if (buffer->capacity() > KEPT_BUFFER) std::u32string().swap(*buffer);
    }
    result.words.clear();
    switch (text.width) {
        case 1:
            return words_of(static_cast<const std::uint8_t*>(text.data), text.size, following, result);
        case 2:
            return words_of(static_cast<const std::uint16_t*>(text.data), text.size, following, result);
        default:
            return words_of(static_cast<const std::uint32_t*>(text.data), text.size, following, result);
    }
}

template <class Character>
bool Normalizer::words_of(const Character* text, std::size_t size, char32_t following, NormalizedText& result) const {
    std::u32string& characters = result.characters;
    characters.clear();
    if (mode_ == Mode::none || mode_ == Mode::lower) {
        characters.assign(text, text + size);
    } else {
        Found found;
        if (!set_symbols_apart(text, size, characters, found)) return false;
        if (!normalize_punctuation(result, following, found)) return false;
    }
    return split_words(result);
}

// Steps 1 and 2: symbols get a space on both sides, runs of dots become one character between spaces.
template <class Character>
bool Normalizer::set_symbols_apart(const Character* text, std::size_t size, std::u32string& out, Found& found) {
    out.resize(3 * size + 2);
    char32_t* to = out.data();
    *to++ = ' ';
    const Character* const end = text + size;
    for (const Character* at = text; at < end; ++at) {
        const char32_t c = *at;
        const std::uint8_t flags = classes(c);
        if (flags & (ALNUM | SPACE)) {
            if (c == 'D' && MARKER.size() <= static_cast<std::size_t>(end - at) &&
                std::equal(MARKER.begin(), MARKER.end(), at)) {
                return false;
            }
            *to++ = c;
        } else if (!(flags & PLAIN)) {
            found.quotes_or_dashes |= c == 0x2013 || c == 0x201C || c == 0x201D;
            for (const char32_t each : {U' ', c, U' '}) *to++ = each;
        } else if (c == '.') {
            found.dots = true;
            const Character* after = at + 1;
            while (after < end && *after == '.') ++after;
            if (after - at > 1) {
                for (const char32_t each : {U' ', char32_t(DOTS + (after - at)), U' '}) *to++ = each;
                at = after - 1;
            } else {
                *to++ = c;
            }
        } else {
            (c == ',' ? found.commas : found.quotes_or_dashes) = true;
            *to++ = c;
        }
    }
    *to++ = ' ';
    out.resize(static_cast<std::size_t>(to - out.data()));
    return true;
}

bool Normalizer::normalize_punctuation(NormalizedText& result, char32_t following, const Found& found) const {
    std::u32string &text = result.characters, &spare = result.spare;
    if (found.commas) split_commas(text, spare);
    if (found.quotes_or_dashes) {
        const bool apostrophes = unify_quotes_and_dashes(text, spare);
        const auto alnum_or_dot = [](char32_t c) { return c == '.' || is_alnum(c); };
        replace_between(text, spare, '-', alnum_or_dot, is_alnum, U" ");
        if (apostrophes) split_apostrophes(text, spare);
    }
    if (!found.dots) return true;
    spare.clear();
    if (!split_final_dots(text, following, spare)) return false;
    text.swap(spare);
    return true;
}

void Normalizer::split_apostrophes(std::u32string& text, std::u32string& spare) const {
    if (apostrophes_ == Apostrophes::apart) {
        spare.clear();
        for (const char32_t c : text) spare += c == '\'' ? std::u32string_view(U" ' ") : std::u32string_view(&c, 1);
        text.swap(spare);
        return;
    }
    const bool english = apostrophes_ == Apostrophes::english;
    replace_between(text, spare, '\'', not_alpha, not_alpha, U" ' ");
    replace_between(text, spare, '\'', english ? not_alnum : not_alpha, is_alpha, U" ' ");
    replace_between(text, spare, '\'', is_alpha, not_alpha, U" ' ");
    replace_between(text, spare, '\'', is_alpha, is_alpha, english ? U" '" : U"' ");
    if (english) {
        replace_between(text, spare, '\'', is_digit, [](char32_t c) { return c == 's'; }, U" '");
    }
}

// Step 8, word by word.
bool Normalizer::split_final_dots(const std::u32string& text, char32_t following, std::u32string& out) const {
    const auto separator = [](char32_t c) { return (classes(c) & SEPARATOR) != 0; };
    const char32_t* const end = text.data() + text.size();
    const char32_t* first = std::find_if_not(text.data(), end, separator);
    while (first < end) {
        const char32_t* last = std::find_if(first, end, separator);
        const char32_t* next = std::find_if_not(last, end, separator);
        if (last - first > 1 && last[-1] == '.') {
            if (!split_final_dot(first, last, next < end ? *next : following, out)) return false;
        } else {
            out.append(first, last);
        }
        out.push_back(' ');
        first = next;
    }
    return true;
}

bool Normalizer::split_final_dot(const char32_t* first, const char32_t* last, char32_t following,
                                 std::u32string& out) const {
    const char32_t* const dot = last - 1;
    if (std::find(first, dot, U'.') != dot && std::find_if(first, dot, is_alpha) != dot) {
        const std::size_t start = out.size();
        std::remove_copy(first, last, std::back_inserter(out), U'.');
        return std::u32string_view(out).find(MARKER, start) == std::u32string_view::npos;
    }
    const std::u32string prefix(first, dot);
    if (always_.count(prefix) || (following >= 'a' && following <= 'z') ||
        (is_digit(following) && numeric_.count(prefix))) {
        out.append(first, last);
        return true;
    }
    out.append(first, dot);
    out.push_back(' ');
    out.push_back('.');
    return true;
}

// Steps 9 to 11: dots again, punctuation dropped, spaces, lower case; then the words.
bool Normalizer::split_words(NormalizedText& result) const {
    const bool full = mode_ == Mode::full || mode_ == Mode::no_punctuation;
    const auto blank = [this, full](char32_t c) {
        if (full && (classes(c) & BLANK)) return true;
        return mode_ == Mode::no_punctuation && !(classes(c) & ALNUM);
    };
    const auto trimmed = [&blank](char32_t c) { return c <= 0x20 || blank(c); };
    const auto separator = [&blank](char32_t c) { return (classes(c) & SEPARATOR) || blank(c); };

    const std::u32string& text = result.characters;
    const char32_t* at = text.data();
    const char32_t* end = at + text.size();
    // The Java program trims what it has normalized, and nothing else.
    while (full && at < end && trimmed(*at)) ++at;
    while (full && at < end && trimmed(end[-1])) --end;

    std::u32string& out = result.spare;
    out.clear();
    while (at < end) {
        while (at < end && separator(*at)) ++at;
        const std::size_t start = out.size();
        const char32_t* const last = std::find_if(at, end, separator);
        out.append(at, last);
        at = last;
        for (std::size_t k = start; k < out.size(); ++k) {
            if (out[k] > DOTS) out.replace(k, 1, out[k] - DOTS, U'.');
            if (mode_ != Mode::none && !lower(out[k])) return false;
        }
        if (out.size() > start) result.words.emplace_back(start, out.size() - start);
    }
    result.characters.swap(out);
    return true;
}

bool Normalizer::lower(char32_t& character) const {
    if (character < 0x80) {
        if (character >= 'A' && character <= 'Z') character += 32;
    } else if (character == CAPITAL_SIGMA || character == CAPITAL_I_WITH_DOT) {
        return false;
    } else {
        const char32_t lowered = lowercase_(character);
        if (lowered != character && !kept_capitals_.count(character)) character = lowered;
    }
    return true;
}

}  // namespace meteor

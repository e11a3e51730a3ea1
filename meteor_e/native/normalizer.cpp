#include "normalizer.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace meteor {

namespace {

// A run of n ≥ 2 dots is one character, DOTS + n, from the second step to the last. METEOR writes a word for it.
constexpr char32_t DOTS = 0x110000;
const char MARKER[] = "DOTMULTI";
constexpr std::size_t MARKER_SIZE = sizeof MARKER - 1;

constexpr char32_t CAPITAL_SIGMA = 0x3A3;       // its lower case depends on its neighbours
constexpr char32_t CAPITAL_I_WITH_DOT = 0x130;  // its lower case is two characters
constexpr std::size_t KEPT_BUFFER = std::size_t{1} << 20;

template <class Character>
bool marker_at(const Character* at, const Character* end) {
    if (static_cast<std::size_t>(end - at) < MARKER_SIZE) return false;
    for (std::size_t k = 0; k < MARKER_SIZE; ++k) {
        if (at[k] != static_cast<Character>(MARKER[k])) return false;
    }
    return true;
}

bool has_marker(const char32_t* first, const char32_t* last) {
    for (; first < last; ++first) {
        if (marker_at(first, last)) return true;
    }
    return false;
}

// Replaces a character between two others, in one pass of non-overlapping matches from left to right.
// `before` and `after` say which neighbours fit; `replacement` takes the character's place.
template <class Before, class After>
void replace_between(Characters& text, Characters& spare, char32_t centre, const Before& before, const After& after,
                     const char* replacement) {
    const char32_t* at = text.data();
    const char32_t* const end = at + text.size();
    spare.clear();
    spare.reserve(text.size() * 3 + 1);
    while (at < end) {
        const char32_t* found = std::find(at + 1, end, centre);
        if (end - found < 2) break;
        if (before(found[-1]) && after(found[1])) {
            spare.append(at, found);
            for (const char* c = replacement; *c; ++c) spare.push(static_cast<char32_t>(*c));
            spare.push(found[1]);
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

void split_commas(Characters& text, Characters& spare) {
    replace_between(text, spare, ',', not_digit, not_digit, " , ");
    replace_between(text, spare, ',', is_digit, not_digit, " , ");
    replace_between(text, spare, ',', not_digit, is_digit, " , ");
}

// Steps 4 and 5: quotes and dashes. Returns whether an apostrophe is left.
bool unify_quotes_and_dashes(Characters& text, Characters& spare) {
    const auto single = [](char32_t c) { return c == '\'' || c == '`' || c == 0x2018 || c == 0x2019; };
    bool apostrophe = false;
    const char32_t* at = text.data();
    const char32_t* const end = at + text.size();
    spare.clear();
    spare.reserve(text.size() * 3 + 1);
    while (at < end) {
        const char32_t c = *at++;
        if (single(c)) {
            if (at < end && single(*at)) {
                ++at;
                for (char32_t quote : {U' ', U'"', U' '}) spare.push(quote);
            } else {
                spare.push('\'');
                apostrophe = true;
            }
        } else if (c == 0x201C || c == 0x201D) {
            for (char32_t quote : {U' ', U'"', U' '}) spare.push(quote);
        } else if (c == '-' || c == 0x2013) {
            if (at < end && (*at == '-' || *at == 0x2013)) ++at;
            spare.push('-');
        } else {
            spare.push(c);
        }
    }
    text.swap(spare);
    return apostrophe;
}

}  // namespace

void Characters::reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    capacity = std::max(capacity, capacity_ * 2);
    std::unique_ptr<char32_t[]> larger(new char32_t[capacity]);
    if (size_) std::memcpy(larger.get(), data_.get(), size_ * sizeof(char32_t));
    data_ = std::move(larger);
    capacity_ = capacity;
}

void Characters::append(const char32_t* first, const char32_t* last) {
    const std::size_t count = static_cast<std::size_t>(last - first);
    if (count) std::memcpy(data_.get() + size_, first, count * sizeof(char32_t));
    size_ += count;
}

void Characters::release_if_larger_than(std::size_t limit) {
    if (capacity_ > limit) {
        data_.reset();
        size_ = capacity_ = 0;
    }
}

void Characters::swap(Characters& other) noexcept {
    data_.swap(other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
}

struct Normalizer::Found {
    bool dots = false, commas = false, quotes_or_dashes = false;
};

bool Normalizer::words(const Text& text, char32_t following, NormalizedText& result) const {
    result.characters.release_if_larger_than(KEPT_BUFFER);
    result.spare.release_if_larger_than(KEPT_BUFFER);
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
    Characters& characters = result.characters;
    characters.clear();
    if (mode_ == Mode::none || mode_ == Mode::lower) {
        characters.reserve(size + 1);
        for (std::size_t k = 0; k < size; ++k) characters.push(text[k]);
    } else {
        Found found;
        if (!set_symbols_apart(text, size, characters, found)) return false;
        if (!normalize_punctuation(result, following, found)) return false;
    }
    return split_words(result);
}

// Steps 1 and 2: symbols get a space on both sides, runs of dots become one character between spaces.
template <class Character>
bool Normalizer::set_symbols_apart(const Character* text, std::size_t size, Characters& out, Found& found) {
    out.reserve(size * 3 + 2);
    out.push(' ');
    const Character* const end = text + size;
    for (const Character* at = text; at < end; ++at) {
        const char32_t c = *at;
        const std::uint8_t flags = classes(c);
        if (flags & (ALNUM | SPACE)) {
            if (c == 'D' && marker_at(at, end)) return false;
            out.push(c);
        } else if (!(flags & PLAIN)) {
            found.quotes_or_dashes |= c == 0x2013 || c == 0x201C || c == 0x201D;
            out.push(' ');
            out.push(c);
            out.push(' ');
        } else if (c == '.') {
            found.dots = true;
            const Character* after = at + 1;
            while (after < end && *after == '.') ++after;
            if (after - at > 1) {
                out.push(' ');
                out.push(DOTS + static_cast<char32_t>(after - at));
                out.push(' ');
                at = after - 1;
            } else {
                out.push(c);
            }
        } else {
            (c == ',' ? found.commas : found.quotes_or_dashes) = true;
            out.push(c);
        }
    }
    out.push(' ');
    return true;
}

bool Normalizer::normalize_punctuation(NormalizedText& result, char32_t following, const Found& found) const {
    Characters &text = result.characters, &spare = result.spare;
    if (found.commas) split_commas(text, spare);
    if (found.quotes_or_dashes) {
        const bool apostrophes = unify_quotes_and_dashes(text, spare);
        const auto alnum_or_dot = [](char32_t c) { return c == '.' || is_alnum(c); };
        replace_between(text, spare, '-', alnum_or_dot, is_alnum, " ");
        if (apostrophes) split_apostrophes(text, spare);
    }
    if (!found.dots) return true;
    spare.clear();
    spare.reserve(text.size() * 2 + 1);
    if (!split_final_dots(text, following, spare)) return false;
    text.swap(spare);
    return true;
}

void Normalizer::split_apostrophes(Characters& text, Characters& spare) const {
    if (apostrophes_ == Apostrophes::apart) {
        spare.clear();
        spare.reserve(text.size() * 3 + 1);
        for (std::size_t k = 0; k < text.size(); ++k) {
            if (text[k] == '\'') {
                for (char32_t c : {U' ', U'\'', U' '}) spare.push(c);
            } else {
                spare.push(text[k]);
            }
        }
        text.swap(spare);
        return;
    }
    const bool english = apostrophes_ == Apostrophes::english;
    replace_between(text, spare, '\'', not_alpha, not_alpha, " ' ");
    replace_between(text, spare, '\'', english ? not_alnum : not_alpha, is_alpha, " ' ");
    replace_between(text, spare, '\'', is_alpha, not_alpha, " ' ");
    replace_between(text, spare, '\'', is_alpha, is_alpha, english ? " '" : "' ");
    if (english) {
        replace_between(text, spare, '\'', is_digit, [](char32_t c) { return c == 's'; }, " '");
    }
}

// Step 8, word by word.
bool Normalizer::split_final_dots(const Characters& text, char32_t following, Characters& out) const {
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
        out.push(' ');
        first = next;
    }
    return true;
}

bool Normalizer::split_final_dot(const char32_t* first, const char32_t* last, char32_t following,
                                 Characters& out) const {
    const char32_t* const dot = last - 1;
    if (std::find(first, dot, U'.') != dot && std::find_if(first, dot, is_alpha) != dot) {
        const std::size_t start = out.size();
        for (const char32_t* at = first; at < last; ++at) {
            if (*at != '.') out.push(*at);
        }
        return !has_marker(out.data() + start, out.data() + out.size());
    }
    const std::u32string prefix(first, dot);
    if (always_.count(prefix) || (following >= 'a' && following <= 'z') ||
        (is_digit(following) && numeric_.count(prefix))) {
        out.append(first, last);
        return true;
    }
    out.append(first, dot);
    out.push(' ');
    out.push('.');
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

    const Characters& text = result.characters;
    const char32_t* at = text.data();
    const char32_t* end = at + text.size();
    // The Java program trims what it has normalized, and nothing else.
    while (full && at < end && trimmed(*at)) ++at;
    while (full && at < end && trimmed(end[-1])) --end;

    Characters& out = result.spare;
    out.clear();
    std::size_t dots = 0;
    for (const char32_t* c = at; c < end; ++c) {
        if (*c > DOTS) dots += *c - DOTS;
    }
    out.reserve(static_cast<std::size_t>(end - at) + dots + 1);
    while (at < end) {
        while (at < end && separator(*at)) ++at;
        const std::size_t start = out.size();
        for (; at < end && !separator(*at); ++at) {
            if (!lower(*at, out)) return false;
        }
        if (out.size() > start) result.words.emplace_back(start, out.size() - start);
    }
    result.characters.swap(out);
    return true;
}

bool Normalizer::lower(char32_t character, Characters& out) const {
    if (character > DOTS) {
        for (char32_t dot = DOTS; dot < character; ++dot) out.push('.');
    } else if (mode_ == Mode::none) {
        out.push(character);
    } else if (character < 0x80) {
        out.push(character >= 'A' && character <= 'Z' ? character + 32 : character);
    } else if (character == CAPITAL_SIGMA || character == CAPITAL_I_WITH_DOT) {
        return false;
    } else {
        const char32_t lowered = lowercase_(character);
        out.push(lowered != character && kept_capitals_.count(character) ? character : lowered);
    }
    return true;
}

}  // namespace meteor

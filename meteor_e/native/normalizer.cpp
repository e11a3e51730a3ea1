#include "normalizer.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace meteor {

namespace {

// Between the second and the last step, the character DOTS + n represents n ≥ 2 dots. METEOR uses a marker word.
constexpr char32_t DOTS = 0x110000;
constexpr std::u32string_view MARKER = U"DOTMULTI";

constexpr char32_t CAPITAL_SIGMA = 0x3A3;                      // its lower case depends on its neighbors
constexpr char32_t CAPITAL_I_WITH_DOT = 0x130;                 // its lower case is two characters
constexpr std::size_t MAX_IDLE_BUFFER = std::size_t{1} << 20;  // characters; larger buffers are not kept

// Replaces each character whose left and right neighbors satisfy the predicates. Like a regular expression, one pass
// from left to right finds matches that do not overlap. A match includes both neighbors.
template <class IsLeft, class IsRight>
void replace_between(std::u32string& text, std::u32string& buffer, char32_t character, const IsLeft& is_left,
                     const IsRight& is_right, const char32_t* replacement) {
    const char32_t* start = text.data();
    const char32_t* const end = start + text.size();
    buffer.clear();
    while (start < end) {
        const char32_t* const match = std::find(start + 1, end, character);
        if (end - match < 2) break;
        buffer.append(start, match);
        if (is_left(match[-1]) && is_right(match[1])) {
            buffer += replacement;
            buffer.push_back(match[1]);
            start = match + 2;
        } else {
            start = match;
        }
    }
    buffer.append(start, end);
    text.swap(buffer);
}

bool is_alpha(char32_t c) noexcept { return classes(c) & ALPHA; }
bool is_not_alpha(char32_t c) noexcept { return !is_alpha(c); }
bool is_alnum(char32_t c) noexcept { return classes(c) & ALNUM; }
bool is_not_alnum(char32_t c) noexcept { return !is_alnum(c); }
bool is_digit(char32_t c) noexcept { return c >= '0' && c <= '9'; }
bool is_not_digit(char32_t c) noexcept { return !is_digit(c); }
bool is_separator(char32_t c) noexcept { return classes(c) & SEPARATOR; }
bool is_single_quote(char32_t c) noexcept { return c == '\'' || c == '`' || c == 0x2018 || c == 0x2019; }

void split_commas(std::u32string& text, std::u32string& buffer) {
    replace_between(text, buffer, ',', is_not_digit, is_not_digit, U" , ");
    replace_between(text, buffer, ',', is_digit, is_not_digit, U" , ");
    replace_between(text, buffer, ',', is_not_digit, is_digit, U" , ");
}

// Steps 4 and 5 replace variants of quotes and dashes. Returns whether the text still contains an apostrophe.
bool unify_quotes_and_dashes(std::u32string& text, std::u32string& buffer) {
    const auto is_dash = [](char32_t c) { return c == '-' || c == 0x2013; };
    bool has_apostrophe = false;
    const char32_t* next = text.data();
    const char32_t* const end = next + text.size();
    buffer.clear();
    while (next < end) {
        const char32_t c = *next++;
        if (is_single_quote(c)) {
            if (next < end && is_single_quote(*next)) {
                ++next;
                buffer += U" \" ";
            } else {
                buffer.push_back('\'');
                has_apostrophe = true;
            }
        } else if (c == 0x201C || c == 0x201D) {
            buffer += U" \" ";
        } else if (is_dash(c)) {
            if (next < end && is_dash(*next)) ++next;
            buffer.push_back('-');
        } else {
            buffer.push_back(c);
        }
    }
    text.swap(buffer);
    return has_apostrophe;
}

}  // namespace

struct Normalizer::Content {
    bool has_dots = false, has_commas = false, has_quotes_or_dashes = false;
};

bool Normalizer::split_words(const Text& text, char32_t following, NormalizedText& result) const {
    for (std::u32string* buffer : {&result.characters, &result.buffer}) {
        if (buffer->capacity() > MAX_IDLE_BUFFER) std::u32string().swap(*buffer);
    }
    result.words.clear();
    switch (text.width) {
        case 1:
            return split_words_of(static_cast<const std::uint8_t*>(text.data), text.size, following, result);
        case 2:
            return split_words_of(static_cast<const std::uint16_t*>(text.data), text.size, following, result);
        default:
            return split_words_of(static_cast<const std::uint32_t*>(text.data), text.size, following, result);
    }
}

template <class Character>
bool Normalizer::split_words_of(const Character* text, std::size_t size, char32_t following,
                                NormalizedText& result) const {
    std::u32string& characters = result.characters;
    characters.clear();
    if (mode_ == Mode::none || mode_ == Mode::lower) {
        characters.assign(text, text + size);
    } else {
        Content content;
        if (!set_symbols_apart(text, size, characters, content)) return false;
        if (!normalize_punctuation(result, following, content)) return false;
    }
    return split_at_spaces(result);
}

// Steps 1 and 2 put spaces around symbols, and replace several dots by one character between spaces.
template <class Character>
bool Normalizer::set_symbols_apart(const Character* text, std::size_t size, std::u32string& output, Content& content) {
    output.resize(3 * size + 2);
    char32_t* target = output.data();
    const auto write_apart = [&target](char32_t character) {
        for (const char32_t c : {U' ', character, U' '}) *target++ = c;
    };
    *target++ = ' ';
    const Character* const end = text + size;
    for (const Character* next = text; next < end; ++next) {
        const char32_t c = *next;
        const std::uint8_t flags = classes(c);
        if (flags & (ALNUM | SPACE)) {
            if (c == 'D' && MARKER.size() <= static_cast<std::size_t>(end - next) &&
                std::equal(MARKER.begin(), MARKER.end(), next)) {
                return false;
            }
            *target++ = c;
        } else if (!(flags & PLAIN)) {
            content.has_quotes_or_dashes |= c == 0x2013 || c == 0x201C || c == 0x201D;
            write_apart(c);
        } else if (c == '.') {
            content.has_dots = true;
            const Character* run_end = next + 1;
            while (run_end < end && *run_end == '.') ++run_end;
            if (run_end - next > 1) {
                write_apart(char32_t(DOTS + (run_end - next)));
                next = run_end - 1;
            } else {
                *target++ = c;
            }
        } else {
            (c == ',' ? content.has_commas : content.has_quotes_or_dashes) = true;
            *target++ = c;
        }
    }
    *target++ = ' ';
    output.resize(static_cast<std::size_t>(target - output.data()));
    return true;
}

bool Normalizer::normalize_punctuation(NormalizedText& result, char32_t following, const Content& content) const {
    std::u32string &text = result.characters, &buffer = result.buffer;
    if (content.has_commas) split_commas(text, buffer);
    if (content.has_quotes_or_dashes) {
        const bool has_apostrophes = unify_quotes_and_dashes(text, buffer);
        const auto is_alnum_or_dot = [](char32_t c) { return c == '.' || is_alnum(c); };
        replace_between(text, buffer, '-', is_alnum_or_dot, is_alnum, U" ");
        if (has_apostrophes) split_apostrophes(text, buffer);
    }
    if (!content.has_dots) return true;
    buffer.clear();
    if (!split_final_dots(text, following, buffer)) return false;
    text.swap(buffer);
    return true;
}

void Normalizer::split_apostrophes(std::u32string& text, std::u32string& buffer) const {
    if (apostrophes_ == Apostrophes::apart) {
        buffer.clear();
        for (const char32_t c : text) buffer += c == '\'' ? std::u32string_view(U" ' ") : std::u32string_view(&c, 1);
        text.swap(buffer);
        return;
    }
    const bool is_english = apostrophes_ == Apostrophes::english;
    replace_between(text, buffer, '\'', is_not_alpha, is_not_alpha, U" ' ");
    replace_between(text, buffer, '\'', is_english ? is_not_alnum : is_not_alpha, is_alpha, U" ' ");
    replace_between(text, buffer, '\'', is_alpha, is_not_alpha, U" ' ");
    replace_between(text, buffer, '\'', is_alpha, is_alpha, is_english ? U" '" : U"' ");
    if (is_english) {
        replace_between(text, buffer, '\'', is_digit, [](char32_t c) { return c == 's'; }, U" '");
    }
}

// Step 8: the final dot of a word stays, is removed, or becomes a separate word.
bool Normalizer::split_final_dots(const std::u32string& text, char32_t following, std::u32string& output) const {
    const char32_t* const end = text.data() + text.size();
    const char32_t* first = std::find_if_not(text.data(), end, is_separator);
    while (first < end) {
        const char32_t* const last = std::find_if(first, end, is_separator);
        const char32_t* const next = std::find_if_not(last, end, is_separator);
        if (last - first > 1 && last[-1] == '.') {
            if (!split_final_dot(first, last, next < end ? *next : following, output)) return false;
        } else {
            output.append(first, last);
        }
        output.push_back(' ');
        first = next;
    }
    return true;
}

bool Normalizer::split_final_dot(const char32_t* first, const char32_t* last, char32_t following,
                                 std::u32string& output) const {
    const char32_t* const dot = last - 1;
    const bool has_inner_dot = std::find(first, dot, U'.') != dot;
    if (has_inner_dot && std::find_if(first, dot, is_alpha) != dot) {
        const std::size_t start = output.size();
        std::remove_copy(first, last, std::back_inserter(output), U'.');
        return std::u32string_view(output).find(MARKER, start) == std::u32string_view::npos;
    }
    const std::u32string prefix(first, dot);
    const bool is_followed_by_lowercase = following >= 'a' && following <= 'z';
    if (always_.contains(prefix) || is_followed_by_lowercase || (is_digit(following) && numeric_.contains(prefix))) {
        output.append(first, last);
        return true;
    }
    output.append(first, dot);
    output += U" .";
    return true;
}

// Steps 9 to 11 restore repeated dots, remove punctuation, merge spaces and lowercase the text. Then it is split.
bool Normalizer::split_at_spaces(NormalizedText& result) const {
    const bool is_full = mode_ == Mode::full || mode_ == Mode::no_punctuation;
    const auto is_blank = [this, is_full](char32_t c) {
        if (is_full && (classes(c) & BLANK)) return true;
        return mode_ == Mode::no_punctuation && !(classes(c) & ALNUM);
    };
    const auto is_trimmed = [&is_blank](char32_t c) { return c <= 0x20 || is_blank(c); };
    const auto ends_word = [&is_blank](char32_t c) { return is_separator(c) || is_blank(c); };

    const std::u32string& text = result.characters;
    const char32_t* next = text.data();
    const char32_t* end = next + text.size();
    // The Java program removes control characters at the ends of a text only if it normalizes the text.
    while (is_full && next < end && is_trimmed(*next)) ++next;
    while (is_full && next < end && is_trimmed(end[-1])) --end;

    std::u32string& output = result.buffer;
    output.clear();
    while (next < end) {
        while (next < end && ends_word(*next)) ++next;
        const std::size_t start = output.size();
        const char32_t* const last = std::find_if(next, end, ends_word);
        output.append(next, last);
        next = last;
        for (std::size_t k = start; k < output.size(); ++k) {
            if (output[k] > DOTS) output.replace(k, 1, output[k] - DOTS, U'.');
        }
        if (mode_ != Mode::none && !lowercase_word(output, start)) return false;
        if (output.size() > start) result.words.emplace_back(start, output.size() - start);
    }
    result.characters.swap(output);
    return true;
}

// Lowercases the characters from `start` on. Returns false if only Python can lowercase them.
bool Normalizer::lowercase_word(std::u32string& characters, std::size_t start) const {
    for (std::size_t k = start; k < characters.size(); ++k) {
        char32_t& character = characters[k];
        if (character < 0x80) {
            if (character >= 'A' && character <= 'Z') character += 'a' - 'A';
        } else if (character == CAPITAL_SIGMA || character == CAPITAL_I_WITH_DOT) {
            return false;
        } else {
            const char32_t lowered = lowercase_(character);
            if (lowered != character && !kept_capitals_.contains(character)) character = lowered;
        }
    }
    return true;
}

}  // namespace meteor

#include "count_table.hpp"

#include <algorithm>
#include <stdexcept>

namespace meteor::learned {

namespace {

// The whole number at the end of a line, which the line is known to have.
double number_at(const char* digit) {
    std::uint64_t found = 0;
    for (; *digit >= '0' && *digit <= '9'; ++digit) found = 10 * found + static_cast<std::uint64_t>(*digit - '0');
    return static_cast<double>(found);
}

// Every line has a tab after its key, which is in no key.
bool begins_line(std::string_view text, std::size_t start, std::string_view key) {
    return text.substr(start, key.size()) == key && text[start + key.size()] == '\t';
}

// A word stands after its size.
bool begins_word(std::string_view text, std::size_t start, std::string_view word) {
    const std::size_t size = word.size() < 32 ? 0xA0 | word.size() : word.size();
    return text.substr(start, word.size()) == word && static_cast<unsigned char>(text[start - 1]) == size;
}

}  // namespace

CountTable::CountTable(std::string_view text)
    : text_(text), starts_(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'))) {
    if (text.size() >= 0xFFFFFFFFull) throw std::invalid_argument("a file of counts is too large");
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t tab = text.find('\t', start);
        std::size_t end = tab == std::string_view::npos ? text.size() : tab + 1;
        const std::size_t digits = end;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        // A number at the end of the file would be read beyond it.
        const bool ended =
            end < text.size() && (text[end] == '\n' || (text[end] == '\r' && text.substr(end, 2) == "\r\n"));
        if (tab == std::string_view::npos || end == digits || end - digits > 18 || !ended ||
            text.substr(start, tab - start).find('\n') != std::string_view::npos) {
            throw std::invalid_argument("a file of counts has a line that is not a key, a tab and a whole number");
        }
        const std::string_view key = text.substr(start, tab - start);
        const auto is = [&](std::size_t other) { return begins_line(text, other, key); };
        starts_.item(hash_of(key), is, [] { return 0; }) = static_cast<std::uint32_t>(start);
        start = end + (text[end] == '\r' ? 2 : 1);
    }
}

double CountTable::count(std::string_view key, double missing) const {
    const auto* start = starts_.find(hash_of(key), [&](std::size_t other) { return begins_line(text_, other, key); });
    return start ? number_at(text_.data() + *start + key.size() + 1) : missing;
}

WordLists::WordLists(std::string_view text) : text_(text), starts_(text.size() / 8) {
    std::size_t at = 0;
    const auto check = [](bool fits) {
        if (!fits) throw std::invalid_argument("the lists of words have another form");
    };
    const auto byte = [&]() -> std::size_t {
        check(at < text.size());
        return static_cast<unsigned char>(text[at++]);
    };
    check(text.size() < 0xFFFFFFFFull);
    while (at < text.size()) {
        std::size_t words = byte();
        check(words == 0xDC || words >> 4 == 9);
        if (words == 0xDC) {
            words = 256 * byte();
            words += byte();
        } else {
            words &= 15;
        }
        for (; words > 0; --words) {
            std::size_t size = byte();
            check(size == 0xD9 || size >> 5 == 5);
            size = size == 0xD9 ? byte() : size & 31;
            check(size <= text.size() - at);
            const std::string_view word = text.substr(at, size);
            starts_.item(
                hash_of(word), [&](std::size_t other) { return begins_word(text, other, word); },
                [at] { return static_cast<std::uint32_t>(at); });
            at += size;
        }
        ends_.push_back(at);
    }
}

std::size_t WordLists::list(std::string_view word) const {
    const auto* start = starts_.find(hash_of(word), [&](std::size_t other) { return begins_word(text_, other, word); });
    if (!start) return none;
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), *start) - ends_.begin());
}

}  // namespace meteor::learned

#include "count_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "hash.hpp"

namespace meteor::learned {

namespace {

constexpr std::size_t MAX_DIGITS = 18;

bool is_digit(char character) noexcept { return character >= '0' && character <= '9'; }

// The constructor has checked that a character other than a digit follows.
double parse_number(const char* digit) noexcept {
    std::uint64_t number = 0;
    for (; is_digit(*digit); ++digit) number = 10 * number + static_cast<std::uint64_t>(*digit - '0');
    return static_cast<double>(number);
}

// A tab, which does not occur in keys, follows the key of each line.
bool has_key(std::string_view text, std::size_t line_start, std::string_view key) noexcept {
    return text.substr(line_start, key.size()) == key && text[line_start + key.size()] == '\t';
}

}  // namespace

CountTable::CountTable(std::string_view text)
    : text_(text), line_starts_(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'))) {
    if (text.size() >= 0xFFFFFFFFull) throw std::invalid_argument("a file of counts is too large");
    const auto fail = [] {
        throw std::invalid_argument("a file of counts has a line that is not a key, a tab and a whole number");
    };
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t tab = text.find('\t', start);
        if (tab == std::string_view::npos) fail();
        const std::string_view key = text.substr(start, tab - start);
        std::size_t end = tab + 1;
        while (end < text.size() && is_digit(text[end])) ++end;
        const std::size_t digits = end - (tab + 1);
        const bool ends_with_crlf = text.substr(end, 2) == "\r\n";
        const bool is_line_complete = ends_with_crlf || text.substr(end, 1) == "\n";
        if (!digits || digits > MAX_DIGITS || !is_line_complete || key.find('\n') != std::string_view::npos) fail();
        const auto is_equal = [&](std::size_t line_start) { return has_key(text, line_start, key); };
        line_starts_.find_or_insert(hash_string(key), is_equal, [] { return 0; }) = static_cast<std::uint32_t>(start);
        start = end + (ends_with_crlf ? 2 : 1);
    }
}

double CountTable::count(std::string_view key, double default_count) const {
    const std::uint32_t* const start =
        line_starts_.find(hash_string(key), [&](std::size_t line_start) { return has_key(text_, line_start, key); });
    return start ? parse_number(text_.data() + *start + key.size() + 1) : default_count;
}

}  // namespace meteor::learned

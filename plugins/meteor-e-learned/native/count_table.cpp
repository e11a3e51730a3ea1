#include "count_table.hpp"

#include <algorithm>
#include <stdexcept>

namespace meteor::learned {

namespace {

std::uint64_t hash_of(std::string_view key) {
    std::uint64_t found = 0xCBF29CE484222325ull;
    for (const char character : key) found = (found ^ static_cast<unsigned char>(character)) * 0x100000001B3ull;
    return found ^ (found >> 29);
}

// The whole number at the end of a line, which the line is known to have.
double number_at(const char* digit) {
    std::uint64_t found = 0;
    for (; *digit >= '0' && *digit <= '9'; ++digit) found = 10 * found + static_cast<std::uint64_t>(*digit - '0');
    return static_cast<double>(found);
}

}  // namespace

CountTable::CountTable(std::string_view text) : text_(text) {
    if (text.size() >= 0xFFFFFFFFull) throw std::invalid_argument("a file of counts is too large");
    const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    std::size_t size = 16;
    while (size < lines + lines / 2) size *= 2;
    slots_.assign(size, 0);
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
        const std::uint64_t hash = hash_of(key);
        slots_[find(key, hash)] = (hash & 0xFFFFFFFF00000000ull) | (start + 1);
        start = end + (text[end] == '\r' ? 2 : 1);
    }
}

std::size_t CountTable::find(std::string_view key, std::uint64_t hash) const {
    std::size_t place = static_cast<std::size_t>(hash) & (slots_.size() - 1);
    for (; slots_[place] != 0; place = (place + 1) & (slots_.size() - 1)) {
        if ((slots_[place] ^ hash) >> 32) continue;
        const std::size_t start = static_cast<std::size_t>(slots_[place] & 0xFFFFFFFFull) - 1;
        // Every line has a tab after its key, which is in no key.
        if (text_.substr(start, key.size()) == key && text_[start + key.size()] == '\t') break;
    }
    return place;
}

double CountTable::count(std::string_view key, double missing) const {
    const Slot slot = slots_[find(key, hash_of(key))];
    if (slot == 0) return missing;
    return number_at(text_.data() + (slot & 0xFFFFFFFFull) - 1 + key.size() + 1);
}

}  // namespace meteor::learned

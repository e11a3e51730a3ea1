#include "word_lists.hpp"

#include <algorithm>
#include <stdexcept>

#include "hash.hpp"

namespace meteor::learned {

namespace {

// Type bytes of msgpack. The low bits of the "fix" types contain the size.
constexpr std::size_t FIXED_ARRAY = 0x90, FIXED_STRING = 0xA0, STRING_8 = 0xD9, ARRAY_16 = 0xDC;
constexpr std::size_t FIXED_ARRAY_SIZE = 0x0F, FIXED_STRING_SIZE = 0x1F;

// The size of a word is stored in the byte before it.
bool is_word(std::string_view text, std::size_t start, std::string_view word) noexcept {
    const std::size_t size_byte = word.size() <= FIXED_STRING_SIZE ? FIXED_STRING | word.size() : word.size();
    return text.substr(start, word.size()) == word && static_cast<unsigned char>(text[start - 1]) == size_byte;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    [[nodiscard]] bool is_at_end() const noexcept { return position_ == text_.size(); }
    [[nodiscard]] std::size_t position() const noexcept { return position_; }
    [[nodiscard]] std::size_t read_array_size() {
        const std::size_t type = read_byte();
        if (type == ARRAY_16) {
            const std::size_t high = read_byte();
            return 256 * high + read_byte();
        }
        check((type & ~FIXED_ARRAY_SIZE) == FIXED_ARRAY);
        return type & FIXED_ARRAY_SIZE;
    }
    [[nodiscard]] std::string_view read_string() {
        const std::size_t type = read_byte();
        check(type == STRING_8 || (type & ~FIXED_STRING_SIZE) == FIXED_STRING);
        const std::size_t size = type == STRING_8 ? read_byte() : type & FIXED_STRING_SIZE;
        check(size <= text_.size() - position_);
        position_ += size;
        return text_.substr(position_ - size, size);
    }
    static void check(bool is_valid) {
        if (!is_valid) throw std::invalid_argument("the lists of words have another form");
    }

private:
    [[nodiscard]] std::size_t read_byte() {
        check(position_ < text_.size());
        return static_cast<unsigned char>(text_[position_++]);
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

}  // namespace

WordLists::WordLists(std::string_view text) : text_(text), word_starts_(text.size() / 8) {
    Reader::check(text.size() < 0xFFFFFFFFull);
    Reader reader(text);
    while (!reader.is_at_end()) {
        for (std::size_t count = reader.read_array_size(); count > 0; --count) {
            const std::string_view word = reader.read_string();
            const auto start = static_cast<std::uint32_t>(reader.position() - word.size());
            word_starts_.find_or_insert(
                hash_string(word), [&](std::size_t other) { return is_word(text, other, word); },
                [start] { return start; });
        }
        list_ends_.push_back(reader.position());
    }
}

std::size_t WordLists::list_of(std::string_view word) const {
    const std::uint32_t* const start =
        word_starts_.find(hash_string(word), [&](std::size_t other) { return is_word(text_, other, word); });
    if (!start) return NOT_LISTED;
    const auto list_end = std::upper_bound(list_ends_.begin(), list_ends_.end(), *start);
    return static_cast<std::size_t>(list_end - list_ends_.begin());
}

}  // namespace meteor::learned

#include "reader.hpp"

#include <algorithm>
#include <cstring>

namespace meteor {

namespace {

constexpr std::uint64_t in_each_byte(std::uint64_t byte) { return byte * 0x0101010101010101ull; }

// Sets the highest bit of the first byte that may end a token: a space, a control character or U+00A0. Bits of bytes
// behind that one mean nothing.
std::uint64_t stops(std::uint64_t bytes) {
    const std::uint64_t others = bytes ^ in_each_byte(0xA0);
    const std::uint64_t controls = (bytes - in_each_byte(0x21)) & ~bytes, blanks = (others - in_each_byte(1)) & ~others;
    return (controls | blanks) & in_each_byte(0x80);
}

std::uint64_t little_endian(const std::uint8_t* bytes) {
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

// The token that begins where `at` is, and its size; a size of more than LONGEST: it is longer, and not in the token.
std::size_t token_at(const std::uint8_t* at, const std::uint8_t* end, RawToken& token) {
    std::uint8_t last[16] = {};
    const std::size_t left = static_cast<std::size_t>(end - at);
    if (left < sizeof last) {
        std::memcpy(last, at, left);
        at = last;
    }
    const auto first_bytes = [](std::uint64_t value, std::size_t count) {
        return value & ((std::uint64_t{1} << 8 * count) - 1);
    };
    token = {little_endian(at), little_endian(at + 8)};
    if (const std::uint64_t found = stops(token.head)) {
        const std::size_t size = std::countr_zero(found) / 8;
        token = {first_bytes(token.head, size), 0};
        return size;
    }
    if (const std::uint64_t found = stops(token.tail)) {
        const std::size_t size = std::countr_zero(found) / 8;
        token.tail = first_bytes(token.tail, size);
        return 8 + size;
    }
    return RawToken::LONGEST + 1;
}

bool is_separator(std::uint8_t character) { return (classes(character) & SEPARATOR) != 0; }

const std::uint8_t* next_token(const std::uint8_t* at, const std::uint8_t* end) {
    return std::find_if_not(at, end, is_separator);
}

// The rules for these take a character on either side with them, so that the space between two of them counts once.
bool takes_neighbours(std::uint8_t character) { return character == '\'' || character == '`' || character == ','; }

}  // namespace

void ReadWords::add(const Vocabulary& vocabulary, const NormalizedText& text) {
    for (const auto& [offset, size] : text.words) {
        const View<char32_t> word(text.characters.data() + offset, size);
        const std::uint64_t hash = StringTable::hash(word);
        const std::uint32_t type = vocabulary.find(word, hash);
        if (type == StringTable::ABSENT) {
            new_words.push_back({types.size(), characters.size(), size, hash});
            characters.append(word.data(), size);
        }
        types.push_back(type);
    }
}

std::size_t TokenMemory::slot_of(RawToken token, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].token.head && slots_[at].token != token) at = (at + 1) & mask;
    return at;
}

std::optional<Words> TokenMemory::find(RawToken token, std::uint64_t hash) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[slot_of(token, hash)];
    return slot.token.head ? std::optional(Words(slot.types, slot.count)) : std::nullopt;
}

void TokenMemory::add(RawToken token, std::uint64_t hash, Words types) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = slots_[slot_of(token, hash)];
    slot.token = token;
    slot.count = static_cast<std::uint32_t>(types.size());
    std::ranges::copy(types, slot.types);
    ++used_;
}

void TokenMemory::grow() {
    if (slots_.size() == MOST_SLOTS) clear();
    std::vector<Slot> before(std::max(FIRST_SLOTS, 2 * slots_.size()));
    before.swap(slots_);
    for (const Slot& slot : before) {
        if (slot.token.head) slots_[slot_of(slot.token, hash(slot.token))] = slot;
    }
}

void TokenMemory::clear() {
    slots_.clear();
    used_ = 0;
}

bool Reader::read(const Text& text, const Normalizer& normalizer, ReadWords& words) {
    if (text.width == 1) {
        const std::size_t types = words.types.size(), new_words = words.new_words.size();
        const Result result = read_tokens({static_cast<const std::uint8_t*>(text.data), text.size}, normalizer, words);
        if (result == Result::done) return true;
        words.types.resize(types);
        words.new_words.resize(new_words);
        if (result == Result::left_to_python) return false;
    }
    if (!normalizer.words(text, 0, normalized_)) return false;
    words.add(vocabulary_, normalized_);
    return true;
}

// Fills `tokens_`. False: not all that a rule looks at is in one of them.
bool Reader::find_tokens(Rest& rest) {
    const std::uint8_t* const end = rest.end;
    tokens_.clear();
    while (rest.at < end && tokens_.size() < AHEAD) {
        const std::uint8_t* const at = rest.at;
        RawToken token;
        std::size_t size = token_at(at, end, token);
        const bool is_long = size > RawToken::LONGEST;
        if (is_long) {
            token = {};
            while (at + size < end && at[size] > 0x20 && at[size] != 0xA0) ++size;
        }
        const std::uint8_t* const behind = at + size;
        // Only at the ends of a text are control characters trimmed; and other spaces separate words, but later.
        if (behind < end && !is_separator(*behind)) return false;
        if (rest.after_taker && takes_neighbours(*at)) return false;
        rest.after_taker = takes_neighbours(behind[-1]);
        rest.at = next_token(behind, end);
        char32_t following = 0;
        if (behind[-1] == '.' && rest.at < end) {
            // Whether the dot stays depends on what follows: a small letter, a digit, or anything else.
            const std::uint8_t next = *rest.at;
            following = next >= 'a' && next <= 'z' ? U'a' : next >= '0' && next <= '9' ? U'0' : U'-';
            if (!is_long) token.tail |= std::uint64_t{following} << 56;
        }
        const std::uint64_t hash = TokenMemory::hash(token);
        memory_.expect(hash);
        tokens_.push_back({{at, size}, following, token, hash});
    }
    return true;
}

Reader::Result Reader::read_tokens(View<std::uint8_t> text, const Normalizer& normalizer, ReadWords& words) {
    std::vector<std::uint32_t>& types = words.types;
    const std::uint8_t* const end = text.data() + text.size();
    for (Rest rest{next_token(text.data(), end), end, false}; rest.at < rest.end;) {
        if (!find_tokens(rest)) return Result::must_be_read_whole;
        for (const FoundToken& found : tokens_) {
            const bool is_long = !found.token.head;
            if (const auto known = is_long ? std::nullopt : memory_.find(found.token, found.hash)) {
                for (const std::uint32_t type : *known) types.push_back(type);
                continue;
            }
            if (!normalizer.words({found.text.data(), found.text.size(), 1}, found.following, normalized_)) {
                return Result::left_to_python;
            }
            const std::size_t first = types.size(), new_words = words.new_words.size();
            words.add(vocabulary_, normalized_);
            const bool all_known = words.new_words.size() == new_words;
            if (!is_long && all_known && types.size() - first <= TokenMemory::MOST_WORDS) {
                memory_.add(found.token, found.hash, Words(types).subspan(first));
            }
        }
    }
    return Result::done;
}

}  // namespace meteor

// The extension module meteor_e_learned._native. Its signatures are in src/meteor_e_learned/_native.pyi.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>

#include "text.hpp"

namespace py = pybind11;

namespace {

using namespace meteor::learned;

// Characters of a Python string.
class Characters {
public:
    explicit Characters(const py::handle& text) : text_(text.ptr()) {
        if (!PyUnicode_Check(text_)) throw py::type_error("a text is not a string");
        kind_ = PyUnicode_KIND(text_);
        data_ = PyUnicode_DATA(text_);
        size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text_));
    }

    Py_UCS4 operator[](std::size_t at) const { return PyUnicode_READ(kind_, data_, static_cast<Py_ssize_t>(at)); }

    // Sets `result` to some of them, in UTF-8.
    void copy(std::size_t start, std::size_t end, std::string& result) const {
        result.clear();
        for (std::size_t at = start; at < end; ++at) {
            const Py_UCS4 character = (*this)[at];
            const auto last = [character](int bits) { return static_cast<char>(0x80 | ((character >> bits) & 0x3F)); };
            if (character < 0x80) {
                result.push_back(static_cast<char>(character));
            } else if (character < 0x800) {
                result.append({static_cast<char>(0xC0 | (character >> 6)), last(0)});
            } else if (character < 0x10000) {
                result.append({static_cast<char>(0xE0 | (character >> 12)), last(6), last(0)});
            } else {
                result.append({static_cast<char>(0xF0 | (character >> 18)), last(12), last(6), last(0)});
            }
        }
    }

    py::object part(std::size_t start, std::size_t end) const {
        PyObject* found = PyUnicode_Substring(text_, static_cast<Py_ssize_t>(start), static_cast<Py_ssize_t>(end));
        if (!found) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(found);
    }

    std::size_t size;

private:
    PyObject* text_;
    int kind_;
    const void* data_;
};

std::string string_of(const py::handle& text) {
    std::string result;
    const Characters characters(text);
    characters.copy(0, characters.size, result);
    return result;
}

// What "\w" matches.
bool is_word(Py_UCS4 character) {
    if (character < 128) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
               (character >= '0' && character <= '9') || character == '_';
    }
    return Py_UNICODE_ISALNUM(character);
}

// Counts texts beside references, and remembers what is known about words.
class TextCounter {
public:
    TextCounter(const py::buffer& words, const py::buffer& pairs, py::object describe, const py::dict& kinds,
                const PairSettings& settings)
        : held_words_(words.request()),
          held_pairs_(pairs.request()),
          words_(text_of(held_words_)),
          pairs_(text_of(held_pairs_)),
          describe_(std::move(describe)),
          settings_(settings) {
        const auto kind = [&kinds](const char* name) { return kinds[name].cast<std::int32_t>(); };
        kinds_ = Kinds{kind("determiner"), kind("pronoun"), kind("preposition"), kind("auxiliary"),
                       kind("negation"),   kind("mark"),    kind("content")};
        forget();
    }

    // The numbers of each text beside its reference, (texts, width).
    py::array_t<double> numbers(const py::list& left, const py::list& right) {
        if (left.size() != right.size()) throw std::invalid_argument("texts and references are not equally many");
        py::array_t<double> result({static_cast<py::ssize_t>(left.size()), static_cast<py::ssize_t>(Counter::width)});
        Side one, other;
        for (std::size_t at = 0; at < left.size(); ++at) {
            if (known_.size() > most_words || counter_->known_pairs() > most_pairs) forget();
            split(left[at], one);
            split(right[at], other);
            counter_->count(one, other, result.mutable_data() + at * Counter::width);
        }
        return result;
    }

private:
    static constexpr std::size_t most_words = 1 << 18, most_pairs = 1 << 20;

    void forget() {
        known_.clear();
        known_.reserve(1 << 16);
        counter_ = std::make_unique<Counter>(words_, pairs_, settings_, kinds_);
    }

    // The pieces of a text that the expression of meteor_e_learned/features/text.py finds.
    void split(const py::handle& text, Side& side) {
        const Characters all(text);
        side.clear(all.size);
        for (std::size_t at = 0; at < all.size;) {
            const Py_UCS4 first = all[at];
            std::size_t end = at + 1;
            if (is_word(first) || (first == '\'' && end < all.size && is_word(all[end]))) {
                while (end < all.size && is_word(all[end])) ++end;
            } else if (Py_UNICODE_ISSPACE(first)) {
                at = end;
                continue;
            }
            const Word& word = known(all, at, end);
            side.words.push_back(&word);
            if (word.plain >= 0) side.plain.push_back(word.plain);
            for (; at < end; ++at) add(all[at], side);
        }
        std::sort(side.capitals.begin(), side.capitals.end());
    }

    static void add(Py_UCS4 character, Side& side) {
        const bool ascii = character < 128;
        const bool capital = ascii ? character >= 'A' && character <= 'Z' : Py_UNICODE_ISUPPER(character) != 0;
        if (side.characters.empty()) side.capital = capital;
        if (capital) side.capitals.push_back(character);
        side.digits += ascii ? character >= '0' && character <= '9' : Py_UNICODE_ISDIGIT(character) != 0;
        side.characters.push_back(character);
    }

    const Word& known(const Characters& all, std::size_t start, std::size_t end) {
        all.copy(start, end, key_);
        const auto found = known_.find(key_);
        if (found != known_.end()) return found->second;
        const std::string key = key_;
        const py::tuple told = describe_(all.part(start, end));
        if (told.size() != 12) throw std::invalid_argument("a word has other attributes");
        const std::string plain = string_of(told[2]);
        const auto holds = [&told](std::size_t place) { return told[place].cast<bool>(); };
        const std::int32_t kind = told[3].cast<std::int32_t>();
        if (kind < 0 || kind > kinds_.content) throw std::invalid_argument("a word is of no kind");
        return known_
            .emplace(key, Word{counter_->forms.number(string_of(told[0])), counter_->stems.number(string_of(told[1])),
                               plain.empty() ? -1 : counter_->plain(plain), kind, told[4].cast<std::int64_t>(),
                               holds(5), holds(6), holds(7), holds(8), holds(9), holds(10), holds(11)})
            .first->second;
    }

    static std::string_view text_of(const py::buffer_info& held) {
        if (held.itemsize != 1 || held.ndim != 1 || (held.size > 1 && held.strides[0] != 1)) {
            throw std::invalid_argument("counts are not bytes");
        }
        return {static_cast<const char*>(held.ptr), static_cast<std::size_t>(held.size)};
    }

    py::buffer_info held_words_, held_pairs_;
    CountTable words_, pairs_;
    py::object describe_;
    PairSettings settings_;
    Kinds kinds_{};
    std::unordered_map<std::string, Word> known_;
    std::unique_ptr<Counter> counter_;
    std::string key_;
};

}  // namespace

PYBIND11_MODULE(_native, module) {
    module.doc() = "Counting for the features of meteor_e_learned.";
    py::class_<TextCounter>(module, "TextCounter")
        .def(py::init([](const py::buffer& words, const py::buffer& pairs, py::object describe, const py::dict& kinds,
                         double total, double back_off, double unlisted, double strongest) {
                 return std::make_unique<TextCounter>(words, pairs, std::move(describe), kinds,
                                                      PairSettings{total, back_off, unlisted, strongest});
             }),
             py::arg("words"), py::arg("pairs"), py::arg("describe"), py::kw_only(), py::arg("kinds"), py::arg("total"),
             py::arg("back_off"), py::arg("unlisted"), py::arg("strongest"))
        .def("numbers", &TextCounter::numbers, py::arg("left"), py::arg("right"));
}

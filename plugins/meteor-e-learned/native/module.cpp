// The extension module meteor_e_learned._native. Its signatures are in src/meteor_e_learned/_native.pyi.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <tuple>

#include "text.hpp"

namespace py = pybind11;

namespace {

using namespace meteor::learned;

// Copies the characters of a Python string.
void read(const py::handle& text, std::u32string& result) {
    if (!PyUnicode_Check(text.ptr())) throw py::type_error("a text is not a string");
    const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.ptr()));
    const auto copy = [&](const auto* characters) { result.assign(characters, characters + size); };
    switch (PyUnicode_KIND(text.ptr())) {
        case PyUnicode_1BYTE_KIND:
            return copy(PyUnicode_1BYTE_DATA(text.ptr()));
        case PyUnicode_2BYTE_KIND:
            return copy(PyUnicode_2BYTE_DATA(text.ptr()));
        default:
            return copy(PyUnicode_4BYTE_DATA(text.ptr()));
    }
}

// A Python string of characters.
py::object string_of(std::u32string_view text) {
    PyObject* found =
        PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, text.data(), static_cast<Py_ssize_t>(text.size()));
    if (!found) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(found);
}

// A string in UTF-8; halves of characters are encoded, too.
std::string encoded(const py::handle& text) {
    return text.attr("encode")("utf-8", "surrogatepass").cast<std::string>();
}

// What is asked about a character.
enum Trait : std::uint8_t { in_word = 1, space = 2, capital = 4, digit = 8 };

std::uint8_t looked_up(Py_UCS4 character) {
    const bool word = Py_UNICODE_ISALNUM(character) || character == '_';
    return static_cast<std::uint8_t>((word ? Trait::in_word : 0) | (Py_UNICODE_ISSPACE(character) ? Trait::space : 0) |
                                     (Py_UNICODE_ISUPPER(character) ? Trait::capital : 0) |
                                     (Py_UNICODE_ISDIGIT(character) ? Trait::digit : 0));
}

const std::array<std::uint8_t, 128> traits_of_ascii = [] {
    std::array<std::uint8_t, 128> found{};
    for (std::size_t at = 0; at < found.size(); ++at) found[at] = looked_up(static_cast<Py_UCS4>(at));
    return found;
}();

// The traits of a character: "\w", "\s" and so on.
std::uint8_t traits(Py_UCS4 character) {
    return character < traits_of_ascii.size() ? traits_of_ascii[character] : looked_up(character);
}

bool is_word(Py_UCS4 character) { return (traits(character) & Trait::in_word) != 0; }

// Where the ending of a word begins, or its length: "ing", "es", "ed", "s", "d" or "e" after three characters of words.
std::size_t ending(std::u32string_view form) {
    for (const std::string_view end : {"ing", "es", "ed", "s", "d", "e"}) {
        if (form.size() < end.size() + 3) continue;
        const std::size_t start = form.size() - end.size();
        std::size_t at = 0;
        while (at < end.size() && form[start + at] == static_cast<char32_t>(end[at])) ++at;
        if (at == end.size() && is_word(form[start - 1]) && is_word(form[start - 2]) && is_word(form[start - 3])) {
            return start;
        }
    }
    return form.size();
}

// What is known about a word that is in one of Python's tables.
struct Listed {
    std::int32_t kind;
    bool denies, implies;
};

// Counts texts beside references, and remembers what is known about words.
class TextCounter {
public:
    TextCounter(const py::buffer& words, const py::buffer& pairs, const py::buffer& lists, const py::dict& listed,
                const Settings& settings)
        : held_words_(words.request()),
          held_pairs_(pairs.request()),
          held_lists_(lists.request()),
          words_(text_of(held_words_)),
          pairs_(text_of(held_pairs_)),
          lists_(text_of(held_lists_)),
          settings_(settings) {
        for (const auto& [form, told] : listed) {
            const auto [place, denies, implies] = told.cast<std::tuple<std::int32_t, bool, bool>>();
            if (place < 0 || place > Kind::content) throw std::invalid_argument("a word is of no kind");
            listed_[encoded(form)] = {place, denies, implies};
        }
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

    // A word as it stands in a text, and what is known about it.
    struct Known {
        std::u32string text;
        Word word;
    };

    void forget() {
        known_ = Table<Known>();
        counter_ = std::make_unique<Counter>(words_, pairs_, settings_);
    }

    // The pieces of a text that the expression of meteor_e_learned/features/text.py finds.
    void split(const py::handle& text, Side& side) {
        side.clear();
        read(text, side.text);
        const std::u32string_view all = side.text;
        for (std::size_t at = 0; at < all.size();) {
            const std::uint8_t first = traits(all[at]);
            std::size_t end = at + 1;
            if ((first & Trait::in_word) || (all[at] == '\'' && end < all.size() && is_word(all[end]))) {
                while (end < all.size() && is_word(all[end])) ++end;
            } else if (first & Trait::space) {
                at = end;
                continue;
            }
            const Word& word = known(all.substr(at, end - at));
            side.words.push_back(&word);
            if (word.plain >= 0) side.plain.push_back(word.plain);
            for (; at < end; ++at) add(all[at], side);
        }
        std::sort(side.capitals.begin(), side.capitals.end());
    }

    static void add(char32_t character, Side& side) {
        const std::uint8_t found = traits(character);
        if (side.characters.empty()) side.capital = (found & Trait::capital) != 0;
        if (found & Trait::capital) side.capitals.push_back(character);
        side.digits += (found & Trait::digit) != 0;
        side.characters.push_back(character);
    }

    const Word& known(std::u32string_view text) {
        return known_
            .item(
                hash_of(text), [text](const Known& other) { return other.text == text; },
                [&] { return Known{std::u32string(text), described(text)}; })
            .word;
    }

    // What `describe` of meteor_e_learned/features/text.py says.
    Word described(std::u32string_view text) {
        const py::object lower = string_of(text).attr("lower")();
        std::u32string form;
        read(lower, form);
        const Py_UCS4 first = form[0];
        const bool letter = Py_UNICODE_ISALPHA(first) != 0;
        const std::string part = encoded(lower);
        const bool digits = (traits(first) & Trait::digit) != 0;
        const std::int32_t kind = digits ? Kind::number : letter || first == '\'' ? Kind::content : Kind::mark;
        const auto found = listed_.find(part);
        const Listed listed = found != listed_.end() ? found->second : Listed{kind, false, false};
        const std::size_t list = lists_.list(part);
        const std::size_t quotes = std::min(part.find_first_not_of('\''), part.size());
        const bool plain = listed.kind != Kind::mark && quotes < part.size();
        return {counter_->forms.number(part),
                counter_->stems.number(encoded(string_of(std::u32string_view(form).substr(0, ending(form))))),
                plain ? counter_->plain(part.substr(quotes)) : -1,
                listed.kind,
                static_cast<std::int64_t>(form.size()),
                letter,
                letter && list == WordLists::none,
                letter && list >= settings_.usual,
                list < settings_.frequent,
                (traits(text[0]) & Trait::capital) != 0,
                listed.denies,
                listed.implies};
    }

    static std::string_view text_of(const py::buffer_info& held) {
        if (held.itemsize != 1 || held.ndim != 1 || (held.size > 1 && held.strides[0] != 1)) {
            throw std::invalid_argument("counts are not bytes");
        }
        return {static_cast<const char*>(held.ptr), static_cast<std::size_t>(held.size)};
    }

    py::buffer_info held_words_, held_pairs_, held_lists_;
    CountTable words_, pairs_;
    WordLists lists_;
    std::unordered_map<std::string, Listed> listed_;
    Settings settings_;
    Table<Known> known_;
    std::unique_ptr<Counter> counter_;
};

}  // namespace

PYBIND11_MODULE(_native, module) {
    module.doc() = "Counting for the features of meteor_e_learned.";
    py::class_<TextCounter>(module, "TextCounter")
        .def(py::init([](const py::buffer& words, const py::buffer& pairs, const py::buffer& lists,
                         const py::dict& listed, std::size_t usual, std::size_t frequent, double total, double back_off,
                         double unlisted, double strongest) {
                 const Settings settings{total, back_off, unlisted, strongest, usual, frequent};
                 return std::make_unique<TextCounter>(words, pairs, lists, listed, settings);
             }),
             py::arg("words"), py::arg("pairs"), py::arg("lists"), py::arg("listed"), py::kw_only(), py::arg("usual"),
             py::arg("frequent"), py::arg("total"), py::arg("back_off"), py::arg("unlisted"), py::arg("strongest"))
        .def("numbers", &TextCounter::numbers, py::arg("left"), py::arg("right"));
}

// The extension module meteor_e_learned._native; src/meteor_e_learned/_native.pyi documents it.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <tuple>

#include "hash.hpp"
#include "text_comparison.hpp"
#include "word_lists.hpp"

namespace py = pybind11;

namespace {

using namespace meteor::learned;

// Copies the characters of a Python string.
void copy_characters(const py::handle& text, std::u32string& result) {
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

py::object to_python(std::u32string_view text) {
    PyObject* const string =
        PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, text.data(), static_cast<Py_ssize_t>(text.size()));
    if (!string) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(string);
}

// Encodes a string in UTF-8, including lone surrogates.
std::string to_utf8(const py::handle& text) {
    return text.attr("encode")("utf-8", "surrogatepass").cast<std::string>();
}

// Properties of a character.
enum Trait : std::uint8_t { in_word = 1, space = 2, capital = 4, digit = 8 };

std::uint8_t look_up_traits(Py_UCS4 character) {
    const bool is_in_word = Py_UNICODE_ISALNUM(character) || character == '_';
    return static_cast<std::uint8_t>(
        (is_in_word ? Trait::in_word : 0) | (Py_UNICODE_ISSPACE(character) ? Trait::space : 0) |
        (Py_UNICODE_ISUPPER(character) ? Trait::capital : 0) | (Py_UNICODE_ISDIGIT(character) ? Trait::digit : 0));
}

const std::array<std::uint8_t, 128> ASCII_TRAITS = [] {
    std::array<std::uint8_t, 128> traits{};
    for (std::size_t k = 0; k < traits.size(); ++k) traits[k] = look_up_traits(static_cast<Py_UCS4>(k));
    return traits;
}();

std::uint8_t traits_of(Py_UCS4 character) {
    return character < ASCII_TRAITS.size() ? ASCII_TRAITS[character] : look_up_traits(character);
}

bool is_in_word(Py_UCS4 character) { return (traits_of(character) & Trait::in_word) != 0; }

// Returns the length of a word without its ending, which must follow at least three characters of words.
std::size_t length_without_ending(std::u32string_view form) {
    for (const std::u32string_view ending : {U"ing", U"es", U"ed", U"s", U"d", U"e"}) {
        if (form.size() < ending.size() + 3 || !form.ends_with(ending)) continue;
        const std::size_t length = form.size() - ending.size();
        if (is_in_word(form[length - 1]) && is_in_word(form[length - 2]) && is_in_word(form[length - 3])) return length;
    }
    return form.size();
}

// An entry of Python's table of words.
struct ListedWord {
    std::int32_t kind;
    bool denies, implies_denial;
};

// Compares texts with references, and caches the descriptions of words.
class TextCounter {
public:
    TextCounter(const py::buffer& words, const py::buffer& pairs, const py::buffer& lists, const py::dict& listed,
                const Settings& settings)
        : words_buffer_(words.request()),
          pairs_buffer_(pairs.request()),
          lists_buffer_(lists.request()),
          word_counts_(to_text(words_buffer_)),
          pair_counts_(to_text(pairs_buffer_)),
          word_lists_(to_text(lists_buffer_)),
          settings_(settings) {
        for (const auto& [form, description] : listed) {
            const auto [kind, denies, implies] = description.cast<std::tuple<std::int32_t, bool, bool>>();
            if (kind < 0 || kind > Kind::content) throw std::invalid_argument("a word is of no kind");
            listed_words_[to_utf8(form)] = {kind, denies, implies};
        }
        clear_caches();
    }

    // Returns the columns of each text and its reference, (texts, width).
    py::array_t<double> numbers(const py::list& left, const py::list& right) {
        if (left.size() != right.size()) throw std::invalid_argument("texts and references are not equally many");
        constexpr std::size_t WIDTH = TextComparison::WIDTH;
        py::array_t<double> columns({static_cast<py::ssize_t>(left.size()), static_cast<py::ssize_t>(WIDTH)});
        Text hypothesis, reference;
        for (std::size_t k = 0; k < left.size(); ++k) {
            if (words_.size() > MAX_WORDS || comparison_->cached_pair_count() > MAX_PAIRS) clear_caches();
            split(left[k], hypothesis);
            split(right[k], reference);
            comparison_->compare(hypothesis, reference, columns.mutable_data() + k * WIDTH);
        }
        return columns;
    }

private:
    static constexpr std::size_t MAX_WORDS = 1 << 18, MAX_PAIRS = 1 << 20;  // in the caches

    struct CachedWord {
        std::u32string text;
        Word word;
    };

    void clear_caches() {
        words_ = ItemTable<CachedWord>();
        comparison_ = std::make_unique<TextComparison>(word_counts_, pair_counts_, settings_);
    }

    // Splits a text with the regular expression of meteor_e_learned/features/text.py.
    void split(const py::handle& object, Text& text) {
        text.clear();
        copy_characters(object, text.raw);
        const std::u32string_view raw = text.raw;
        for (std::size_t start = 0; start < raw.size();) {
            const std::uint8_t traits = traits_of(raw[start]);
            std::size_t end = start + 1;
            const bool starts_with_apostrophe = raw[start] == '\'' && end < raw.size() && is_in_word(raw[end]);
            if ((traits & Trait::in_word) || starts_with_apostrophe) {
                while (end < raw.size() && is_in_word(raw[end])) ++end;
            } else if (traits & Trait::space) {
                start = end;
                continue;
            }
            const Word& word = word_of(raw.substr(start, end - start));
            text.words.push_back(&word);
            if (word.plain >= 0) text.plain_words.push_back(word.plain);
            for (; start < end; ++start) add_character(raw[start], text);
        }
        std::sort(text.capitals.begin(), text.capitals.end());
    }

    static void add_character(char32_t character, Text& text) {
        const std::uint8_t traits = traits_of(character);
        const bool is_capital = (traits & Trait::capital) != 0;
        if (text.characters.empty()) text.starts_with_capital = is_capital;
        if (is_capital) text.capitals.push_back(character);
        text.digits += (traits & Trait::digit) != 0;
        text.characters.push_back(character);
    }

    const Word& word_of(std::u32string_view text) {
        const auto is_equal = [text](const CachedWord& cached) { return cached.text == text; };
        const auto make = [&] { return CachedWord{std::u32string(text), describe(text)}; };
        return words_.find_or_insert(hash_string(text), is_equal, make).word;
    }

    // Describes a word as `describe` of meteor_e_learned/features/text.py does.
    Word describe(std::u32string_view text) {
        const py::object lowercase = to_python(text).attr("lower")();
        std::u32string form;
        copy_characters(lowercase, form);
        const std::string encoded_form = to_utf8(lowercase);
        const std::u32string_view stem = std::u32string_view(form).substr(0, length_without_ending(form));
        const Py_UCS4 first = form[0];
        const bool is_letter = Py_UNICODE_ISALPHA(first) != 0;
        const bool is_digit = (traits_of(first) & Trait::digit) != 0;
        const std::int32_t kind = is_digit ? Kind::number : is_letter || first == U'\'' ? Kind::content : Kind::mark;
        const auto entry = listed_words_.find(encoded_form);
        const ListedWord listed = entry != listed_words_.end() ? entry->second : ListedWord{kind, false, false};
        const std::size_t list = word_lists_.list_of(encoded_form);
        const std::size_t quotes = std::min(encoded_form.find_first_not_of('\''), encoded_form.size());
        const bool has_plain_form = listed.kind != Kind::mark && quotes < encoded_form.size();
        return {comparison_->forms.find_or_insert(encoded_form),
                comparison_->stems.find_or_insert(to_utf8(to_python(stem))),
                has_plain_form ? comparison_->plain_id(encoded_form.substr(quotes)) : -1,
                listed.kind,
                static_cast<std::int64_t>(form.size()),
                is_letter,
                is_letter && list == WordLists::NOT_LISTED,
                is_letter && list >= settings_.usual_lists,
                list < settings_.frequent_lists,
                (traits_of(text[0]) & Trait::capital) != 0,
                listed.denies,
                listed.implies_denial};
    }

    static std::string_view to_text(const py::buffer_info& buffer) {
        if (buffer.itemsize != 1 || buffer.ndim != 1 || (buffer.size > 1 && buffer.strides[0] != 1)) {
            throw std::invalid_argument("counts are not bytes");
        }
        return {static_cast<const char*>(buffer.ptr), static_cast<std::size_t>(buffer.size)};
    }

    py::buffer_info words_buffer_, pairs_buffer_, lists_buffer_;
    CountTable word_counts_, pair_counts_;
    WordLists word_lists_;
    std::unordered_map<std::string, ListedWord> listed_words_;
    Settings settings_;
    ItemTable<CachedWord> words_;
    std::unique_ptr<TextComparison> comparison_;
};

// The constructor. py::init of pybind11 3.1 would free the object of a std::unique_ptr twice if the memory runs out
// while the Python object is registered.
void construct(py::detail::value_and_holder& target, const py::buffer& words, const py::buffer& pairs,
               const py::buffer& lists, const py::dict& listed, std::size_t usual, std::size_t frequent, double total,
               double back_off, double unlisted, double strongest) {
    const Settings settings{total, back_off, unlisted, strongest, usual, frequent};
    auto counter = std::make_unique<TextCounter>(words, pairs, lists, listed, settings);
    target.value_ptr() = counter.get();
    try {
        target.type->init_instance(target.inst, &counter);
    } catch (...) {
        target.value_ptr() = nullptr;
        throw;
    }
}

}  // namespace

PYBIND11_MODULE(_native, module) {
    module.doc() = "Counts for the features of meteor_e_learned.";
    py::class_<TextCounter>(module, "TextCounter")
        .def("__init__", construct, py::detail::is_new_style_constructor(), py::arg("words"), py::arg("pairs"),
             py::arg("lists"), py::arg("listed"), py::kw_only(), py::arg("usual"), py::arg("frequent"),
             py::arg("total"), py::arg("back_off"), py::arg("unlisted"), py::arg("strongest"))
        .def("numbers", &TextCounter::numbers, py::arg("left"), py::arg("right"));
}

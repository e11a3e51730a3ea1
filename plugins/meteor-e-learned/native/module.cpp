// The extension module meteor_e_learned._native. Its signatures are in src/meteor_e_learned/_native.pyi.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "counting.hpp"
#include "word_pairs.hpp"

namespace py = pybind11;

namespace {

using namespace meteor::learned;

// Only arrays of the very type are taken, so that nothing large is copied without a word: arguments are noconvert().
using Integers = py::array_t<std::int64_t, py::array::c_style>;

Integers array_of(const std::vector<std::int64_t>& values) {
    return Integers(static_cast<py::ssize_t>(values.size()), values.data());
}

// Sequences whose boundaries lie within the items, and whose items are numbers below `size`.
Sequences checked(const Integers& items, const Integers& starts, std::int64_t size) {
    const std::int64_t* start = starts.data();
    const py::ssize_t bounds = starts.size();
    if (bounds < 1 || bounds % 2 == 0 || start[0] != 0 || start[bounds - 1] != items.size()) {
        throw std::invalid_argument("the starts do not fit the items");
    }
    for (py::ssize_t at = 0; at + 1 < bounds; ++at) {
        if (start[at] > start[at + 1]) throw std::invalid_argument("the starts are not in order");
    }
    const std::int64_t* item = items.data();
    for (py::ssize_t at = 0; at < items.size(); ++at) {
        if (item[at] < 0 || item[at] >= size) throw std::invalid_argument("an item's number is out of range");
    }
    return {item, start, static_cast<std::size_t>(bounds - 1) / 2};
}

// One row of `width` numbers for each pair.
template <class Count>
Integers counted(const Integers& items, const Integers& starts, std::int64_t size, std::size_t width, Count count) {
    const Sequences sequences = checked(items, starts, size);
    Integers result({static_cast<py::ssize_t>(sequences.count), static_cast<py::ssize_t>(width)});
    std::int64_t* rows = result.mutable_data();
    const py::gil_scoped_release unlocked;
    count(sequences, rows);
    return result;
}

// Numbers pieces of texts in the order in which they come. The texts outlive it.
class Pieces {
public:
    Pieces() : slots_(1024, -1) {}

    void add(PyObject* text, Py_ssize_t start, Py_ssize_t end) {
        const Piece piece{text, start, end - start, hash(text, start, end)};
        std::size_t place = piece.hash & (slots_.size() - 1);
        while (slots_[place] >= 0 && !same(known_[static_cast<std::size_t>(slots_[place])], piece)) {
            place = (place + 1) & (slots_.size() - 1);
        }
        if (slots_[place] < 0) {
            slots_[place] = static_cast<std::int64_t>(known_.size());
            known_.push_back(piece);
        }
        items.push_back(slots_[place]);
        if (2 * known_.size() > slots_.size()) grow();
    }

    // The pieces by their numbers.
    py::list known() const {
        py::list result;
        for (const Piece& piece : known_) {
            PyObject* found = PyUnicode_Substring(piece.text, piece.start, piece.start + piece.length);
            if (!found) throw py::error_already_set();
            result.append(py::reinterpret_steal<py::object>(found));
        }
        return result;
    }

    std::vector<std::int64_t> items, lengths;

private:
    struct Piece {
        PyObject* text;
        Py_ssize_t start, length;
        std::size_t hash;
    };

    static Py_UCS4 at(const Piece& piece, Py_ssize_t place) {
        return PyUnicode_READ(PyUnicode_KIND(piece.text), PyUnicode_DATA(piece.text), piece.start + place);
    }

    static std::size_t hash(PyObject* text, Py_ssize_t start, Py_ssize_t end) {
        const int kind = PyUnicode_KIND(text);
        const void* data = PyUnicode_DATA(text);
        std::uint64_t found = 0xCBF29CE484222325ull;
        for (Py_ssize_t place = start; place < end; ++place) {
            found = (found ^ PyUnicode_READ(kind, data, place)) * 0x100000001B3ull;
        }
        return static_cast<std::size_t>(found ^ (found >> 32));
    }

    static bool same(const Piece& one, const Piece& other) {
        if (one.hash != other.hash || one.length != other.length) return false;
        for (Py_ssize_t place = 0; place < one.length; ++place) {
            if (at(one, place) != at(other, place)) return false;
        }
        return true;
    }

    void grow() {
        std::vector<std::int64_t> larger(2 * slots_.size(), -1);
        for (std::size_t number = 0; number < known_.size(); ++number) {
            std::size_t place = known_[number].hash & (larger.size() - 1);
            while (larger[place] >= 0) place = (place + 1) & (larger.size() - 1);
            larger[place] = static_cast<std::int64_t>(number);
        }
        slots_ = std::move(larger);
    }

    std::vector<Piece> known_;
    std::vector<std::int64_t> slots_;
};

// What "\w" matches.
bool is_word(Py_UCS4 character) {
    if (character < 128) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
               (character >= '0' && character <= '9') || character == '_';
    }
    return Py_UNICODE_ISALNUM(character);
}

// The pieces of a text that the expression of meteor_e_learned/splitting.py finds.
void split(PyObject* text, Pieces& pieces) {
    const int kind = PyUnicode_KIND(text);
    const void* data = PyUnicode_DATA(text);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t at = 0; at < length;) {
        const Py_UCS4 first = PyUnicode_READ(kind, data, at);
        Py_ssize_t end = at + 1;
        const bool word = is_word(first);
        if (word || (first == '\'' && end < length && is_word(PyUnicode_READ(kind, data, end)))) {
            while (end < length && is_word(PyUnicode_READ(kind, data, end))) ++end;
        } else if (Py_UNICODE_ISSPACE(first)) {
            at = end;
            continue;
        }
        pieces.add(text, at, end);
        at = end;
    }
}

// The words between white space that begin with a capital, without the first word.
void capitals(PyObject* text, Pieces& pieces) {
    const int kind = PyUnicode_KIND(text);
    const void* data = PyUnicode_DATA(text);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    bool first = true;
    for (Py_ssize_t at = 0; at < length;) {
        if (Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, at))) {
            ++at;
            continue;
        }
        Py_ssize_t end = at + 1;
        while (end < length && !Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, end))) ++end;
        if (!first && Py_UNICODE_ISUPPER(PyUnicode_READ(kind, data, at))) pieces.add(text, at, end);
        first = false;
        at = end;
    }
}

py::tuple numbered(const py::list& texts, void (*cut)(PyObject*, Pieces&)) {
    Pieces pieces;
    for (const py::handle text : texts) {
        if (!PyUnicode_Check(text.ptr())) throw py::type_error("a text is not a string");
        const std::size_t before = pieces.items.size();
        cut(text.ptr(), pieces);
        pieces.lengths.push_back(static_cast<std::int64_t>(pieces.items.size() - before));
    }
    return py::make_tuple(array_of(pieces.items), array_of(pieces.lengths), pieces.known());
}

// Counts of words and of pairs of words, and what keeps their texts alive.
class PairCounts {
public:
    PairCounts(const py::buffer& words, const py::buffer& pairs, const PairSettings& settings)
        : held_words_(words.request()),
          held_pairs_(pairs.request()),
          lists_{CountTable(text_of(held_words_)), CountTable(text_of(held_pairs_)), settings} {}

    // What hypotheses add to their references, (hypotheses, 7), of texts in lower case. `hypotheses` and `references`
    // are places of texts; the references of hypothesis n begin at starts[n].
    py::array_t<double> numbers(const py::list& texts, const Integers& hypotheses, const Integers& references,
                                const Integers& starts) const {
        std::vector<std::string> plain;
        std::vector<PairedText> paired;
        plain.reserve(texts.size());
        paired.reserve(texts.size());
        for (const py::handle text : texts) {
            plain.push_back(plain_text(text));
            paired.emplace_back(plain.back());
        }
        const py::ssize_t count = hypotheses.size();
        if (starts.size() != count + 1 || starts.at(0) != 0 || starts.at(count) != references.size()) {
            throw std::invalid_argument("the starts do not fit the references");
        }
        const auto text_at = [&paired](std::int64_t place) -> PairedText& {
            if (place < 0 || static_cast<std::size_t>(place) >= paired.size()) {
                throw std::invalid_argument("a text's place is out of range");
            }
            return paired[static_cast<std::size_t>(place)];
        };
        Numbers added({count, static_cast<py::ssize_t>(PairedText::width)});
        std::vector<const PairedText*> of_hypothesis;
        for (py::ssize_t at = 0; at < count; ++at) {
            if (starts.at(at) > starts.at(at + 1) || starts.at(at + 1) > references.size()) {
                throw std::invalid_argument("the starts are not in order");
            }
            of_hypothesis.clear();
            for (std::int64_t place = starts.at(at); place < starts.at(at + 1); ++place) {
                PairedText& reference = text_at(references.at(place));
                reference.prepare();
                of_hypothesis.push_back(&reference);
            }
            text_at(hypotheses.at(at))
                .added(of_hypothesis, lists_, added.mutable_data() + static_cast<std::size_t>(at) * PairedText::width);
        }
        return added;
    }

private:
    using Numbers = py::array_t<double, py::array::c_style>;

    // A text with a blank for each character beyond ASCII.
    static std::string plain_text(const py::handle& text) {
        if (!PyUnicode_Check(text.ptr())) throw py::type_error("a text is not a string");
        const int kind = PyUnicode_KIND(text.ptr());
        const void* data = PyUnicode_DATA(text.ptr());
        std::string result(static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.ptr())), ' ');
        for (std::size_t at = 0; at < result.size(); ++at) {
            const Py_UCS4 character = PyUnicode_READ(kind, data, static_cast<Py_ssize_t>(at));
            if (character < 128) result[at] = static_cast<char>(character);
        }
        return result;
    }

    static std::string_view text_of(const py::buffer_info& held) {
        if (held.itemsize != 1 || held.ndim != 1 || (held.size > 1 && held.strides[0] != 1)) {
            throw std::invalid_argument("counts are not bytes");
        }
        return {static_cast<const char*>(held.ptr), static_cast<std::size_t>(held.size)};
    }

    py::buffer_info held_words_, held_pairs_;
    PairLists lists_;
};

}  // namespace

PYBIND11_MODULE(_native, module, py::mod_gil_not_used()) {
    module.doc() = "Counting for the features of meteor_e_learned.";
    const auto items = py::arg("items").noconvert();
    const auto starts = py::arg("starts").noconvert();
    module.def(
        "common_ngrams",
        [](const Integers& items, const Integers& starts, std::int64_t size, std::size_t longest) {
            return counted(items, starts, size, longest, [longest](const Sequences& sequences, std::int64_t* rows) {
                common_ngrams(sequences, longest, rows);
            });
        },
        items, starts, py::arg("size"), py::arg("longest"));
    module.def(
        "tally",
        [](const Integers& items, const Integers& starts, std::int64_t size) {
            const Sequences sequences = checked(items, starts, size);
            Tally found;
            {
                const py::gil_scoped_release unlocked;
                found = tally(sequences, static_cast<std::size_t>(size));
            }
            return py::make_tuple(array_of(found.pair), array_of(found.item), array_of(found.left),
                                  array_of(found.right));
        },
        items, starts, py::arg("size"));
    module.def("split", [](const py::list& texts) { return numbered(texts, split); }, py::arg("texts"));
    module.def("capitals", [](const py::list& texts) { return numbered(texts, capitals); }, py::arg("texts"));
    py::class_<PairCounts>(module, "PairCounts")
        .def(py::init([](const py::buffer& words, const py::buffer& pairs, double total, double back_off,
                         double unlisted, double strongest) {
                 return std::make_unique<PairCounts>(words, pairs, PairSettings{total, back_off, unlisted, strongest});
             }),
             py::arg("words"), py::arg("pairs"), py::kw_only(), py::arg("total"), py::arg("back_off"),
             py::arg("unlisted"), py::arg("strongest"))
        .def("numbers", &PairCounts::numbers, py::arg("texts"), py::arg("hypotheses").noconvert(),
             py::arg("references").noconvert(), starts);
}

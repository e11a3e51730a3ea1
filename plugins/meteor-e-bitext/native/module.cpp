// The extension module meteor_e._bitext. Its signatures are in meteor_e/_bitext.pyi.
#include "../../native/python_helpers.hpp"
#include "phrases.hpp"
#include "pivot.hpp"
#include "word_alignment.hpp"

namespace {

using namespace meteor;
using namespace meteor::bitext;
using python::Buffer;
using python::ErrorSet;
using python::Ref;
using python::Unlocked;

// Memory of a Python object that is written to.
class Output {
public:
    explicit Output(PyObject* object) {
        if (PyObject_GetBuffer(object, &view_, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) throw ErrorSet{};
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() { PyBuffer_Release(&view_); }

    template <class Item>
    Item* items(std::size_t count) const {
        if (static_cast<std::size_t>(view_.len) != count * sizeof(Item) ||
            reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(Item)) {
            throw std::invalid_argument("an output buffer has the wrong size");
        }
        return static_cast<Item*>(view_.buf);
    }
    template <class Item>
    std::size_t size() const {
        return static_cast<std::size_t>(view_.len) / sizeof(Item);
    }

private:
    Py_buffer view_{};
};

// Calls back into Python from work that runs without the interpreter's lock: progress, and signals such as Ctrl-C.
class Report {
public:
    explicit Report(PyObject* function) : function_(function) {}

    bool operator()(std::size_t done, std::size_t all) {
        const PyGILState_STATE state = PyGILState_Ensure();
        bool fine = PyErr_CheckSignals() == 0;
        if (fine) {
            PyObject* result = PyObject_CallFunction(function_, "nn", static_cast<Py_ssize_t>(done),
                                                     static_cast<Py_ssize_t>(all));
            fine = result != nullptr;
            Py_XDECREF(result);
        }
        // An error stays set for this thread until the work has ended.
        PyGILState_Release(state);
        failed_ = failed_ || !fine;
        return fine;
    }
    void raise() const {
        if (failed_) throw ErrorSet{};
    }

private:
    PyObject* function_;
    bool failed_ = false;
};

template <class Item>
Ref to_bytes(const std::vector<Item>& items) {
    return Ref(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(items.data()),
                                         static_cast<Py_ssize_t>(items.size() * sizeof(Item))));
}

void expect(std::size_t found, std::size_t size) {
    if (found != size) throw std::invalid_argument("buffers do not fit each other");
}

PyObject* py_align_words(PyObject*, PyObject* arguments) {
    return python::guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
        PyObject *source_words, *source_starts, *target_words, *target_starts, *positions, *report_function;
        Py_ssize_t source_types, target_types, iterations, longest, threads;
        ModelOptions options;
        if (!PyArg_ParseTuple(arguments, "OOnOOnndddnnOO", &source_words, &source_starts, &source_types, &target_words,
                              &target_starts, &target_types, &iterations, &options.null_probability, &options.tension,
                              &options.concentration, &longest, &threads, &positions, &report_function)) {
            throw ErrorSet{};
        }
        if (iterations < 1 || longest < 1 || longest >= NOT_ALIGNED || threads < 1 ||
            !(options.null_probability > 0 && options.null_probability < 1) || !(options.tension > 0) ||
            !(options.concentration > 0)) {
            throw std::invalid_argument("an option is out of range");
        }
        options.iterations = static_cast<std::size_t>(iterations);
        options.longest = static_cast<std::size_t>(longest);
        options.threads = static_cast<std::size_t>(threads);
        const Buffer a(source_words), b(source_starts), c(target_words), d(target_starts);
        const Side source{a.items<std::uint32_t>(), b.items<std::uint64_t>()};
        const Side target{c.items<std::uint32_t>(), d.items<std::uint64_t>()};
        source.check(static_cast<std::size_t>(source_types));
        target.check(static_cast<std::size_t>(target_types));
        expect(source.sentences(), target.sentences());
        const Output output(positions);
        std::uint16_t* out = output.items<std::uint16_t>(target.words.size);
        Report report(report_function);
        double tension = 0;
        {
            const Unlocked unlocked;
            tension = align_words(source, target, static_cast<std::size_t>(source_types),
                                  static_cast<std::size_t>(target_types), options, out, std::ref(report));
        }
        report.raise();
        return PyFloat_FromDouble(tension);
    });
}

PyObject* py_symmetrize(PyObject*, PyObject* arguments) {
    return python::guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
        PyObject *source_starts, *target_starts, *forward, *backward;
        int heuristic;
        if (!PyArg_ParseTuple(arguments, "OOOOi", &source_starts, &target_starts, &forward, &backward, &heuristic)) {
            throw ErrorSet{};
        }
        if (heuristic < 0 || heuristic > 4) throw std::invalid_argument("there is no such heuristic");
        const Buffer a(source_starts), b(target_starts), c(forward), d(backward);
        const auto sources = a.items<std::uint64_t>(), targets = b.items<std::uint64_t>();
        const auto from_target = c.items<std::uint16_t>(), from_source = d.items<std::uint16_t>();
        expect(sources.size, targets.size);
        if (sources.size == 0) throw std::invalid_argument("there is no end");
        expect(sources[sources.size - 1], from_source.size);
        expect(targets[targets.size - 1], from_target.size);
        for (std::size_t k = 0; k + 1 < sources.size; ++k) {
            if (sources[k] > sources[k + 1] || targets[k] > targets[k + 1]) {
                throw std::invalid_argument("sentences overlap");
            }
        }
        Links links;
        {
            const Unlocked unlocked;
            links = symmetrize(sources, targets, from_target, from_source, static_cast<Heuristic>(heuristic));
        }
        const Ref pairs = to_bytes(links.pairs), starts = to_bytes(links.starts);
        return PyTuple_Pack(2, pairs.get(), starts.get());
    });
}

PyObject* py_number_phrases(PyObject*, PyObject* arguments) {
    return python::guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
        PyObject *words, *starts, *numbers, *report_function;
        Py_ssize_t types, longest, least;
        if (!PyArg_ParseTuple(arguments, "OOnnnOO", &words, &starts, &types, &longest, &least, &numbers,
                              &report_function)) {
            throw ErrorSet{};
        }
        const Buffer a(words), b(starts);
        const Side side{a.items<std::uint32_t>(), b.items<std::uint64_t>()};
        side.check(static_cast<std::size_t>(types));
        if (longest < 1 || longest > 100 || least < 1) throw std::invalid_argument("an option is out of range");
        if (side.words.size > 0xFFFFFFF0u) throw std::invalid_argument("more than four billion words");
        const Output output(numbers);
        std::uint32_t* out = output.items<std::uint32_t>(side.words.size * static_cast<std::size_t>(longest));
        Report report(report_function);
        std::vector<std::uint32_t> places, by_length;
        {
            const Unlocked unlocked;
            places = number_phrases(side, static_cast<std::size_t>(longest), static_cast<std::uint32_t>(least), out,
                                    by_length, std::ref(report));
        }
        report.raise();
        const Ref first = to_bytes(places), second = to_bytes(by_length);
        return PyTuple_Pack(2, first.get(), second.get());
    });
}

PyObject* py_extract_pairs(PyObject*, PyObject* arguments) {
    return python::guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
        PyObject *first_starts, *second_starts, *first_numbers, *second_numbers, *links, *link_starts, *first_counts,
            *second_counts;
        Py_ssize_t longest, begin, end;
        if (!PyArg_ParseTuple(arguments, "OOOOnOOnnOO", &first_starts, &second_starts, &first_numbers, &second_numbers,
                              &longest, &links, &link_starts, &begin, &end, &first_counts, &second_counts)) {
            throw ErrorSet{};
        }
        if (longest < 1 || begin < 0 || end < begin) throw std::invalid_argument("an option is out of range");
        const Buffer a(first_starts), b(second_starts), c(first_numbers), d(second_numbers), e(links), f(link_starts);
        const auto firsts = a.items<std::uint64_t>(), seconds = b.items<std::uint64_t>();
        const auto link_items = e.items<std::uint16_t>();
        const auto link_from = f.items<std::uint64_t>();
        const auto size = static_cast<std::size_t>(longest);
        expect(firsts.size, seconds.size);
        expect(firsts.size, link_from.size);
        if (static_cast<std::size_t>(end) >= firsts.size) throw std::invalid_argument("there are fewer sentences");
        expect(firsts[firsts.size - 1] * size, c.items<std::uint32_t>().size);
        expect(seconds[seconds.size - 1] * size, d.items<std::uint32_t>().size);
        expect(link_from[link_from.size - 1] * 2, link_items.size);
        for (std::size_t k = 0; k + 1 < firsts.size; ++k) {
            if (firsts[k] > firsts[k + 1] || seconds[k] > seconds[k + 1] || link_from[k] > link_from[k + 1]) {
                throw std::invalid_argument("sentences overlap");
            }
        }
        const PhraseNumbers first{c.items<std::uint32_t>(), size, firsts[firsts.size - 1]};
        const PhraseNumbers second{d.items<std::uint32_t>(), size, seconds[seconds.size - 1]};
        const Output counts(first_counts), other_counts(second_counts);
        const std::size_t phrases = counts.size<std::uint32_t>(), others = other_counts.size<std::uint32_t>();
        if (!phrases || !others) throw std::invalid_argument("an output buffer is empty");
        std::uint32_t* out = counts.items<std::uint32_t>(phrases);
        std::uint32_t* other_out = other_counts.items<std::uint32_t>(others);
        std::vector<PairCount> pairs;
        {
            const Unlocked unlocked;
            pairs = extract_pairs(firsts, seconds, first, second, link_items, link_from,
                                  static_cast<std::size_t>(begin), static_cast<std::size_t>(end), out, phrases - 1,
                                  other_out, others - 1);
        }
        return to_bytes(pairs).release();
    });
}

PyObject* py_merge_runs(PyObject*, PyObject* arguments) {
    return python::guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
        PyObject *list, *write;
        if (!PyArg_ParseTuple(arguments, "OO", &list, &write)) throw ErrorSet{};
        const python::Sequence sequence(list);
        std::vector<std::unique_ptr<Buffer>> buffers;
        std::vector<View<PairCount>> runs;
        for (std::size_t k = 0; k < sequence.size(); ++k) {
            buffers.push_back(std::make_unique<Buffer>(sequence[k]));
            runs.push_back(buffers.back()->items<PairCount>());
        }
        merge_runs(runs, [&](const std::vector<PairCount>& block) {
            const Ref bytes = to_bytes(block);
            const Ref result(PyObject_CallOneArg(write, bytes.get()));
        });
        Py_RETURN_NONE;
    });
}

PyObject* py_pivot(PyObject*, PyObject* arguments) {
    return python::guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
        PyObject *phrases, *starts, *pivots, *to_probabilities, *pivot_starts, *others, *from_probabilities;
        double least_product, least_sum;
        if (!PyArg_ParseTuple(arguments, "OOOOOOOdd", &phrases, &starts, &pivots, &to_probabilities, &pivot_starts,
                              &others, &from_probabilities, &least_product, &least_sum)) {
            throw ErrorSet{};
        }
        const Buffer a(phrases), b(starts), c(pivots), d(to_probabilities), e(pivot_starts), f(others),
            g(from_probabilities);
        const auto wanted = a.items<std::uint32_t>();
        const PairTable to{b.items<std::uint64_t>(), c.items<std::uint32_t>(), d.items<double>()};
        const PairTable from{e.items<std::uint64_t>(), f.items<std::uint32_t>(), g.items<double>()};
        if (!to.starts.size || !from.starts.size) throw std::invalid_argument("there is no end");
        to.check(from.starts.size - 1);
        from.check(to.starts.size - 1);
        for (const std::uint32_t phrase : wanted) {
            if (phrase >= to.starts.size - 1) throw std::invalid_argument("a phrase is not in the table");
        }
        std::vector<Paraphrase> found;
        {
            const Unlocked unlocked;
            found = pivot(wanted, to, from, least_product, least_sum);
        }
        return to_bytes(found).release();
    });
}

PyMethodDef methods[] = {
    {"align_words", py_align_words, METH_VARARGS, nullptr},
    {"symmetrize", py_symmetrize, METH_VARARGS, nullptr},
    {"number_phrases", py_number_phrases, METH_VARARGS, nullptr},
    {"extract_pairs", py_extract_pairs, METH_VARARGS, nullptr},
    {"merge_runs", py_merge_runs, METH_VARARGS, nullptr},
    {"pivot", py_pivot, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "meteor_e._bitext", "Resources from bitext, the heavy part.", 0,
                          methods,               slots,              nullptr,                                 nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__bitext() { return PyModuleDef_Init(&definition); }

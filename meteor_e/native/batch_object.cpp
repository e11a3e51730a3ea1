#include "core_object.hpp"

#include <memory>
#include <mutex>

namespace meteor::python {

PyTypeObject* batch_type = nullptr;

namespace {

Core& core_of_batch(PyObject* self) { return core_of(reinterpret_cast<BatchObject*>(self)->owner); }

void batch_dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    BatchObject* object = reinterpret_cast<BatchObject*>(self);
    delete object->batch;
    Py_XDECREF(object->owner);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* batch_irregular(PyObject* self, PyObject*) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        Ref list(PyList_New(0));
        for (const std::size_t segment : batch_of(self).irregular()) {
            const Ref number(PyLong_FromSize_t(segment));
            if (PyList_Append(list.get(), number.get()) < 0) throw ErrorSet{};
        }
        return list.release();
    });
}

PyObject* batch_set_words(PyObject* self, PyObject* arguments) {
    Py_ssize_t segment;
    PyObject* words;
    if (!PyArg_ParseTuple(arguments, "nO", &segment, &words)) return nullptr;
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const Sequence items(words);
        std::vector<std::u32string> strings;
        for (std::size_t k = 0; k < items.size(); ++k) strings.push_back(to_string(items[k]));
        batch_of(self).set_words(static_cast<std::size_t>(segment), strings);
        return Py_NewRef(Py_None);
    });
}

// intern(): adds the batch's new words to the vocabulary; returns how many word types lack features.
PyObject* batch_intern(PyObject* self, PyObject*) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        batch_of(self).intern_new_words();
        const Vocabulary& vocabulary = *core_of_batch(self).vocabulary;
        return PyLong_FromSize_t(vocabulary.size() - vocabulary.described());
    });
}

std::vector<std::size_t> sizes_of(PyObject* list) {
    const Sequence items(list);
    std::vector<std::size_t> numbers;
    numbers.reserve(items.size());
    for (std::size_t k = 0; k < items.size(); ++k) numbers.push_back(to_size(items[k]));
    return numbers;
}

// number_sentences() -> the first segment of each distinct sentence that is not empty
PyObject* batch_number_sentences(PyObject* self, PyObject*) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        Ref list(PyList_New(0));
        for (const std::size_t segment : batch_of(self).number_sentences()) {
            const Ref number(PyLong_FromSize_t(segment));
            if (PyList_Append(list.get(), number.get()) < 0) throw ErrorSet{};
        }
        return list.release();
    });
}

// give_rows(matcher, sentence, rows: int16, a row a word)
PyObject* batch_give_rows(PyObject* self, PyObject* arguments) {
    Py_ssize_t matcher, sentence;
    PyObject* rows;
    if (!PyArg_ParseTuple(arguments, "nnO", &matcher, &sentence, &rows)) return nullptr;
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const Buffer buffer(rows);
        batch_of(self).give_rows(static_cast<std::size_t>(matcher), static_cast<std::size_t>(sentence),
                                 buffer.items<std::int16_t>());
        return Py_NewRef(Py_None);
    });
}

PyObject* batch_pair(PyObject* self, PyObject* starts) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        batch_of(self).pair(sizes_of(starts));
        return Py_NewRef(Py_None);
    });
}

std::size_t segment_number(PyObject* self, PyObject* object) {
    const std::size_t segment = to_size(object);
    if (segment >= batch_of(self).segments()) throw std::invalid_argument("there is no such segment");
    return segment;
}

std::size_t hypothesis_number(PyObject* self, PyObject* object) {
    const std::size_t hypothesis = to_size(object);
    if (hypothesis >= batch_of(self).hypotheses()) throw std::invalid_argument("there is no such hypothesis");
    return hypothesis;
}

PyObject* batch_types(PyObject* self, PyObject* segment) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const Words words = batch_of(self).words(segment_number(self, segment));
        Ref list(PyList_New(static_cast<Py_ssize_t>(words.size)));
        for (std::size_t k = 0; k < words.size; ++k) {
            PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(k), Ref(PyLong_FromSize_t(words[k])).release());
        }
        return list.release();
    });
}

PyObject* batch_words(PyObject* self, PyObject* segment) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const Words words = batch_of(self).words(segment_number(self, segment));
        const Vocabulary& vocabulary = *core_of_batch(self).vocabulary;
        Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(words.size)));
        for (std::size_t k = 0; k < words.size; ++k) {
            PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k), to_python(vocabulary.form(words[k])).release());
        }
        return tuple.release();
    });
}

PyObject* batch_original(PyObject* self, PyObject* hypothesis) {
    return guarded<>(static_cast<PyObject*>(nullptr),
                     [&] { return PyLong_FromSize_t(batch_of(self).original(hypothesis_number(self, hypothesis))); });
}

std::int64_t position_of(PyObject* object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow) return overflow < 0 ? INT64_MIN : INT64_MAX;
    if (value == -1 && PyErr_Occurred()) throw ErrorSet{};
    return value;
}

// propose(reference, matcher, matches); the matches are those of meteor_e/api/matchers.py
PyObject* batch_propose(PyObject* self, PyObject* arguments) {
    Py_ssize_t reference, matcher;
    PyObject* matches;
    if (!PyArg_ParseTuple(arguments, "nnO", &reference, &matcher, &matches)) return nullptr;
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const Sequence items(matches);
        std::vector<Proposal> proposals;
        proposals.reserve(items.size());
        for (std::size_t k = 0; k < items.size(); ++k) {
            const auto position = [&](const char* name) { return position_of(attribute(items[k], name).get()); };
            proposals.push_back({position("reference_start"), position("hypothesis_start"),
                                 position("reference_length"), position("hypothesis_length"),
                                 to_double(attribute(items[k], "probability").get())});
        }
        batch_of(self).propose(static_cast<std::size_t>(reference), static_cast<std::size_t>(matcher),
                               std::move(proposals));
        return Py_NewRef(Py_None);
    });
}

void set_item(PyObject* dictionary, const char* name, Ref value) {
    if (PyDict_SetItemString(dictionary, name, value.get()) < 0) throw ErrorSet{};
}

// score(threads=, alignments=, maximum_accuracy=, stop=) -> {statistics, scores, best_references, total}
PyObject* batch_score(PyObject* self, PyObject* arguments, PyObject* keywords) {
    static const char* names[] = {"threads", "alignments", "maximum_accuracy", "stop", nullptr};
    Py_ssize_t threads;
    int alignments, maximum_accuracy;
    PyObject* stop;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "$nppO", const_cast<char**>(names), &threads, &alignments,
                                     &maximum_accuracy, &stop)) {
        return nullptr;
    }
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        Batch& batch = batch_of(self);
        const std::size_t count = batch.hypotheses(), width = statistics_width(core_of_batch(self).chain);
        const auto bytes = [count](std::size_t item) {
            return Ref(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count * item)));
        };
        Ref statistics = bytes(width * sizeof(std::int64_t)), scores = bytes(scores_width() * sizeof(double)),
            references = bytes(sizeof(std::int32_t));
        BatchOptions options;
        options.threads = static_cast<std::size_t>(threads);
        options.keep_alignments = alignments != 0;
        options.maximum_accuracy = maximum_accuracy != 0;
        bool done;
        {
            Unlocked unlocked;
            done = batch.score(
                options, [&] { return unlocked.go_on(stop); },
                reinterpret_cast<std::int64_t*>(PyBytes_AS_STRING(statistics.get())),
                reinterpret_cast<double*>(PyBytes_AS_STRING(scores.get())),
                reinterpret_cast<std::int32_t*>(PyBytes_AS_STRING(references.get())));
        }
        if (!done) throw ErrorSet{};
        Ref total(PyList_New(static_cast<Py_ssize_t>(width)));
        for (std::size_t k = 0; k < width; ++k) {
            PyList_SET_ITEM(total.get(), static_cast<Py_ssize_t>(k),
                            Ref(PyLong_FromLongLong(batch.total()[k])).release());
        }
        Ref result(PyDict_New());
        set_item(result.get(), "statistics", std::move(statistics));
        set_item(result.get(), "scores", std::move(scores));
        set_item(result.get(), "best_references", std::move(references));
        set_item(result.get(), "total", std::move(total));
        return result.release();
    });
}

// score_pairs(sources: [(hypotheses, references)], scores: float64 to fill, threads, stop)
PyObject* batch_score_pairs(PyObject* self, PyObject* arguments) {
    PyObject *sources, *scores, *stop;
    Py_ssize_t threads;
    if (!PyArg_ParseTuple(arguments, "OOnO", &sources, &scores, &threads, &stop)) return nullptr;
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const Sequence items(sources);
        std::vector<PairSource> numbers;
        std::size_t size = 0;
        for (std::size_t k = 0; k < items.size(); ++k) {
            const Sequence sides(items[k]);
            if (sides.size() != 2) throw std::invalid_argument("a source has hypotheses and references");
            numbers.push_back({sizes_of(sides[0]), sizes_of(sides[1])});
            size += numbers.back().hypotheses.size() * numbers.back().references.size();
        }
        const Buffer buffer(scores, PyBUF_WRITABLE);
        if (buffer.items<double>().size != size) throw std::invalid_argument("one score a pair");
        bool done;
        {
            Unlocked unlocked;
            done = batch_of(self).score_pairs(
                numbers, static_cast<std::size_t>(threads), [&] { return unlocked.go_on(stop); },
                const_cast<double*>(buffer.items<double>().data));
        }
        if (!done) throw ErrorSet{};
        return Py_NewRef(Py_None);
    });
}

// failures() -> [{hypothesis, hypothesis_size, reference_size, and of a misplaced proposal: matcher, and its fields}]
PyObject* batch_failures(PyObject* self, PyObject*) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        Ref list(PyList_New(0));
        const auto number = [](auto value) { return Ref(PyLong_FromLongLong(static_cast<long long>(value))); };
        for (const Failure& failure : batch_of(self).failures()) {
            const Ref item(PyDict_New());
            set_item(item.get(), "hypothesis", number(failure.hypothesis));
            set_item(item.get(), "hypothesis_size", number(failure.hypothesis_size));
            set_item(item.get(), "reference_size", number(failure.reference_size));
            const Problem problem = failure.outcome.problem;
            if (problem == Problem::misplaced_proposal || problem == Problem::without_vectors) {
                set_item(item.get(), "matcher", number(failure.outcome.matcher));
            }
            if (problem == Problem::misplaced_proposal) {
                const Proposal& proposal = failure.outcome.proposal;
                set_item(item.get(), "reference_start", number(proposal.reference_start));
                set_item(item.get(), "hypothesis_start", number(proposal.hypothesis_start));
                set_item(item.get(), "reference_length", number(proposal.reference_length));
                set_item(item.get(), "hypothesis_length", number(proposal.hypothesis_length));
            }
            if (PyList_Append(list.get(), item.get()) < 0) throw ErrorSet{};
        }
        return list.release();
    });
}

// alignment(hypothesis, make) -> what `make` makes of the fields of each match with the best reference
PyObject* batch_alignment(PyObject* self, PyObject* arguments) {
    PyObject *hypothesis, *make;
    if (!PyArg_ParseTuple(arguments, "OO", &hypothesis, &make)) return nullptr;
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const std::vector<Match>& matches = batch_of(self).alignment(hypothesis_number(self, hypothesis));
        const Ref names(Py_BuildValue("(ssssss)", "reference_start", "reference_length", "hypothesis_start",
                                      "hypothesis_length", "matcher", "probability"));
        Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(matches.size())));
        for (std::size_t k = 0; k < matches.size(); ++k) {
            const Match& match = matches[k];
            const Ref values[] = {
                Ref(PyLong_FromLong(match.reference_start)),  Ref(PyLong_FromLong(match.reference_length)),
                Ref(PyLong_FromLong(match.hypothesis_start)), Ref(PyLong_FromLong(match.hypothesis_length)),
                Ref(PyLong_FromLong(match.matcher)),          Ref(PyFloat_FromDouble(match.probability))};
            PyObject* fields[] = {values[0].get(), values[1].get(), values[2].get(),
                                  values[3].get(), values[4].get(), values[5].get()};
            PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k),
                             Ref(PyObject_Vectorcall(make, fields, 0, names.get())).release());
        }
        return tuple.release();
    });
}

PyMethodDef batch_methods[] = {
    {"irregular", batch_irregular, METH_NOARGS, "Return the segments that the Python normalizer must do."},
    {"set_words", batch_set_words, METH_VARARGS, "Give the words of a segment."},
    {"intern", batch_intern, METH_NOARGS, "Add new words to the vocabulary; return how many types lack features."},
    {"number_sentences", batch_number_sentences, METH_NOARGS, "Number the distinct sentences; return their segments."},
    {"give_rows", batch_give_rows, METH_VARARGS, "Give the vectors of a sentence's words."},
    {"pair", batch_pair, METH_O, "Say which references belong to which hypothesis."},
    {"types", batch_types, METH_O, "Return the word types of a segment."},
    {"words", batch_words, METH_O, "Return the words of a segment."},
    {"original", batch_original, METH_O, "Return the first hypothesis with the same words and references."},
    {"propose", batch_propose, METH_VARARGS, "Give the matches that a matcher in Python proposes."},
    {"score", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(batch_score)), METH_VARARGS | METH_KEYWORDS,
     "Align and score; return statistics, scores, best references and the sum of the statistics."},
    {"score_pairs", batch_score_pairs, METH_VARARGS, "Score all pairs of the segments of each source."},
    {"failures", batch_failures, METH_NOARGS, "Return the hypotheses that could not be scored."},
    {"alignment", batch_alignment, METH_VARARGS, "Return the matches of a hypothesis with its best reference."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot batch_slots[] = {
    {Py_tp_doc, const_cast<char*>("Segments that are scored together. Made by Core.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(batch_dealloc)},
    {Py_tp_methods, batch_methods},
    {0, nullptr},
};

}  // namespace

Ref new_batch(PyObject* owner) {
    Core& core = core_of(owner);
    auto batch = std::make_unique<Batch>(core.chain, *core.vocabulary, core.workshop);
    Ref object(batch_type->tp_alloc(batch_type, 0));
    BatchObject* made = reinterpret_cast<BatchObject*>(object.get());
    made->batch = batch.release();
    made->owner = Py_NewRef(owner);
    return object;
}

PyType_Spec batch_spec = {"meteor_e._native.Batch", sizeof(BatchObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, batch_slots};

}  // namespace meteor::python

#include "core_object.hpp"

#include <cmath>
#include <cstring>

namespace meteor::python {

PyTypeObject* core_type = nullptr;

namespace {

char32_t lowercase(char32_t character) { return static_cast<char32_t>(Py_UNICODE_TOLOWER(static_cast<Py_UCS4>(character))); }

template <class Value, std::size_t Count>
Value named(PyObject* object, const std::pair<const char*, Value> (&names)[Count]) {
    const std::string name = to_utf8(object);
    for (const auto& [known, value] : names) {
        if (name == known) return value;
    }
    throw std::invalid_argument("unknown name: " + name);
}

Family family_of(PyObject* object) {
    static const std::pair<const char*, Family> names[] = {
        {"exact", Family::exact},           {"keys", Family::keys},         {"strings", Family::strings},
        {"synonyms", Family::synonyms},     {"phrases", Family::phrases},   {"similarity", Family::similarity},
        {"proposals", Family::proposals},
    };
    return named(object, names);
}

Mode mode_of(PyObject* object) {
    static const std::pair<const char*, Mode> names[] = {
        {"none", Mode::none}, {"lower", Mode::lower}, {"full", Mode::full}, {"no-punctuation", Mode::no_punctuation}};
    return named(object, names);
}

Apostrophes apostrophes_of(PyObject* object) {
    static const std::pair<const char*, Apostrophes> names[] = {
        {"english", Apostrophes::english}, {"french", Apostrophes::french}, {"apart", Apostrophes::apart}};
    return named(object, names);
}

Normalizer::Prefixes prefixes_of(PyObject* object) {
    Normalizer::Prefixes prefixes;
    const Sequence words(object);
    for (std::size_t k = 0; k < words.size(); ++k) prefixes.insert(to_string(words[k]));
    return prefixes;
}

// The sections and parameters of a mapped index.
class Sections {
public:
    Sections(Core& core, PyObject* object) : core_(core), items_(object) {}

    std::string file() { return to_utf8(items_[next_++]); }
    std::uint32_t number() { return to_number(items_[next_++]); }

    template <class Item>
    View<Item> view() {
        core_.buffers.push_back(std::make_unique<Buffer>(items_[next_++]));
        return core_.buffers.back()->items<Item>();
    }

    WordTable words() {
        const std::string name = file();
        const std::uint32_t count = number(), probes = number();
        const Words offsets = view<std::uint32_t>();
        const View<std::uint8_t> bytes = view<std::uint8_t>();
        return WordTable(name, offsets, bytes, view<std::uint32_t>(), count, probes);
    }

private:
    Core& core_;
    Sequence items_;
    std::size_t next_ = 0;
};

std::shared_ptr<const SynonymIndex> synonyms_of(Core& core, PyObject* object) {
    Sections sections(core, object);
    const WordTable words = sections.words();
    const Words synset_start = sections.view<std::uint32_t>(), synset_ids = sections.view<std::uint32_t>();
    const Words base_start = sections.view<std::uint32_t>(), base_ids = sections.view<std::uint32_t>();
    return std::make_shared<SynonymIndex>(words, synset_start, synset_ids, base_start, base_ids);
}

std::shared_ptr<const PhraseIndex> phrases_of(Core& core, PyObject* object) {
    Sections sections(core, object);
    const WordTable words = sections.words();
    const std::uint32_t starts = sections.number(), nodes = sections.number();
    const Words records = sections.view<std::uint32_t>(), entries = sections.view<std::uint32_t>();
    return std::make_shared<PhraseIndex>(words, records, entries, starts, nodes);
}

double weight_of(PyObject* object) {
    const double weight = to_double(object);
    if (!(std::fabs(weight) <= 1 << 20)) throw std::invalid_argument("a search weight is out of range");
    return weight;
}

Matcher matcher_of(Core& core, PyObject* object) {
    const Sequence items(object);
    Matcher matcher;
    matcher.family = family_of(items[0]);
    matcher.search_weight = weight_of(items[1]);
    matcher.accuracy_search_weight = weight_of(items[2]);
    matcher.column = to_number(items[3]);
    matcher.match_equal_words = PyObject_IsTrue(items[4]) == 1;
    matcher.threshold = to_double(items[5]);
    if (matcher.family == Family::synonyms) matcher.synonyms = synonyms_of(core, items[6]);
    if (matcher.family == Family::phrases) matcher.phrases = phrases_of(core, items[6]);
    matcher.below = to_double(items[7]);
    return matcher;
}

int core_init(PyObject* self, PyObject* arguments, PyObject* keywords) {
    static const char* names[] = {"matchers",  "parameters",    "weights",     "beam",   "character_mode",
                                  "max_candidates", "normalization", "apostrophes", "always", "numeric", nullptr};
    PyObject *matchers, *weights, *normalization, *apostrophes, *always, *numeric;
    Py_ssize_t beam, max_candidates;
    int character_mode;
    Parameters parameters;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O(dddd)OnpnOOOO", const_cast<char**>(names), &matchers,
                                     &parameters.alpha, &parameters.beta, &parameters.gamma, &parameters.delta,
                                     &weights, &beam, &character_mode, &max_candidates, &normalization, &apostrophes,
                                     &always, &numeric)) {
        return -1;
    }
    return guarded(-1, [&] {
        CoreObject* object = reinterpret_cast<CoreObject*>(self);
        if (object->core) throw std::invalid_argument("a core is initialised once");
        auto core = std::make_unique<Core>();
        const Sequence chain(matchers), weight_list(weights);
        for (std::size_t k = 0; k < chain.size(); ++k) core->chain.matchers.push_back(matcher_of(*core, chain[k]));
        for (std::size_t k = 0; k < weight_list.size(); ++k) parameters.weights.push_back(to_double(weight_list[k]));
        if (parameters.weights.size() != chain.size()) throw std::invalid_argument("one weight a matcher");
        if (beam < 1 || max_candidates < 1) throw std::invalid_argument("beam and max_candidates are at least 1");
        core->chain.parameters = std::move(parameters);
        core->chain.beam = static_cast<std::size_t>(beam);
        core->chain.character_mode = character_mode != 0;
        core->chain.max_candidates = static_cast<std::size_t>(max_candidates);
        core->vocabulary = std::make_unique<Vocabulary>(core->chain);
        core->normalizer = std::make_unique<Normalizer>(mode_of(normalization), apostrophes_of(apostrophes),
                                                        prefixes_of(always), prefixes_of(numeric), lowercase);
        object->core = core.release();
        return 0;
    });
}

void core_dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    delete reinterpret_cast<CoreObject*>(self)->core;
    type->tp_free(self);
    Py_DECREF(type);
}

Text text_of(PyObject* object) {
    if (!PyUnicode_Check(object)) throw std::invalid_argument("a segment must be a text");
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(object) < 0) throw ErrorSet{};
#endif
    return {PyUnicode_DATA(object), static_cast<std::size_t>(PyUnicode_GET_LENGTH(object)), static_cast<int>(PyUnicode_KIND(object))};
}

PyObject* core_read(PyObject* self, PyObject* arguments) {
    PyObject *segments, *stop;
    Py_ssize_t threads;
    if (!PyArg_ParseTuple(arguments, "OnO", &segments, &threads, &stop)) return nullptr;
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        Core& core = core_of(self);
        // Holds on to the texts, whose characters are read without the GIL.
        const Ref held(PySequence_Tuple(segments));
        const Sequence items(held.get());
        std::vector<Text> texts;
        texts.reserve(items.size());
        for (std::size_t k = 0; k < items.size(); ++k) texts.push_back(text_of(items[k]));
        Ref batch = new_batch(self);
        bool done;
        {
            Unlocked unlocked;
            done = batch_of(batch.get()).read(texts, *core.normalizer, static_cast<std::size_t>(threads),
                                              [&] { return unlocked.go_on(stop); });
        }
        if (!done) throw ErrorSet{};
        return batch.release();
    });
}

PyObject* core_take(PyObject* self, PyObject* segments) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const Sequence items(segments);
        std::vector<std::vector<std::uint32_t>> types(items.size());
        for (std::size_t k = 0; k < items.size(); ++k) {
            const Sequence numbers(items[k]);
            for (std::size_t n = 0; n < numbers.size(); ++n) types[k].push_back(to_number(numbers[n]));
        }
        Ref batch = new_batch(self);
        batch_of(batch.get()).take_types(std::move(types));
        return batch.release();
    });
}

PyObject* core_add_types(PyObject* self, PyObject* forms) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        Core& core = core_of(self);
        const Sequence items(forms);
        for (std::size_t k = 0; k < items.size(); ++k) {
            const std::u32string form = to_string(items[k]);
            core.vocabulary->add(form.data(), form.size());
        }
        return Py_NewRef(Py_None);
    });
}

PyObject* core_undescribed(PyObject* self, PyObject*) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        const Vocabulary& vocabulary = *core_of(self).vocabulary;
        const std::size_t first = vocabulary.described();
        Ref forms(PyList_New(static_cast<Py_ssize_t>(vocabulary.size() - first)));
        for (std::size_t type = first; type < vocabulary.size(); ++type) {
            PyList_SET_ITEM(forms.get(), static_cast<Py_ssize_t>(type - first),
                            to_python(vocabulary.form(static_cast<std::uint32_t>(type))).release());
        }
        return forms.release();
    });
}

void add_keys(KeyColumn& column, PyObject* object) {
    const Sequence rows(object);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const Sequence row(rows[k]);
        std::vector<std::uint32_t> keys;
        for (std::size_t n = 0; n < row.size(); ++n) keys.push_back(to_number(row[n]));
        column.add(keys);
    }
}

void add_strings(KeyColumn& column, PyObject* object) {
    const Sequence strings(object);
    for (std::size_t k = 0; k < strings.size(); ++k) column.add_string(to_string(strings[k]));
}

void add_vectors(VectorColumn& column, PyObject* object, std::size_t count) {
    const Buffer buffer(object);
    const View<float> values = buffer.items<float>();
    if (values.size % count) throw std::invalid_argument("one vector a word type");
    column.add(values.data, count, values.size / count);
}

// describe(functional: bytes, features: sequence with an item a matcher)
PyObject* core_describe(PyObject* self, PyObject* arguments) {
    PyObject *functional, *features;
    if (!PyArg_ParseTuple(arguments, "SO", &functional, &features)) return nullptr;
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        Core& core = core_of(self);
        Vocabulary& vocabulary = *core.vocabulary;
        const std::size_t count = vocabulary.size() - vocabulary.described();
        const Sequence items(features);
        if (static_cast<std::size_t>(PyBytes_GET_SIZE(functional)) != count ||
            items.size() != core.chain.matchers.size()) {
            throw std::invalid_argument("one flag a new word type, one item a matcher");
        }
        for (std::size_t k = 0; count && k < items.size(); ++k) {
            const Matcher& matcher = core.chain.matchers[k];
            if (matcher.family == Family::keys) add_keys(vocabulary.keys(matcher.column), items[k]);
            if (matcher.family == Family::strings) add_strings(vocabulary.keys(matcher.column), items[k]);
            if (matcher.family == Family::similarity) add_vectors(vocabulary.vectors(matcher.column), items[k], count);
        }
        vocabulary.add_functional(reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(functional)), count);
        return Py_NewRef(Py_None);
    });
}

PyObject* core_clear(PyObject* self, PyObject*) {
    return guarded<>(static_cast<PyObject*>(nullptr), [&] {
        core_of(self).vocabulary->clear();
        return Py_NewRef(Py_None);
    });
}

PyObject* core_size(PyObject* self, void*) {
    return guarded<>(static_cast<PyObject*>(nullptr),
                   [&] { return PyLong_FromSize_t(core_of(self).vocabulary->size()); });
}

PyMethodDef core_methods[] = {
    {"read", core_read, METH_VARARGS, "Normalise raw segments and look their words up."},
    {"take", core_take, METH_O, "Make a batch of segments given as numbers of word types."},
    {"add_types", core_add_types, METH_O, "Add word types whose tokens carry more than their forms."},
    {"undescribed", core_undescribed, METH_NOARGS, "Return the forms of the word types that have no features yet."},
    {"describe", core_describe, METH_VARARGS, "Give the features of the word types that have none yet."},
    {"clear", core_clear, METH_NOARGS, "Forget all word types; batches made before are void."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef core_properties[] = {
    {"size", core_size, nullptr, "Number of word types.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot core_slots[] = {
    {Py_tp_doc, const_cast<char*>("A chain of matchers, and the words seen with it. For one thread at a time.")},
    {Py_tp_init, reinterpret_cast<void*>(core_init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(core_dealloc)},
    {Py_tp_methods, core_methods},
    {Py_tp_getset, core_properties},
    {0, nullptr},
};

}  // namespace

PyType_Spec core_spec = {"meteor_e._native.Core", sizeof(CoreObject), 0, Py_TPFLAGS_DEFAULT, core_slots};

}  // namespace meteor::python

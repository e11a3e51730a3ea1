#include "core_object.hpp"

#include <cmath>
#include <cstring>

namespace meteor::python {

PyTypeObject* core_type = nullptr;

namespace {

char32_t lowercase(char32_t character) {
    return static_cast<char32_t>(Py_UNICODE_TOLOWER(static_cast<Py_UCS4>(character)));
}

template <class Value, std::size_t Count>
Value named(PyObject* object, const std::pair<const char*, Value> (&names)[Count]) {
    const std::string name = to_utf8(object);
    for (const auto& [known, value] : names) {
        if (name == known) return value;
    }
    throw std::invalid_argument("unknown name: " + name);
}

bool to_bool(PyObject* object) {
    const int value = PyObject_IsTrue(object);
    if (value < 0) throw ErrorSet{};
    return value != 0;
}

Family family_of(PyObject* object) {
    static const std::pair<const char*, Family> names[] = {
        {"exact", Family::exact},           {"keys", Family::keys},
        {"strings", Family::strings},       {"synonyms", Family::synonyms},
        {"phrases", Family::phrases},       {"similarity", Family::similarity},
        {"overlap", Family::overlap},       {"characters", Family::characters},
        {"contextual", Family::contextual}, {"proposals", Family::proposals},
    };
    return named(object, names);
}

Identity identity_of(PyObject* object) {
    static const std::pair<const char*, Identity> names[] = {{"word", Identity::word}, {"java", Identity::java}};
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

// The sections and parameters of a mapped index, by name.
class Sections {
public:
    Sections(Core& core, PyObject* index) : core_(core), index_(index) {}

    std::string file() { return to_utf8(at("path").get()); }
    std::uint32_t number(const char* name) { return to_number(at(name).get()); }

    template <class Item>
    View<Item> view(const char* name) {
        core_.buffers.push_back(std::make_unique<Buffer>(at(name).get()));
        return core_.buffers.back()->items<Item>();
    }
    Words numbers(const char* name) { return view<std::uint32_t>(name); }

    WordTable words() {
        return WordTable(file(), numbers("word_offsets"), view<std::uint8_t>("word_bytes"), numbers("word_slots"),
                         number("words"), number("probes"));
    }

private:
    Ref at(const char* name) { return Ref(PyMapping_GetItemString(index_, name)); }

    Core& core_;
    PyObject* index_;
};

std::shared_ptr<const SynonymIndex> synonyms_of(Core& core, PyObject* index) {
    Sections sections(core, index);
    return std::make_shared<SynonymIndex>(sections.words(), sections.numbers("synset_start"),
                                          sections.numbers("synset_ids"), sections.numbers("base_start"),
                                          sections.numbers("base_ids"));
}

std::shared_ptr<const PhraseIndex> phrases_of(Core& core, PyObject* index) {
    Sections sections(core, index);
    return std::make_shared<PhraseIndex>(sections.words(), sections.numbers("nodes"), sections.numbers("entries"),
                                         sections.number("starting_words"), sections.number("node_count"));
}

double weight_of(PyObject* object, const char* name) {
    const double weight = to_double(attribute(object, name).get());
    if (!(std::fabs(weight) <= 1 << 20)) throw std::invalid_argument("a search weight is out of range");
    return weight;
}

// A PlannedMatcher of meteor_e/engine/plan.py.
Matcher matcher_of(Core& core, PyObject* planned) {
    Matcher matcher;
    matcher.family = family_of(attribute(planned, "family").get());
    matcher.search_weight = weight_of(planned, "search_weight");
    matcher.accuracy_search_weight = weight_of(planned, "accuracy_search_weight");
    matcher.column = to_number(attribute(planned, "column").get());
    matcher.match_equal_words = to_bool(attribute(planned, "match_equal_words").get());
    matcher.graded = to_bool(attribute(planned, "graded").get());
    matcher.threshold = to_double(attribute(planned, "threshold").get());
    matcher.below = to_double(attribute(planned, "below").get());
    const Ref index = attribute(planned, "resource");
    if (matcher.family == Family::synonyms) matcher.synonyms = synonyms_of(core, index.get());
    if (matcher.family == Family::phrases) matcher.phrases = phrases_of(core, index.get());
    return matcher;
}

// The Parameters of meteor_e/scoring/parameters.py.
Parameters parameters_of(PyObject* object) {
    const auto value = [object](const char* name) { return to_double(attribute(object, name).get()); };
    Parameters parameters;
    parameters.alpha = value("alpha");
    parameters.beta = value("beta");
    parameters.gamma = value("gamma");
    parameters.delta = value("delta");
    const Ref weights = attribute(object, "weights");
    const Sequence items(weights.get());
    for (std::size_t k = 0; k < items.size(); ++k) parameters.weights.push_back(to_double(items[k]));
    return parameters;
}

// The Normalizer of meteor_e/text/normalization.py.
std::unique_ptr<Normalizer> normalizer_of(PyObject* object) {
    const Ref prefixes = attribute(object, "prefixes");
    return std::make_unique<Normalizer>(mode_of(attribute(attribute(object, "mode").get(), "value").get()),
                                        apostrophes_of(attribute(object, "apostrophes").get()),
                                        prefixes_of(attribute(prefixes.get(), "always").get()),
                                        prefixes_of(attribute(prefixes.get(), "numeric").get()),
                                        to_string(attribute(object, "kept_capitals").get()), lowercase);
}

int core_init(PyObject* self, PyObject* arguments, PyObject* keywords) {
    static const char* names[] = {"settings", "matchers", "normalizer", "max_candidates", "separate_candidates",
                                  nullptr};
    PyObject *settings, *matchers, *normalizer;
    Py_ssize_t max_candidates, separate_candidates;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "$OOOnn", const_cast<char**>(names), &settings, &matchers,
                                     &normalizer, &max_candidates, &separate_candidates)) {
        return -1;
    }
    return guarded(-1, [&] {
        CoreObject* object = reinterpret_cast<CoreObject*>(self);
        if (object->core) throw std::invalid_argument("a core is initialized once");
        auto core = std::make_unique<Core>();
        const Sequence chain(matchers);
        for (std::size_t k = 0; k < chain.size(); ++k) core->chain.matchers.push_back(matcher_of(*core, chain[k]));
        for (const Matcher& matcher : core->chain.matchers) {
            if (matcher.graded) core->chain.unit = GRADED_UNIT;
        }
        core->chain.parameters = parameters_of(attribute(settings, "parameters").get());
        core->chain.beam = to_size(attribute(settings, "beam").get());
        core->chain.character_mode = to_bool(attribute(settings, "character_mode").get());
        core->chain.identity = identity_of(attribute(settings, "identity").get());
        if (core->chain.parameters.weights.size() != chain.size()) throw std::invalid_argument("one weight a matcher");
        if (core->chain.beam < 1 || max_candidates < 1 || separate_candidates < 0) {
            throw std::invalid_argument("beam and max_candidates are at least 1");
        }
        core->chain.max_candidates = static_cast<std::size_t>(max_candidates);
        core->chain.separate_candidates = static_cast<std::size_t>(separate_candidates);
        core->vocabulary = std::make_unique<Vocabulary>(core->chain);
        core->normalizer = normalizer_of(normalizer);
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
    return {PyUnicode_DATA(object), static_cast<std::size_t>(PyUnicode_GET_LENGTH(object)),
            static_cast<int>(PyUnicode_KIND(object))};
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
            done = batch_of(batch.get()).read(texts, *core.normalizer, static_cast<std::size_t>(threads), [&] {
                return unlocked.go_on(stop);
            });
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

void add_strings(KeyColumn& column, PyObject* object, Identity identity) {
    const Sequence strings(object);
    for (std::size_t k = 0; k < strings.size(); ++k) {
        const std::u32string string = to_string(strings[k]);
        if (identity == Identity::java) {
            column.add_sparse({java_hash({string.data(), string.size()})});
        } else {
            column.add_string(string);
        }
    }
}

void add_vectors(VectorColumn& column, PyObject* object, std::size_t count) {
    const Buffer buffer(object);
    const View<float> values = buffer.items<float>();
    if (values.size % count) throw std::invalid_argument("one vector a word type");
    column.add(values.data, count, values.size / count);
}

// describe(functional: bytes, features: sequence with an item a matcher, units: None or uint32 a new word type)
PyObject* core_describe(PyObject* self, PyObject* arguments) {
    PyObject *functional, *features, *units;
    if (!PyArg_ParseTuple(arguments, "SOO", &functional, &features, &units)) return nullptr;
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
            if (matcher.family == Family::keys || matcher.family == Family::overlap)
                add_keys(vocabulary.keys(matcher.column), items[k]);
            if (matcher.family == Family::strings) {
                add_strings(vocabulary.keys(matcher.column), items[k], core.chain.identity);
            }
            if (matcher.family == Family::similarity) add_vectors(vocabulary.vectors(matcher.column), items[k], count);
        }
        if (units != Py_None) {
            const Buffer buffer(units);
            const View<std::uint32_t> weights = buffer.items<std::uint32_t>();
            if (weights.size != count) throw std::invalid_argument("one weight a new word type");
            vocabulary.weigh(weights.data, count);
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
    {"read", core_read, METH_VARARGS, "Normalize raw segments and look their words up."},
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

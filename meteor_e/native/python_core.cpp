#include "python_core.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "shared_characters.hpp"

namespace meteor::python {

namespace {

char32_t lowercase(char32_t character) {
    return static_cast<char32_t>(Py_UNICODE_TOLOWER(static_cast<Py_UCS4>(character)));
}

// The value of an enumeration, whose names are given in their order.
template <class Value>
Value named(py::handle object, std::initializer_list<std::string_view> names) {
    const auto name = object.cast<std::string>();
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw std::invalid_argument("unknown name: " + name);
    return static_cast<Value>(found - names.begin());
}

// The sections and parameters of a mapped index, by name.
class Sections {
public:
    Sections(Core& core, py::handle index) : core_(core), index_(index) {}

    std::uint32_t number(const char* name) { return to_number(index_[name]); }

    template <class Item>
    std::span<const Item> view(const char* name) {
        core_.buffers.push_back(std::make_unique<Buffer>(index_[name]));
        return core_.buffers.back()->items<const Item>();
    }
    Words numbers(const char* name) { return view<std::uint32_t>(name); }

    WordTable words() {
        return WordTable(index_["path"].cast<std::string>(), numbers("word_offsets"), view<std::uint8_t>("word_bytes"),
                         numbers("word_slots"), number("words"), number("probes"));
    }

private:
    Core& core_;
    py::handle index_;
};

double weight_of(const Core& core, py::handle object, const char* name) {
    const double weight = to_double(object.attr(name));
    if (!(std::fabs(weight) <= core.chain.limits.max_search_weight)) {
        throw std::invalid_argument("a search weight is out of range");
    }
    return weight;
}

// A PlannedMatcher of meteor_e/engine/native.py.
Matcher matcher_of(Core& core, py::handle planned) {
    Matcher matcher;
    matcher.family = named<Family>(planned.attr("family"),
                                   {"exact", "keys", "strings", "synonyms", "overlap", "ngrams", "characters",
                                    "subsequence", "similarity", "contextual", "phrases", "proposals"});
    matcher.search_weight = weight_of(core, planned, "search_weight");
    matcher.accuracy_search_weight = weight_of(core, planned, "accuracy_search_weight");
    matcher.column = to_number(planned.attr("column"));
    matcher.match_equal_words = planned.attr("match_equal_words").cast<bool>();
    matcher.graded = planned.attr("graded").cast<bool>();
    matcher.threshold = to_double(planned.attr("threshold"));
    matcher.longest = to_size(planned.attr("longest"));
    matcher.below = to_double(planned.attr("below"));
    const py::object index = planned.attr("resource");
    Sections sections(core, index);
    if (matcher.family == Family::synonyms) {
        matcher.synonyms = std::make_shared<SynonymIndex>(sections.words(), sections.numbers("synset_start"),
                                                          sections.numbers("synset_ids"),
                                                          sections.numbers("base_start"), sections.numbers("base_ids"));
    }
    if (matcher.family == Family::phrases) {
        matcher.phrases =
            std::make_shared<PhraseIndex>(sections.words(), sections.numbers("nodes"), sections.numbers("entries"),
                                          sections.number("starting_words"), sections.number("node_count"));
    }
    return matcher;
}

// CoreLimits of meteor_e/engine/native_plan.py.
Limits limits_of(py::handle object) {
    const auto size = [object](const char* name) { return to_size(object.attr(name)); };
    const auto number = [object](const char* name) { return to_double(object.attr(name)); };
    Limits limits;
    limits.max_candidates = size("max_candidates");
    limits.separate_candidates = size("separate_candidates");
    limits.max_shared_words = size("max_shared_words");
    limits.max_paths = size("max_paths");
    limits.max_search_weight = number("max_search_weight");
    limits.graded_unit = to_number(object.attr("graded_unit"));
    limits.segment_unit = number("segment_unit");
    limits.vector_grid = static_cast<std::int32_t>(to_number(object.attr("vector_grid")));
    limits.max_word_characters = size("max_word_characters");
    limits.characters = {size("repeated_ngram"), number("repetition_penalty"), size("subsequence_characters")};
    if (limits.max_candidates < 1 || limits.max_paths < 1) {
        throw std::invalid_argument("max_candidates and max_paths are at least 1");
    }
    if (limits.vector_grid < 1 || limits.vector_grid > MAX_VECTOR_GRID) {
        throw std::invalid_argument("vector_grid is out of range");
    }
    // Symbols of subsequences are only numbered while an n-gram is in the reference.
    if (limits.characters.repeated_ngram <= SharedCharacters::MAX_ORDERED_NGRAM ||
        limits.characters.repeated_ngram > SharedCharacters::MAX_NGRAM) {
        throw std::invalid_argument("repeated_ngram is out of range");
    }
    return limits;
}

// The Parameters of meteor_e/scoring/parameters.py.
Parameters parameters_of(py::handle object) {
    const auto value = [object](const char* name) { return to_double(object.attr(name)); };
    return {value("alpha"), value("beta"), value("gamma"), value("delta"),
            to_vector(object.attr("weights"), to_double)};
}

// The Normalizer of meteor_e/text/normalization.py.
std::unique_ptr<Normalizer> normalizer_of(py::handle object) {
    const auto prefixes = [object](const char* name) {
        const auto words = to_vector(object.attr("prefixes").attr(name), to_string);
        return Normalizer::Prefixes(words.begin(), words.end());
    };
    const auto mode = named<Mode>(object.attr("mode").attr("value"), {"none", "lower", "full", "no-punctuation"});
    const auto apostrophes = named<Apostrophes>(object.attr("apostrophes"), {"english", "french", "apart"});
    return std::make_unique<Normalizer>(mode, apostrophes, prefixes("always"), prefixes("numeric"),
                                        to_string(object.attr("kept_capitals")), lowercase);
}

std::unique_ptr<Core> core_from(py::handle settings, py::handle matchers, py::handle normalizer,
                                py::handle limits) {
    auto core = std::make_unique<Core>();
    Chain& chain = core->chain;
    chain.limits = limits_of(limits);
    chain.matchers = to_vector(matchers, [&core](py::handle planned) { return matcher_of(*core, planned); });
    for (const Matcher& matcher : chain.matchers) {
        if (matcher.graded) chain.unit = chain.limits.graded_unit;
    }
    chain.parameters = parameters_of(settings.attr("parameters"));
    chain.beam = to_size(settings.attr("beam"));
    chain.character_mode = settings.attr("character_mode").cast<bool>();
    chain.equal_segments = settings.attr("equal_segments").cast<bool>();
    chain.identity = named<Identity>(settings.attr("identity"), {"word", "java"});
    if (chain.parameters.weights.size() != chain.matchers.size()) throw std::invalid_argument("one weight per matcher");
    if (chain.beam < 1) throw std::invalid_argument("beam is at least 1");
    core->vocabulary = std::make_unique<Vocabulary>(chain);
    core->normalizer = normalizer_of(normalizer);
    return core;
}

std::vector<std::uint32_t> numbers_of(py::handle object) { return to_vector(object, to_number); }

Text text_of(py::handle object) {
    if (!PyUnicode_Check(object.ptr())) throw std::invalid_argument("a segment must be a text");
    return {PyUnicode_DATA(object.ptr()), static_cast<std::size_t>(PyUnicode_GET_LENGTH(object.ptr())),
            static_cast<int>(PyUnicode_KIND(object.ptr()))};
}

std::unique_ptr<BoundBatch> read(Core& core, py::handle segments, std::size_t threads, py::handle stop) {
    auto batch = std::make_unique<BoundBatch>(core);
    // Holds on to the texts, whose characters are read without the GIL.
    const auto held = taken(PySequence_Tuple(segments.ptr()));
    const auto texts = to_vector(held, text_of);
    unlocked(stop, [&](const auto& go_on) { return batch->read(texts, *core.normalizer, threads, go_on); });
    return batch;
}

std::unique_ptr<BoundBatch> take(Core& core, py::handle segments) {
    auto batch = std::make_unique<BoundBatch>(core);
    batch->take_types(to_vector(segments, numbers_of));
    return batch;
}

void add_types(Core& core, py::handle forms) {
    for (const std::u32string& form : to_vector(forms, to_string)) core.vocabulary->add(form);
}

py::list undescribed(Core& core) {
    const Vocabulary& vocabulary = *core.vocabulary;
    const std::size_t first = vocabulary.described();
    py::list forms(vocabulary.size() - first);
    for (std::size_t k = 0; k < forms.size(); ++k) {
        forms[k] = to_python(vocabulary.form(static_cast<std::uint32_t>(first + k)));
    }
    return forms;
}

void add_strings(KeyColumn& column, py::handle object, Identity identity) {
    for (const std::u32string& string : to_vector(object, to_string)) {
        if (identity == Identity::java) {
            column.add_sparse({java_hash(string)});
        } else {
            column.add_string(string);
        }
    }
}

void add_ngrams(Core& core, const Matcher& matcher, py::handle object, std::size_t count) {
    const auto lowered = to_vector(object, to_string);
    if (lowered.size() != count) throw std::invalid_argument("one string a word type");
    Vocabulary& vocabulary = *core.vocabulary;
    auto type = static_cast<std::uint32_t>(vocabulary.described());
    for (const std::u32string& string : lowered) {
        vocabulary.keys(matcher.column).add_ngrams(vocabulary.form(type++), string, matcher.longest,
                                                    core.chain.limits.max_word_characters);
    }
}

void add_vectors(VectorColumn& column, py::handle object, std::size_t count) {
    const Buffer buffer(object);
    const auto values = buffer.items<const float>();
    if (values.size() % count) throw std::invalid_argument("one vector per word type");
    column.add(values.data(), count, values.size() / count);
}

// `functional`: a flag a new word type; `features`: an item a matcher; `units`: None, or a uint32 a new word type.
void describe(Core& core, const py::bytes& functional, py::handle features, py::handle units) {
    Vocabulary& vocabulary = *core.vocabulary;
    const std::size_t count = vocabulary.size() - vocabulary.described();
    const Sequence items(features);
    const std::string_view flags = functional;
    if (flags.size() != count || items.size() != core.chain.matchers.size()) {
        throw std::invalid_argument("one flag a new word type, one item a matcher");
    }
    for (std::size_t k = 0; count && k < items.size(); ++k) {
        const Matcher& matcher = core.chain.matchers[k];
        if (matcher.family == Family::keys || matcher.family == Family::overlap) {
            for (const auto& keys : to_vector(items[k], numbers_of)) vocabulary.keys(matcher.column).add(keys);
        }
        if (matcher.family == Family::ngrams) add_ngrams(core, matcher, items[k], count);
        if (matcher.family == Family::strings) {
            add_strings(vocabulary.keys(matcher.column), items[k], core.chain.identity);
        }
        if (matcher.family == Family::similarity) add_vectors(vocabulary.vectors(matcher.column), items[k], count);
    }
    if (!units.is_none()) {
        const Buffer buffer(units);
        const auto weights = buffer.items<const std::uint32_t>();
        if (weights.size() != count) throw std::invalid_argument("one weight a new word type");
        vocabulary.weigh(weights.data(), count);
    }
    vocabulary.add_functional(reinterpret_cast<const std::uint8_t*>(flags.data()), count);
}

}  // namespace

void add_core(py::module_& module) {
    py::class_<Core>(module, "Core", py::is_final(),
                     "A chain of matchers, and the words seen with it. For one thread at a time.")
        .def(py::init(&core_from), py::kw_only(), py::arg("settings"), py::arg("matchers"), py::arg("normalizer"),
             py::arg("limits"))
        .def_property_readonly(
            "size", [](const Core& core) { return core.vocabulary->size(); }, "Number of word types.")
        .def("read", alone(read), py::keep_alive<0, 1>(), "Normalize raw segments and look their words up.")
        .def("take", alone(take), py::keep_alive<0, 1>(), "Make a batch of segments given as numbers of word types.")
        .def("add_types", alone(add_types), "Add word types whose tokens carry more than their forms.")
        .def("undescribed", alone(undescribed), "Return the forms of the word types that have no features yet.")
        .def("describe", alone(describe), "Give the features of the word types that have none yet.");
}

}  // namespace meteor::python

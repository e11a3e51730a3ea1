#include "python_core.hpp"

#include <cmath>

#include "python_batch.hpp"
#include "shared_characters.hpp"

namespace meteor::python {

namespace {

char32_t lowercase(char32_t character) {
    return static_cast<char32_t>(Py_UNICODE_TOLOWER(static_cast<Py_UCS4>(character)));
}

// The named sections and parameters of a memory-mapped index. The core keeps the buffers of the sections.
class IndexReader {
public:
    IndexReader(Core& core, py::handle index) : core_(core), index_(index) {}

    [[nodiscard]] std::uint32_t parameter(const char* name) const { return to_uint32(index_[name]); }

    template <class Item>
    [[nodiscard]] std::span<const Item> section_of(const char* name) {
        core_.buffers.push_back(std::make_unique<Buffer>(index_[name]));
        return core_.buffers.back()->items<const Item>();
    }
    [[nodiscard]] Words section(const char* name) { return section_of<std::uint32_t>(name); }

    [[nodiscard]] WordTable word_table() {
        return WordTable(index_["path"].cast<std::string>(), section("word_offsets"),
                         section_of<std::uint8_t>("word_bytes"), section("word_slots"), parameter("words"),
                         parameter("probes"));
    }

private:
    Core& core_;
    py::handle index_;
};

// Converts CoreLimits of meteor_e/engine/native_plan.py.
Limits to_limits(py::handle object) {
    const auto size = [object](const char* name) { return to_size(object.attr(name)); };
    const auto number = [object](const char* name) { return to_double(object.attr(name)); };
    Limits limits;
    limits.max_candidates = size("max_candidates");
    limits.separate_candidates = size("separate_candidates");
    limits.max_shared_words = size("max_shared_words");
    limits.max_paths = size("max_paths");
    limits.max_search_weight = number("max_search_weight");
    limits.graded_unit = to_uint32(object.attr("graded_unit"));
    limits.segment_unit = number("segment_unit");
    limits.vector_grid = static_cast<std::int32_t>(to_uint32(object.attr("vector_grid")));
    limits.max_word_characters = size("max_word_characters");
    limits.characters = {size("repeated_ngram"), number("repetition_penalty"), size("subsequence_characters")};
    if (limits.max_candidates < 1 || limits.max_paths < 1) {
        throw std::invalid_argument("max_candidates and max_paths must be at least 1");
    }
    if (limits.vector_grid < 1 || limits.vector_grid > MAX_VECTOR_GRID) {
        throw std::invalid_argument("vector_grid is out of range");
    }
    // SharedCharacters looks up longer n-grams than those of subsequences only if the reference has them.
    if (limits.characters.repeated_ngram <= SharedCharacters::MAX_ORDERED_NGRAM ||
        limits.characters.repeated_ngram > SharedCharacters::MAX_NGRAM) {
        throw std::invalid_argument("repeated_ngram is out of range");
    }
    return limits;
}

double to_search_weight(py::handle object, double max_weight) {
    const double weight = to_double(object);
    if (!(std::fabs(weight) <= max_weight)) throw std::invalid_argument("a search weight is out of range");
    return weight;
}

// Converts a PlannedMatcher of meteor_e/engine/native_plan.py.
Matcher to_matcher(Core& core, py::handle planned) {
    const double max_weight = core.chain.limits.max_search_weight;
    Matcher matcher;
    matcher.family = to_enum<Family>(planned.attr("family"), FAMILY_NAMES);
    matcher.search_weight = to_search_weight(planned.attr("search_weight"), max_weight);
    matcher.accuracy_search_weight = to_search_weight(planned.attr("accuracy_search_weight"), max_weight);
    matcher.column = to_uint32(planned.attr("column"));
    matcher.match_equal_words = planned.attr("match_equal_words").cast<bool>();
    matcher.graded = planned.attr("graded").cast<bool>();
    matcher.threshold = to_double(planned.attr("threshold"));
    matcher.below = to_double(planned.attr("below"));
    matcher.max_ngram = to_size(planned.attr("longest"));
    const py::object index = planned.attr("resource");
    IndexReader reader(core, index);
    if (matcher.family == Family::synonyms) {
        matcher.synonyms = std::make_shared<SynonymIndex>(reader.word_table(), reader.section("synset_start"),
                                                          reader.section("synset_ids"), reader.section("base_start"),
                                                          reader.section("base_ids"));
    }
    if (matcher.family == Family::phrases) {
        matcher.phrases =
            std::make_shared<PhraseIndex>(reader.word_table(), reader.section("nodes"), reader.section("entries"),
                                          reader.parameter("starting_words"), reader.parameter("node_count"));
    }
    return matcher;
}

// Converts Parameters of meteor_e/api/languages.py.
Parameters to_parameters(py::handle object) {
    const auto value = [object](const char* name) { return to_double(object.attr(name)); };
    return {value("alpha"), value("beta"), value("gamma"), value("delta"),
            to_vector(object.attr("weights"), to_double)};
}

// Converts a Normalizer of meteor_e/text/normalization.py.
std::unique_ptr<Normalizer> to_normalizer(py::handle object) {
    const auto prefixes = [object](const char* name) {
        const auto words = to_vector(object.attr("prefixes").attr(name), to_string);
        return Normalizer::Prefixes(words.begin(), words.end());
    };
    const auto mode = to_enum<Mode>(object.attr("mode").attr("value"), MODE_NAMES);
    const auto apostrophes = to_enum<Apostrophes>(object.attr("apostrophes"), APOSTROPHES_NAMES);
    return std::make_unique<Normalizer>(mode, apostrophes, prefixes("always"), prefixes("numeric"),
                                        to_string(object.attr("kept_capitals")), lowercase);
}

std::unique_ptr<Core> make_core(py::handle settings, py::handle matchers, py::handle normalizer, py::handle limits) {
    auto core = std::make_unique<Core>();
    Chain& chain = core->chain;
    chain.limits = to_limits(limits);
    chain.matchers = to_vector(matchers, [&core](py::handle planned) { return to_matcher(*core, planned); });
    if (std::ranges::any_of(chain.matchers, &Matcher::graded)) chain.unit = chain.limits.graded_unit;
    chain.parameters = to_parameters(settings.attr("parameters"));
    chain.beam = to_size(settings.attr("beam"));
    chain.character_mode = settings.attr("character_mode").cast<bool>();
    chain.macro_average = settings.attr("macro_average").cast<bool>();
    chain.identity = to_enum<Identity>(settings.attr("identity"), IDENTITY_NAMES);
    if (chain.parameters.weights.size() != chain.matchers.size()) {
        throw std::invalid_argument("there must be one weight per matcher");
    }
    if (chain.beam < 1) throw std::invalid_argument("the beam must be at least 1");
    core->vocabulary = std::make_unique<Vocabulary>(chain);
    core->normalizer = to_normalizer(normalizer);
    return core;
}

std::vector<std::uint32_t> to_ids(py::handle object) { return to_vector(object, to_uint32); }

Text to_text(py::handle object) {
    if (!PyUnicode_Check(object.ptr())) throw std::invalid_argument("a segment must be a text");
    return {PyUnicode_DATA(object.ptr()), static_cast<std::size_t>(PyUnicode_GET_LENGTH(object.ptr())),
            static_cast<int>(PyUnicode_KIND(object.ptr()))};
}

py::object read(Core& core, py::handle segments, std::size_t threads, py::handle stop) {
    py::object object = create_batch(core);
    auto& batch = object.cast<BoundBatch&>();
    // This list keeps the Python strings alive while their characters are read without the GIL.
    const auto owned_segments = steal(PySequence_Tuple(segments.ptr()));
    const auto texts = to_vector(owned_segments, to_text);
    run_without_gil(stop,
                    [&](const auto& keep_going) { return batch.read(texts, *core.normalizer, threads, keep_going); });
    return object;
}

py::object take(Core& core, py::handle segments) {
    py::object object = create_batch(core);
    object.cast<BoundBatch&>().set_types(to_vector(segments, to_ids));
    return object;
}

void add_types(Core& core, py::handle forms) {
    for (const std::u32string& form : to_vector(forms, to_string)) core.vocabulary->insert(form);
}

py::list undescribed(Core& core) {
    const Vocabulary& vocabulary = *core.vocabulary;
    const std::size_t first = vocabulary.described_count();
    py::list forms(vocabulary.size() - first);
    for (std::size_t k = 0; k < forms.size(); ++k) {
        forms[k] = to_python(vocabulary.form(static_cast<std::uint32_t>(first + k)));
    }
    return forms;
}

void add_strings(KeyColumn& column, py::handle strings, Identity identity) {
    for (const std::u32string& string : to_vector(strings, to_string)) {
        if (identity == Identity::java) {
            column.add_numbers({java_hash(string)});
        } else {
            column.add_string(string);
        }
    }
}

void add_ngrams(Core& core, const Matcher& matcher, py::handle lowercase_words, std::size_t count) {
    const auto words = to_vector(lowercase_words, to_string);
    if (words.size() != count) throw std::invalid_argument("there must be one string per word type");
    Vocabulary& vocabulary = *core.vocabulary;
    auto type = static_cast<std::uint32_t>(vocabulary.described_count());
    for (const std::u32string& lowercase_word : words) {
        const View<char32_t> form = vocabulary.form(type++);
        const View<char32_t> word = form.first(std::min(form.size(), core.chain.limits.max_word_characters));
        vocabulary.keys(matcher.column).add_ngrams(word, lowercase_word, matcher.max_ngram);
    }
}

void add_vectors(VectorColumn& column, py::handle rows, std::size_t count) {
    const Buffer buffer(rows);
    const auto values = buffer.items<const float>();
    if (values.size() % count) throw std::invalid_argument("there must be one vector per word type");
    column.add(values.data(), count, values.size() / count);
}

void add_features(Core& core, const Matcher& matcher, py::handle features, std::size_t count) {
    Vocabulary& vocabulary = *core.vocabulary;
    if (matcher.family == Family::keys || matcher.family == Family::overlap) {
        for (const auto& ids : to_vector(features, to_ids)) vocabulary.keys(matcher.column).add_ids(ids);
    } else if (matcher.family == Family::ngrams) {
        add_ngrams(core, matcher, features, count);
    } else if (matcher.family == Family::strings) {
        add_strings(vocabulary.keys(matcher.column), features, core.chain.identity);
    } else if (matcher.family == Family::similarity) {
        add_vectors(vocabulary.vectors(matcher.column), features, count);
    }
}

void describe(Core& core, const py::bytes& functional, py::handle features, py::handle units) {
    Vocabulary& vocabulary = *core.vocabulary;
    const std::size_t count = vocabulary.size() - vocabulary.described_count();
    const Sequence items(features);
    const std::string_view flags = functional;
    if (flags.size() != count || items.size() != core.chain.matchers.size()) {
        throw std::invalid_argument("there must be one flag per new word type and one item per matcher");
    }
    for (std::size_t k = 0; count && k < items.size(); ++k) {
        add_features(core, core.chain.matchers[k], items[k], count);
    }
    if (!units.is_none()) {
        const Buffer buffer(units);
        const auto weights = buffer.items<const std::uint32_t>();
        if (weights.size() != count) throw std::invalid_argument("there must be one weight per new word type");
        vocabulary.set_units(weights);
    }
    vocabulary.set_function_words({reinterpret_cast<const std::uint8_t*>(flags.data()), flags.size()});
}

}  // namespace

void define_core(py::module_& module) {
    py::class_<Core> type(module, "Core", py::is_final(),
                          "A chain of matchers and its vocabulary. One thread at a time may use it.");
    define_constructor(type, make_core, py::kw_only(), py::arg("settings"), py::arg("matchers"), py::arg("normalizer"),
                       py::arg("limits"));
    type.def_property_readonly(
            "size", [](const Core& core) { return core.vocabulary->size(); }, "Number of word types.")
        .def("read", exclusive(read), "Normalize raw segments and look up their words.")
        .def("take", exclusive(take), "Make a batch of segments of word types.")
        .def("add_types", exclusive(add_types), "Add word types whose tokens carry more than their forms.")
        .def("undescribed", exclusive(undescribed), "Return the forms of the word types that do not have features yet.")
        .def("describe", exclusive(describe), "Set the features of the word types that do not have any yet.");
}

}  // namespace meteor::python

// From matchers to candidates; meteor_e/engine/candidates.py and meteor_e/api/matchers.py are the definition.
#pragma once

#include <bitset>
#include <compare>
#include <tuple>
#include <vector>

#include "chain.hpp"
#include "common.hpp"
#include "hash_tables.hpp"
#include "sentence_rows.hpp"
#include "vocabulary.hpp"

namespace meteor {

struct Match {
    std::uint32_t reference_start, reference_length, hypothesis_start, hypothesis_length;
    std::uint32_t matcher;
    double probability;
};

// What a matcher in Python proposes; nothing of it is checked yet.
struct Proposal {
    std::int64_t reference_start, hypothesis_start, reference_length, hypothesis_length;
    double probability;
};

enum class Problem { none, too_many_candidates, too_many_paths, misplaced_proposal, without_vectors };

struct Outcome {
    Problem problem = Problem::none;
    std::uint32_t matcher = 0;  // of a misplaced proposal, or without vectors
    Proposal proposal{};
};

// What is given of a pair of segments beside its words.
struct PairFeatures {
    const std::vector<std::vector<Proposal>>* proposals =
        nullptr;  // one list for each matcher in Python, in chain order
    // Vectors of the words for each contextual matcher, in chain order; null where there are none.
    std::vector<const SentenceRows*> hypothesis_rows, reference_rows;
};

// What was found out for numbers that were asked for: a list for each.
template <class Found>
class Answers {
public:
    // What was found for the number that is so many among the new ones.
    struct New {
        std::uint32_t place;
        Found found;
    };

    // Gives each item the row of its number, and lists the numbers that are new; give what is found for them to add().
    template <class Items, class NumberOf>
    void ask(const Items& items, const NumberOf& number_of, std::vector<std::uint32_t>& rows,
             std::vector<std::uint32_t>& fresh) {
        if (numbers_.size() > MOST) clear();
        before_ = numbers_.size();
        rows.clear();
        fresh.clear();
        for (const auto& item : items) {
            rows.push_back(numbers_.number(number_of(item)));
            if (rows.back() == before_ + fresh.size()) fresh.push_back(number_of(item));
        }
    }
    // The place of a number among the new ones; NumberMap::ABSENT if it is none of them.
    std::uint32_t place(std::uint32_t number) const {
        const std::uint32_t row = numbers_.find(number);
        return row == NumberMap::ABSENT || row < before_ ? NumberMap::ABSENT : row - before_;
    }
    // Those of one number stay in their order.
    void add(const std::vector<New>& found) {
        append_by_key(
            found, numbers_.size() - before_, [](const New& one) { return one.place; },
            [](const New& one) { return one.found; }, starts_, found_);
    }
    View<Found> row(std::uint32_t row) const { return {found_.data() + starts_[row], starts_[row + 1] - starts_[row]}; }
    void clear() { *this = Answers(); }
    template <class Visit>
    void each_part(const Visit& visit) const {
        visit(starts_);
        visit(found_);
        visit(numbers_.slots());
    }

private:
    static constexpr std::size_t MOST = 1024;

    NumberMap numbers_;
    std::uint32_t before_ = 0;  // the last question
    std::vector<std::uint32_t> starts_{0};
    std::vector<Found> found_;
};

// All candidates of a pair of segments, by reference position; those of one position as they were proposed.
//
// Where words repeat without end, positions at which the same word stands and the same phrases begin share one list:
// its matches then have the number of the list as their reference_start.
class Candidates {
public:
    Candidates(const Chain& chain, const Vocabulary& vocabulary) : chain_(chain), vocabulary_(vocabulary) {}

    // `hash`: of the reference's words.
    Outcome collect(Words hypothesis, Words reference, std::uint64_t hash, const PairFeatures& features);

    // Fetches what is known of a reference that will come soon: in `steps` pairs, counted down to 1.
    void expect(std::uint64_t hash, std::size_t steps) const;
    static constexpr std::size_t EXPECTED = 3;

    // Whether two segments have the same words; if so, only the first matcher is asked.
    bool equal(Words hypothesis, Words reference) const;

    // Of many hypotheses with the same references: the positions of all references share lists, which are made once a
    // hypothesis. Each of these is false where pairs must be collected one by one.
    bool gather(const std::vector<Words>& references);
    bool make_lists(Words hypothesis);
    bool select(std::size_t reference);  // its candidates, with the hypothesis of the lists

    View<Match> at(std::size_t position) const {
        const std::size_t list = shared_ ? lists_[first_ + position] : position;
        return {matches_.data() + starts_[list], starts_[list + 1] - starts_[list]};
    }
    const std::vector<Match>& matches() const { return matches_; }  // of all lists
    bool shared() const { return shared_; }
    std::size_t lists() const { return starts_.size() - 1; }
    std::uint32_t list(std::size_t position) const { return lists_[first_ + position]; }
    bool fixed(std::size_t position) const { return fixed_[position] != 0; }
    std::size_t positions() const { return fixed_.size(); }

private:
    // A distinct word of a reference that some word matches.
    struct Related {
        std::uint32_t distinct, matcher;
        double probability;
    };
    // A phrase of a hypothesis matches one of a reference: the table pairs them, on the side of either.
    struct RelatedPhrase {
        std::uint32_t hit;    // the reference's
        std::uint32_t place;  // in the list of the phrase that is looked up
        bool of_reference;    // whether that is the reference's
    };
    struct PhraseSide {
        bool found = false;
        std::vector<PhraseHit> hits;
        NumberMap nodes;                            // of the hits
        std::vector<std::uint32_t> first, next;     // the hits of each node
        std::vector<std::uint32_t> starts, others;  // for each hit, what the table pairs it with
        Answers<RelatedPhrase> answers;             // for nodes of hypotheses
    };
    // What was found out of a segment that came as a reference: other hypotheses will meet it, with the same words.
    struct KnownSegment {
        bool known = false;
        std::vector<std::uint32_t> words;
        NumberMap distinct;                                   // word types
        std::vector<std::uint32_t> types, starts, positions;  // the types, and where each is
        std::vector<std::uint32_t> keys, key_ends;            // by matcher and type
        Answers<Related> answers;                             // for word types of hypotheses
        std::vector<PhraseSide> phrases;                      // one a phrase table
        std::size_t bytes = 0;                                // about
    };
    // The phrases of the hypothesis that was asked for last: of candidates, each meets many references.
    struct LastHypothesis {
        std::vector<std::uint32_t> words;
        std::vector<PhraseHit> hits;
    };
    // Numbers among which most others are not, as is seen at a glance.
    class Filter {
    public:
        void clear() { bits_.reset(); }
        void add(std::uint32_t number) { bits_[place(number)] = true; }
        bool may_hold(std::uint32_t number) const { return bits_[place(number)]; }

    private:
        static constexpr int BITS = 12;
        static std::size_t place(std::uint32_t number) { return number * 0x9E3779B1u >> (32 - BITS); }
        std::bitset<1 << BITS> bits_;
    };
    struct Entry {
        std::uint32_t position;
        std::uint32_t next;
    };
    struct Overlap {
        double similarity;
        std::int64_t apart;  // how far the words' relative places are
        std::uint32_t j, i;
        bool operator<(const Overlap& o) const {
            return std::tie(o.similarity, apart, j, i) < std::tie(similarity, o.apart, o.j, o.i);
        }
    };
    struct PhrasePair {
        std::uint32_t from, place, to;
        auto operator<=>(const PhrasePair&) const = default;
    };
    static constexpr std::uint32_t NONE = 0xFFFFFFFFu;
    static constexpr std::size_t KNOWN_SEGMENTS = 8192, WAYS = 4, LONGEST_KNOWN_SEGMENT = 256;
    static constexpr std::size_t KNOWN_BYTES = std::size_t{32} << 20;

    void begin(std::size_t hypothesis_size, std::size_t positions, std::size_t room);
    Outcome ask(KnownSegment& known, Words hypothesis, Words reference, const PairFeatures& features,
                std::size_t asked);
    bool share(const std::vector<Words>& references, std::size_t asked);
    void cover_shared();
    KnownSegment& know(Words reference, std::uint64_t hash, bool alone);
    void charge(KnownSegment& known, std::size_t bytes);
    void start(KnownSegment& known, Words reference) const;
    bool relate(KnownSegment& known, Words hypothesis, std::size_t asked);
    bool relate_all(const KnownSegment& known, Words words, std::size_t asked);
    bool relate_word(std::uint32_t distinct, std::uint32_t word, double probability = 1.0);
    static void cover(std::vector<std::uint32_t>& covers, std::size_t first, std::uint32_t length) {
        for (std::size_t word = first; word < first + length; ++word) ++covers[word];
    }
    bool add(std::uint32_t j, std::uint32_t reference_length, std::uint32_t i, std::uint32_t hypothesis_length,
             double probability = 1.0);
    Words keys_of(const Matcher& matcher, std::uint32_t type) const;
    bool match_keys(const KnownSegment& known, const Matcher& matcher, Words words);
    bool match_vectors(const VectorColumn& column, const Matcher& matcher, Words hypothesis, Words reference);
    template <class SimilaritiesOf, class Take>
    bool match_similar(const Matcher& matcher, Words hypothesis, Words reference, const SimilaritiesOf& similarities_of,
                       const Take& take);
    bool match_rows(const SentenceRows& hypothesis_rows, const SentenceRows& reference_rows, const Matcher& matcher,
                    Words hypothesis, Words reference);
    bool match_overlap(const KeyColumn& pieces, double threshold, Words hypothesis, Words reference);
    bool match_words(const KnownSegment& known);
    bool match_phrases(const PhraseIndex& index, std::size_t column, KnownSegment& known, Words hypothesis,
                       Words reference);
    void find_phrases(const PhraseIndex& index, std::size_t column, Words words, std::vector<PhraseHit>& hits);
    void find_side(const PhraseIndex& index, PhraseSide& side);
    void relate_phrases(const PhraseIndex& index, KnownSegment& known, PhraseSide& side,
                        const std::vector<PhraseHit>& hits);
    bool match_proposals(const std::vector<Proposal>& proposals, Words hypothesis, Words reference, Outcome& outcome);
    void sort_by_reference();
    void fix();

    const Chain& chain_;
    const Vocabulary& vocabulary_;
    std::uint32_t matcher_ = 0;  // the one at work

    bool shared_ = false, gathered_ = false;
    std::vector<std::size_t> reference_starts_;  // in lists_
    std::size_t first_ = 0;                      // of the reference's positions, in lists_
    std::vector<std::uint32_t> lists_;           // of each position
    std::vector<std::uint32_t> list_words_;      // the word of each list
    std::vector<PhraseHit> list_hits_;
    std::vector<std::vector<PhraseHit>> list_phrases_;  // of each table, the phrases of the lists
    std::size_t room_ = 0;                              // for candidates
    std::vector<Match> proposed_, matches_;
    std::vector<std::uint32_t> starts_, reference_cover_, hypothesis_cover_;
    std::vector<std::uint8_t> fixed_;

    std::vector<KnownSegment> segments_;
    std::vector<std::uint64_t> hashes_;  // of these segments
    KnownSegment segment_;               // one that is not kept
    std::size_t known_bytes_ = 0;
    std::uint64_t replaced_ = 0;
    std::vector<View<Related>> cursors_;  // what is left of what is related to each hypothesis word
    std::vector<std::uint32_t> numbers_, new_words_;
    std::vector<Answers<Related>::New> related_;

    std::vector<std::uint32_t> heads_;  // for each key the first of its entries; NONE outside match_keys
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> found_;
    std::vector<double> transposed_, sums_;
    std::vector<Overlap> overlaps_;
    std::vector<std::uint64_t> piece_words_;  // of each piece: the reference's words with it; 0 outside match_overlap
    std::vector<std::uint8_t> marks_, taken_;
    std::vector<PhraseWord> phrase_words_;
    std::vector<StepMemory> steps_;  // one a phrase table
    std::vector<LastHypothesis> last_;
    std::vector<std::uint32_t> phrase_numbers_, new_phrases_;
    std::vector<Answers<RelatedPhrase>::New> related_phrases_;
    Filter filter_;
    std::vector<PhrasePair> from_reference_, from_hypothesis_;
};

inline bool Candidates::add(std::uint32_t j, std::uint32_t reference_length, std::uint32_t i,
                            std::uint32_t hypothesis_length, double probability) {
    if (!shared_) cover(reference_cover_, j, reference_length);
    cover(hypothesis_cover_, i, hypothesis_length);
    proposed_.push_back({j, reference_length, i, hypothesis_length, matcher_, probability});
    return proposed_.size() <= room_;
}

inline bool Candidates::relate_word(std::uint32_t distinct, std::uint32_t word, double probability) {
    related_.push_back({word, {distinct, matcher_, probability}});
    return related_.size() <= chain_.limits.max_candidates;
}

}  // namespace meteor

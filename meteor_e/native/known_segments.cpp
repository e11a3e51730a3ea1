// What was found out of references, remembered for the next hypothesis, and fetched before it is needed.
#include "candidates.hpp"

#include <algorithm>

namespace meteor {

// What is known of a reference, or nothing yet. `alone`: a segment that is not to be remembered.
Candidates::KnownSegment& Candidates::know(Words reference, std::uint64_t hash, bool alone) {
    if (alone) {
        start(segment_, reference);
        return segment_;
    }
    if (known_bytes_ > KNOWN_BYTES) {
        segments_.clear();
        known_bytes_ = 0;
    }
    if (segments_.empty()) {
        segments_.resize(KNOWN_SEGMENTS);
        hashes_.assign(KNOWN_SEGMENTS, 0);
    }
    const std::uint64_t generation = vocabulary_.generation() + 1;  // 0: nothing is known
    const std::size_t set = hash % (KNOWN_SEGMENTS / WAYS) * WAYS;
    std::size_t chosen = NONE;
    for (std::size_t way = set; way < set + WAYS; ++way) {
        if (hashes_[way] == hash && segments_[way].generation == generation &&
            std::ranges::equal(reference, segments_[way].words)) {
            return segments_[way];
        }
        if (segments_[way].generation != generation && chosen == NONE) chosen = way;
    }
    if (chosen == NONE) chosen = set + replaced_++ % WAYS;
    KnownSegment& known = segments_[chosen];
    known_bytes_ -= known.bytes;
    known = KnownSegment{};
    start(known, reference);
    known.generation = generation;
    hashes_[chosen] = hash;
    charge(known, 40 * reference.size() + 4 * (known.keys.size() + known.key_ends.size()));
    return known;
}

void Candidates::expect(std::uint64_t hash, std::size_t steps) const {
    if (segments_.empty()) return;
    const auto fetch = [](const void* data, std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += 64) METEOR_PREFETCH(static_cast<const char*>(data) + at);
    };
    const auto fetch_all = [&fetch](const auto& items) { fetch(items.data(), items.size() * sizeof(items[0])); };
    const std::size_t set = hash % (KNOWN_SEGMENTS / WAYS) * WAYS;
    for (std::size_t way = set; way < set + WAYS; ++way) {
        if (hashes_[way] != hash) continue;
        const KnownSegment& known = segments_[way];
        if (steps == EXPECTED) {
            fetch(&known, sizeof known);
        } else if (steps == 2) {
            fetch_all(known.words);
            fetch_all(known.starts);
            fetch_all(known.positions);
            fetch_all(known.keys);
            fetch_all(known.key_ends);
            known.answers.each_part(fetch_all);
            fetch_all(known.phrases);
        } else {
            for (const PhraseSide& side : known.phrases) {
                fetch_all(side.hits);
                fetch_all(side.starts);
                fetch_all(side.others);
                side.answers.each_part(fetch_all);
            }
        }
        return;
    }
}

void Candidates::charge(KnownSegment& known, std::size_t bytes) {
    if (!known.generation) return;
    known.bytes += bytes;
    known_bytes_ += bytes;
}

void Candidates::start(KnownSegment& known, Words reference) const {
    known.words.assign(reference.begin(), reference.end());
    known.distinct.clear();
    known.types.clear();
    for (const std::uint32_t type : reference) {
        if (known.distinct.number(type) == known.types.size()) known.types.push_back(type);
    }
    known.starts.assign(1, 0);
    known.positions.clear();
    append_by_key(
        reference, known.types.size(), [&known](std::uint32_t type) { return known.distinct.find(type); },
        [first = reference.data()](const std::uint32_t& type) { return static_cast<std::uint32_t>(&type - first); },
        known.starts, known.positions);
    known.keys.clear();
    known.key_ends.clear();
    known.key_ends.reserve(chain_.matchers.size() * known.types.size());
    known.keys.reserve(known.key_ends.capacity());
    for (const Matcher& matcher : chain_.matchers) {
        for (const std::uint32_t type : known.types) {
            const Words keys = keys_of(matcher, type);
            known.keys.insert(known.keys.end(), keys.begin(), keys.end());
            known.key_ends.push_back(static_cast<std::uint32_t>(known.keys.size()));
        }
    }
    known.answers.clear();
    known.phrases.clear();
}

}  // namespace meteor

// Reads the data that the page embeds, and gives access to scores and alignments.

/**
 * Decompress the data of the page. The element that contains them is removed to save memory.
 *
 * @returns {Promise<Report>}
 */
async function readReport() {
  const dataElement = getById("data");
  const compressedText = atob(dataElement.textContent);
  dataElement.remove();
  const compressedBytes = Uint8Array.from(compressedText, (character) => character.charCodeAt(0));
  const stream = new Blob([compressedBytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Report(await new Response(stream).json());
}

// Number of integers per match: the start and the length in the reference, the start and the length in the hypothesis,
// and the index of the matcher.
const MATCH_FIELD_COUNT = 5;
const MATCHER_FIELD = 4;

/**
 * The scores of a metric. A remark is a text about a segment, such as a list of missing words.
 *
 * @typedef {Object} MetricData
 * @property {string} label - label of the metric.
 * @property {boolean} higherIsBetter - whether higher scores are better.
 * @property {number} decimals - number of decimals of the scores.
 * @property {[number, number]} scaleEnds - lowest and highest value of a chart axis for the scores of segments.
 * @property {{system: number, segment: number, text: string}[]} explanations - explanations of the differences between
 *     the scores of the first system and of another system on a segment.
 * @property {Object<number, string>[]} remarks - for each system, remarks by index of the segment. Empty if the metric
 *     does not have remarks.
 */

/**
 * The output of a system. Scores and other values are integers, which are the values multiplied by the scale.
 *
 * @typedef {Object} SystemData
 * @property {string} name - name of the system.
 * @property {string[]} hypotheses - raw hypothesis of each segment.
 * @property {number[][]} hypothesisWords - for each segment, indices of the hypothesis words in the vocabulary.
 * @property {number[][]} matches - for each segment, the integers of all matches.
 * @property {number[]} referenceIndices - index of the best reference of each segment.
 * @property {number[][]} contributions - for each segment, the contribution of each matcher to the METEOR score.
 * @property {number[]} precision - precision of each segment.
 * @property {number[]} recall - recall of each segment.
 * @property {number[]} fragmentationPenalty - fragmentation penalty of each segment.
 * @property {number[][]} scores - for each metric, the scores of all segments.
 */

/**
 * The data of a report, as encoded by payload.py.
 *
 * @typedef {Object} Payload
 * @property {number} scale - factor by which scores are multiplied before they are rounded to integers.
 * @property {number} meteorIndex - index of METEOR among the metrics.
 * @property {MetricData[]} metrics
 * @property {string[]} matchers - names of the matchers.
 * @property {string[]} vocabulary - all words of the hypotheses and of the best references.
 * @property {number[]} functionWords - indices of the function words in the vocabulary.
 * @property {(string | number)[]} ids - id of each segment.
 * @property {string[][]} references - for each segment, the raw references.
 * @property {Object<number, number[]>[]} referenceWords - for each segment, the words of its best references, by index
 *     of the reference. The words are indices in the vocabulary.
 * @property {number[]} lengths - number of words of each segment's first reference.
 * @property {SystemData[]} systems
 */

/**
 * A word of an alignment.
 *
 * @typedef {Object} Word
 * @property {string} text
 * @property {boolean} isFunctionWord
 */

/**
 * A match of consecutive hypothesis words with consecutive reference words.
 *
 * @typedef {Object} Match
 * @property {number} index - index of the match in the alignment.
 * @property {number} referenceStart - index of the first reference word.
 * @property {number} referenceLength - number of reference words.
 * @property {number} hypothesisStart - index of the first hypothesis word.
 * @property {number} hypothesisLength - number of hypothesis words.
 * @property {number} matcher - index of the matcher.
 * @property {number} chunk - number of the chunk that contains the match, from 1.
 */

/**
 * The alignment of a system's hypothesis with its best reference.
 *
 * @typedef {Object} Alignment
 * @property {number} system - index of the system.
 * @property {number} referenceIndex - index of the reference among the references of the segment.
 * @property {Word[]} hypothesis - words of the hypothesis.
 * @property {Word[]} reference - words of the reference.
 * @property {Match[]} matches - the matches, in the order of the reference.
 * @property {number} chunkCount - number of chunks.
 */

/** The contents of a report. Systems, metrics, matchers and segments are identified by their indices. */
class Report {
  /** @param {Payload} payload */
  constructor(payload) {
    this.scale = payload.scale;
    this.meteorIndex = payload.meteorIndex;
    this.metrics = payload.metrics;
    this.matchers = payload.matchers;
    this.vocabulary = payload.vocabulary;
    this.functionWords = new Set(payload.functionWords);
    this.ids = payload.ids;
    this.references = payload.references;
    this.referenceWords = payload.referenceWords;
    this.lengths = payload.lengths;
    this.systems = payload.systems;
    this.segmentCount = payload.references.length;
    this.searchTexts = null;
  }

  /** Return the score of a system's segment by a metric. */
  getScore(system, metric, segment) {
    return this.systems[system].scores[metric][segment] / this.scale;
  }

  /**
   * Return the value of a component of METEOR for a system's segment.
   *
   * @param {number} system - index of the system.
   * @param {"precision" | "recall" | "fragmentationPenalty"} component
   * @param {number} segment - index of the segment.
   * @returns {number}
   */
  getComponent(system, component, segment) {
    return this.systems[system][component][segment] / this.scale;
  }

  /** Return the contribution of a matcher to the METEOR score of a system's segment. */
  getContribution(system, matcher, segment) {
    return this.systems[system].contributions[segment][matcher] / this.scale;
  }

  /** Return how much better the second system scores than the first system on a segment. */
  getGain(firstSystem, secondSystem, metric, segment) {
    const difference = this.getScore(secondSystem, metric, segment) - this.getScore(firstSystem, metric, segment);
    return this.metrics[metric].higherIsBetter ? difference : -difference;
  }

  /** Return the position of a score on the scale of its metric, from 0 to 1. */
  getScalePosition(metric, score) {
    const [low, high] = this.metrics[metric].scaleEnds;
    return Math.max(0, Math.min(1, (score - low) / (high - low)));
  }

  /** Return the number of decimals of a metric's scores in the list of segments. */
  getListDecimals(metric) {
    return Math.max(1, this.metrics[metric].decimals - 1);
  }

  /**
   * Find explanations of the difference between the scores of two systems on a segment.
   *
   * Metrics explain only differences from the first system of the report.
   *
   * @returns {{label: string, text: string}[]} labels of metrics, and their explanations.
   */
  findExplanations(segment, firstSystem, secondSystem) {
    const baseline = Math.min(firstSystem, secondSystem);
    const comparedSystem = Math.max(firstSystem, secondSystem);
    const results = [];
    if (baseline !== 0) return results;
    for (const { label, explanations } of this.metrics) {
      for (const explanation of explanations) {
        if (explanation.segment === segment && explanation.system === comparedSystem) {
          results.push({ label, text: explanation.text });
        }
      }
    }
    return results;
  }

  /** Return a metric's remark on a system's segment, or undefined if there is none. */
  getRemark(metric, system, segment) {
    return this.metrics[metric].remarks[system]?.[segment];
  }

  /**
   * Return all texts of each segment as one string in lower case, for searches.
   *
   * The strings are built by the first search, because they need as much memory as the texts.
   *
   * @returns {string[]} one string per segment.
   */
  getSearchTexts() {
    this.searchTexts ||= this.references.map((references, segment) => {
      const hypotheses = this.systems.map((system) => system.hypotheses[segment]);
      return [...references, ...hypotheses].join("\n").toLowerCase();
    });
    return this.searchTexts;
  }

  /** Return whether a matcher has matches in a system's segment. */
  hasMatchesOf(matcher, system, segment) {
    const fields = this.systems[system].matches[segment];
    for (let position = MATCHER_FIELD; position < fields.length; position += MATCH_FIELD_COUNT) {
      if (fields[position] === matcher) return true;
    }
    return false;
  }

  /**
   * Return the alignment of a system's segment.
   *
   * @param {number} system - index of the system.
   * @param {number} segment - index of the segment.
   * @returns {Alignment}
   */
  getAlignment(system, segment) {
    const { hypothesisWords, matches, referenceIndices } = this.systems[system];
    const referenceIndex = referenceIndices[segment];
    const decodedMatches = decodeMatches(matches[segment]);
    return {
      system,
      referenceIndex,
      hypothesis: this.decodeWords(hypothesisWords[segment]),
      reference: this.decodeWords(this.referenceWords[segment][referenceIndex]),
      matches: decodedMatches,
      chunkCount: decodedMatches.length > 0 ? decodedMatches.at(-1).chunk : 0,
    };
  }

  /** Return words, given their indices in the vocabulary. */
  decodeWords(wordIds) {
    return wordIds.map((id) => ({ text: this.vocabulary[id], isFunctionWord: this.functionWords.has(id) }));
  }
}

/**
 * Decode the matches of a segment, and number their chunks.
 *
 * A match continues the previous chunk if it follows the previous match in both the hypothesis and the reference.
 *
 * @param {number[]} fields - the integers of all matches.
 * @returns {Match[]}
 */
function decodeMatches(fields) {
  const matches = [];
  let chunk = 0;
  let referenceEnd = -1;
  let hypothesisEnd = -1;
  for (let position = 0; position < fields.length; position += MATCH_FIELD_COUNT) {
    const [referenceStart, referenceLength, hypothesisStart, hypothesisLength, matcher] = fields.slice(
      position,
      position + MATCH_FIELD_COUNT,
    );
    const continuesChunk = referenceStart === referenceEnd && hypothesisStart === hypothesisEnd;
    if (!continuesChunk) chunk += 1;
    referenceEnd = referenceStart + referenceLength;
    hypothesisEnd = hypothesisStart + hypothesisLength;
    const index = matches.length;
    matches.push({ index, referenceStart, referenceLength, hypothesisStart, hypothesisLength, matcher, chunk });
  }
  return matches;
}

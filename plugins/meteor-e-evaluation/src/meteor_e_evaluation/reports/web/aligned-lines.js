// Shows an alignment as lines of text, with the hypothesis above the reference.
//
// Aligned words share a column. The columns of a chunk share a box. Lines are wrapped between boxes, and within a box
// only if the box is wider than a line. A chunk that crosses other chunks has two boxes with the same number: one
// contains its hypothesis words, the other one contains its reference words.

/**
 * Consecutive matches without a gap between them.
 *
 * @typedef {Object} Chunk
 * @property {number} number - number of the chunk, from 1.
 * @property {number} referenceStart - index of the first reference word.
 * @property {number} referenceLength - number of reference words.
 * @property {number} hypothesisStart - index of the first hypothesis word.
 * @property {number} hypothesisLength - number of hypothesis words.
 * @property {Match[]} matches - matches of the chunk.
 */

/**
 * A column with hypothesis words above reference words.
 *
 * @typedef {Object} WordColumn
 * @property {number[]} hypothesisWords - indices of hypothesis words.
 * @property {number[]} referenceWords - indices of reference words.
 * @property {?Match} match - the match that contains the words, or null if they are not aligned.
 */

/**
 * Columns that share a box: the columns of a chunk, or a single column of words without a match.
 *
 * @typedef {Object} Block
 * @property {?Chunk} chunk - the chunk, or null for words without a match.
 * @property {"both" | "hypothesis" | "reference"} content - the side of the chunk whose words the block contains. For a
 *     chunk that crosses other chunks, a block contains only one side.
 * @property {WordColumn[]} columns
 */

/** Return consecutive integers. */
function makeRange(start, length) {
  return Array.from({ length }, (_, index) => start + index);
}

function getHypothesisWords(match) {
  return makeRange(match.hypothesisStart, match.hypothesisLength);
}

function getReferenceWords(match) {
  return makeRange(match.referenceStart, match.referenceLength);
}

/**
 * Group the matches of an alignment into chunks.
 *
 * @param {Alignment} alignment
 * @returns {Chunk[]} the chunks, in the order of the reference.
 */
function groupChunks(alignment) {
  const chunks = [];
  for (const match of alignment.matches) {
    if (match.chunk > chunks.length) {
      chunks.push({
        number: match.chunk,
        referenceStart: match.referenceStart,
        referenceLength: 0,
        hypothesisStart: match.hypothesisStart,
        hypothesisLength: 0,
        matches: [],
      });
    }
    const chunk = chunks.at(-1);
    chunk.referenceLength += match.referenceLength;
    chunk.hypothesisLength += match.hypothesisLength;
    chunk.matches.push(match);
  }
  return chunks;
}

const NO_CHUNK = -1;

/**
 * A Fenwick tree that finds the heaviest chain of chunks before a position of the hypothesis.
 *
 * A chain consists of chunks that do not cross each other. The index of its last chunk identifies it.
 */
class ChainTree {
  /**
   * @param {number} maxEnd - largest end of a chunk in the hypothesis.
   * @param {Int32Array} chainWeights - weight of the chain that ends with each chunk. It may be filled later.
   */
  constructor(maxEnd, chainWeights) {
    this.size = maxEnd + 1;
    this.chainWeights = chainWeights;
    this.heaviestChains = new Int32Array(this.size + 1).fill(NO_CHUNK);
  }

  /** Return the weight of a chain. The empty chain has the weight 0. */
  getWeight(chain) {
    return chain === NO_CHUNK ? 0 : this.chainWeights[chain];
  }

  /** Return the heaviest chain whose last chunk ends at or before a position, or NO_CHUNK for the empty chain. */
  findHeaviest(position) {
    let heaviest = NO_CHUNK;
    for (let node = position + 1; node > 0; node -= node & -node) {
      const chain = this.heaviestChains[node];
      if (this.getWeight(chain) > this.getWeight(heaviest)) heaviest = chain;
    }
    return heaviest;
  }

  /** Insert a chain, given the end of its last chunk in the hypothesis. */
  insert(chain, end) {
    for (let node = end + 1; node <= this.size; node += node & -node) {
      if (this.getWeight(chain) > this.getWeight(this.heaviestChains[node])) this.heaviestChains[node] = chain;
    }
  }
}

/**
 * Select chunks that do not cross each other, and that contain as many words as possible.
 *
 * @param {Chunk[]} chunks - the chunks, in the order of the reference.
 * @returns {Chunk[]} the selected chunks.
 */
function selectStraightChunks(chunks) {
  const hypothesisEnds = chunks.map((chunk) => chunk.hypothesisStart + chunk.hypothesisLength);
  const maxEnd = hypothesisEnds.reduce((largest, end) => Math.max(largest, end), 0);
  const chainWeights = new Int32Array(chunks.length);
  const previousChunks = new Int32Array(chunks.length);
  const tree = new ChainTree(maxEnd, chainWeights);
  let heaviestChain = NO_CHUNK;
  chunks.forEach((chunk, index) => {
    const previous = tree.findHeaviest(chunk.hypothesisStart);
    previousChunks[index] = previous;
    chainWeights[index] = tree.getWeight(previous) + chunk.referenceLength + chunk.hypothesisLength;
    tree.insert(index, hypothesisEnds[index]);
    if (tree.getWeight(index) > tree.getWeight(heaviestChain)) heaviestChain = index;
  });
  const selectedChunks = [];
  let index = heaviestChain;
  while (index !== NO_CHUNK) {
    selectedChunks.push(chunks[index]);
    index = previousChunks[index];
  }
  return selectedChunks.reverse();
}

/** Arranges the words of an alignment in blocks, from left to right. */
class BlockArranger {
  /** @param {Alignment} alignment */
  constructor(alignment) {
    this.alignment = alignment;
    this.chunks = groupChunks(alignment);
    // The chunk of each word, by the index of the word. Words without a match have no entry.
    this.hypothesisChunks = [];
    this.referenceChunks = [];
    for (const chunk of this.chunks) {
      for (const match of chunk.matches) {
        for (const word of getHypothesisWords(match)) this.hypothesisChunks[word] = chunk;
        for (const word of getReferenceWords(match)) this.referenceChunks[word] = chunk;
      }
    }
    // Indices of the first words that are not in a block yet.
    this.hypothesisPosition = 0;
    this.referencePosition = 0;
    this.blocks = [];
  }

  /**
   * Arrange all words.
   *
   * @returns {Block[]}
   */
  arrange() {
    for (const chunk of selectStraightChunks(this.chunks)) {
      this.addGap(chunk.hypothesisStart, chunk.referenceStart);
      this.addStraightChunk(chunk);
    }
    this.addGap(this.alignment.hypothesis.length, this.alignment.reference.length);
    return this.blocks;
  }

  addStraightChunk(chunk) {
    const columns = chunk.matches.map((match) => ({
      hypothesisWords: getHypothesisWords(match),
      referenceWords: getReferenceWords(match),
      match,
    }));
    this.blocks.push({ chunk, content: "both", columns });
    this.hypothesisPosition += chunk.hypothesisLength;
    this.referencePosition += chunk.referenceLength;
  }

  /** Add the words before a straight chunk, or at the end of the alignment, given the end of each side. */
  addGap(hypothesisEnd, referenceEnd) {
    while (this.hypothesisPosition < hypothesisEnd || this.referencePosition < referenceEnd) {
      const hasHypothesisWord = this.hypothesisPosition < hypothesisEnd;
      const hasReferenceWord = this.referencePosition < referenceEnd;
      const hypothesisChunk = hasHypothesisWord ? this.hypothesisChunks[this.hypothesisPosition] : undefined;
      const referenceChunk = hasReferenceWord ? this.referenceChunks[this.referencePosition] : undefined;
      if (hypothesisChunk) {
        this.addHypothesisOfChunk(hypothesisChunk);
      } else if (referenceChunk) {
        this.addReferenceOfChunk(referenceChunk);
      } else {
        this.addUnmatchedWords(hasHypothesisWord, hasReferenceWord);
      }
    }
  }

  addHypothesisOfChunk(chunk) {
    const columns = chunk.matches.map((match) => ({
      hypothesisWords: getHypothesisWords(match),
      referenceWords: [],
      match,
    }));
    this.blocks.push({ chunk, content: "hypothesis", columns });
    this.hypothesisPosition += chunk.hypothesisLength;
  }

  addReferenceOfChunk(chunk) {
    const columns = chunk.matches.map((match) => ({
      hypothesisWords: [],
      referenceWords: getReferenceWords(match),
      match,
    }));
    this.blocks.push({ chunk, content: "reference", columns });
    this.referencePosition += chunk.referenceLength;
  }

  addUnmatchedWords(hasHypothesisWord, hasReferenceWord) {
    const column = { hypothesisWords: [], referenceWords: [], match: null };
    if (hasHypothesisWord) {
      column.hypothesisWords.push(this.hypothesisPosition);
      this.hypothesisPosition += 1;
    }
    if (hasReferenceWord) {
      column.referenceWords.push(this.referencePosition);
      this.referencePosition += 1;
    }
    this.blocks.push({ chunk: null, content: "both", columns: [column] });
  }
}

// Largest number of columns that are visible at first.
const MAX_COLUMNS = 400;
const MAX_WORD_LENGTH = 60;

/**
 * Create the lines of an alignment. If there are many columns, a button shows the rest.
 *
 * @param {Alignment} alignment
 * @param {Report} report
 * @returns {Element[]}
 */
function createAlignedLines(alignment, report) {
  const blocks = new BlockArranger(alignment).arrange();
  const description = createLinesDescription(alignment, report);
  const columnCount = blocks.reduce((sum, block) => sum + block.columns.length, 0);
  if (columnCount <= MAX_COLUMNS) return [description, createLines(blocks, alignment, report)];
  const container = createElement("div", null, description, createLines(truncateBlocks(blocks), alignment, report));
  const button = createButton(`Show all ${formatCount(columnCount, "column")}`, () => {
    container.replaceChildren(description, createLines(blocks, alignment, report));
  });
  container.append(button);
  return [container];
}

/** Return the first MAX_COLUMNS columns of blocks. The last block may be incomplete. */
function truncateBlocks(blocks) {
  const truncatedBlocks = [];
  let remainingColumns = MAX_COLUMNS;
  for (const block of blocks) {
    if (remainingColumns === 0) break;
    const columns = block.columns.slice(0, remainingColumns);
    truncatedBlocks.push({ ...block, columns });
    remainingColumns -= columns.length;
  }
  return truncatedBlocks;
}

/** Create the text that screen readers present instead of the lines. */
function createLinesDescription(alignment, report) {
  const hypothesis = joinWords(alignment.hypothesis);
  const reference = joinWords(alignment.reference);
  const description = `Hypothesis of ${report.systems[alignment.system].name}: ${hypothesis}. Reference: ${reference}.`;
  return createElement("p", { class: "visually-hidden" }, makeVisible(truncate(description, LONG_TEXT_LENGTH)));
}

function joinWords(words) {
  return words.map((word) => word.text).join(" ");
}

function createLines(blocks, alignment, report) {
  const referenceDirection = detectDirection(alignment.reference.map((word) => word.text));
  const blockElements = blocks.map((block) => createBlock(block, alignment, report));
  return createElement("div", { class: "aligned-lines", dir: referenceDirection }, blockElements);
}

function createBlock({ chunk, content, columns }, alignment, report) {
  const columnElements = columns.map((column) => createColumn(column, alignment, report));
  if (chunk === null) {
    return createElement("span", { class: "block", "aria-hidden": "true" }, columnElements);
  }
  const attributes = { class: "block chunk", "aria-hidden": "true" };
  if (content !== "both") {
    const otherSide = content === "hypothesis" ? "reference" : "hypothesis";
    attributes.class += ` crossing in-${content}`;
    attributes.title = `chunk ${chunk.number}, elsewhere in the ${otherSide}`;
  }
  const chunkNumber = createElement("span", { class: "chunk-number" }, String(chunk.number));
  return createElement("span", attributes, chunkNumber, columnElements);
}

function createColumn({ hypothesisWords, referenceWords, match }, alignment, report) {
  const hypothesisElements = hypothesisWords.map((index) => createWord(alignment.hypothesis[index], match, report));
  const referenceElements = referenceWords.map((index) => {
    const element = createWord(alignment.reference[index], match, report);
    element.dataset.referenceWord = index;
    return element;
  });
  return createElement(
    "span",
    { class: "word-column" },
    createElement("span", { class: "word-cell" }, hypothesisElements),
    createLink(match),
    createElement("span", { class: "word-cell reference" }, referenceElements),
  );
}

/** Create the symbol between aligned words, or an empty element for words without a match. */
function createLink(match) {
  if (match === null) return createElement("span", { class: "match-link" });
  const className = `match-link ${getMatcherClass(match.matcher)}`;
  return createElement("span", { class: className }, createMatcherIcon(match.matcher));
}

function createWord(word, match, report) {
  const classes = ["word"];
  if (match !== null) classes.push("matched", getMatcherClass(match.matcher));
  if (word.isFunctionWord) classes.push("function-word");
  const attributes = {
    class: classes.join(" "),
    "data-match": match?.index,
    title: match === null ? "no match" : `${report.matchers[match.matcher]}, chunk ${match.chunk}`,
  };
  return createElement("bdi", attributes, makeVisible(truncate(word.text, MAX_WORD_LENGTH)));
}

/**
 * Highlight the words that belong to the word under the pointer.
 *
 * These are the other words of the same match. In the lines of the other system, it is the same word of the reference.
 *
 * @param {Element} root - the element that contains the lines of one or two systems with the same reference.
 */
function highlightRelatedWords(root) {
  const toggleHighlight = (event, isHighlighted) => {
    const word = event.target.closest(".word");
    if (!word) return;
    for (const relatedWord of findRelatedWords(root, word)) relatedWord.classList.toggle("highlighted", isHighlighted);
    word.classList.toggle("highlighted", isHighlighted);
  };
  root.addEventListener("pointerover", (event) => toggleHighlight(event, true));
  root.addEventListener("pointerout", (event) => toggleHighlight(event, false));
}

function findRelatedWords(root, word) {
  const wordLines = word.closest(".aligned-lines");
  const relatedWords = [];
  for (const lines of root.querySelectorAll(".aligned-lines")) {
    const attribute = lines === wordLines ? "data-match" : "data-reference-word";
    const value = word.getAttribute(attribute);
    if (value !== null) relatedWords.push(...lines.querySelectorAll(`[${attribute}="${value}"]`));
  }
  return relatedWords;
}

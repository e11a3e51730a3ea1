// Draws alignments as a matrix with a column for each reference word and a row for each hypothesis word.
//
// The labels of the rows and columns remain visible when the matrix is scrolled. Two systems can share a matrix. A word
// that both hypotheses contain has one row then. Each column has two lanes: the left one is for the first system, the
// right one for the second system. A line connects the cells of a chunk.

// Sizes are in pixels.
const CELL_SIZE = 22;
const LANE_WIDTH = 15;
const ROW_LABEL_CHARACTER_WIDTH = 7.4;
// Column labels are rotated, so a character needs less height than width.
const COLUMN_LABEL_CHARACTER_HEIGHT = 6.4;
const SYSTEM_LETTER_WIDTH = 14;
const CHUNK_FRAME_MARGIN = 1.5;

// Largest number of rows or columns.
const MAX_MATRIX_SIZE = 150;
const MAX_LABEL_LENGTH = 18;

/**
 * Merge the words of two hypotheses along their longest common subsequence.
 *
 * @param {Word[]} firstWords
 * @param {Word[]} secondWords
 * @returns {number[][]} rows of two indices: that of the word in the first hypothesis, and that of the word in the
 *     second hypothesis. An index is -1 if the hypothesis does not contain the word.
 */
function mergeHypotheses(firstWords, secondWords) {
  const suffixLengths = new CommonSuffixLengths(firstWords, secondWords);
  const rows = [];
  let first = 0;
  let second = 0;
  while (first < firstWords.length && second < secondWords.length) {
    if (firstWords[first].text === secondWords[second].text) {
      rows.push([first, second]);
      first += 1;
      second += 1;
    } else if (suffixLengths.get(first + 1, second) >= suffixLengths.get(first, second + 1)) {
      rows.push([first, -1]);
      first += 1;
    } else {
      rows.push([-1, second]);
      second += 1;
    }
  }
  for (; first < firstWords.length; first += 1) rows.push([first, -1]);
  for (; second < secondWords.length; second += 1) rows.push([-1, second]);
  return rows;
}

/** Lengths of the longest common subsequences of all suffixes of two word sequences. */
class CommonSuffixLengths {
  constructor(firstWords, secondWords) {
    this.columnCount = secondWords.length + 1;
    this.lengths = new Uint16Array((firstWords.length + 1) * this.columnCount);
    for (let first = firstWords.length - 1; first >= 0; first -= 1) {
      for (let second = secondWords.length - 1; second >= 0; second -= 1) {
        const isEqual = firstWords[first].text === secondWords[second].text;
        this.lengths[first * this.columnCount + second] = isEqual
          ? this.get(first + 1, second + 1) + 1
          : Math.max(this.get(first + 1, second), this.get(first, second + 1));
      }
    }
  }

  /** Return the length for the suffixes that begin at the given indices. */
  get(first, second) {
    return this.lengths[first * this.columnCount + second];
  }
}

/**
 * Create a matrix with its legend, or a note if the alignments are too long or empty.
 *
 * @param {Alignment[]} alignments - alignments of one or two systems with the same reference.
 * @param {Report} report
 * @returns {HTMLElement}
 */
function createMatrix(alignments, report) {
  const lengths = alignments.map((alignment) => alignment.hypothesis.length);
  lengths.push(alignments[0].reference.length);
  const maxLength = Math.max(...lengths);
  if (maxLength > MAX_MATRIX_SIZE) {
    const limit = `A matrix has room for ${MAX_MATRIX_SIZE} words a side`;
    return createElement("p", { class: "note" }, `${limit}; this segment has up to ${formatInteger(maxLength)}.`);
  }
  if (Math.min(...lengths) === 0) {
    return createElement("p", { class: "note" }, "A side is empty; there is nothing to align.");
  }
  const matrix = new AlignmentMatrix(alignments, report).render();
  return createElement(
    "div",
    { class: "matrix-layout" },
    createElement("div", null, matrix),
    createMatrixLegend(alignments, report),
  );
}

/** The rows, columns and positions of a matrix. */
class MatrixLayout {
  /** @param {Alignment[]} alignments - alignments of one or two systems with the same reference. */
  constructor(alignments) {
    this.alignments = alignments;
    this.reference = alignments[0].reference;
    this.hasTwoSystems = alignments.length > 1;
    // For each row, the index of the word in the hypothesis of each system. An index is -1 if a system lacks the word.
    this.rows = this.hasTwoSystems
      ? mergeHypotheses(alignments[0].hypothesis, alignments[1].hypothesis)
      : alignments[0].hypothesis.map((_, index) => [index]);
    this.rowWords = this.rows.map((row) => this.getRowWord(row));
    this.isRightToLeft = detectDirection(this.reference.map((word) => word.text)) === "rtl";
    this.laneWidth = this.hasTwoSystems ? LANE_WIDTH : CELL_SIZE;
    this.columnWidth = this.laneWidth * alignments.length;
    this.gridWidth = this.reference.length * this.columnWidth;
    this.gridHeight = this.rows.length * CELL_SIZE;
    const lettersWidth = this.hasTwoSystems ? 34 : 0;
    this.rowLabelsWidth = 16 + ROW_LABEL_CHARACTER_WIDTH * getMaxLabelLength(this.rowWords) + lettersWidth;
    this.columnLabelsHeight = 18 + COLUMN_LABEL_CHARACTER_HEIGHT * getMaxLabelLength(this.reference);
    // The rotated labels of the last columns extend beyond the grid.
    const lastWords = this.reference.slice(-4);
    this.width = this.gridWidth + COLUMN_LABEL_CHARACTER_HEIGHT * getMaxLabelLength(lastWords) * 0.6;
    this.height = this.gridHeight + 4;
  }

  getRowWord(row) {
    const alignmentIndex = row.findIndex((wordIndex) => wordIndex >= 0);
    return this.alignments[alignmentIndex].hypothesis[row[alignmentIndex]];
  }

  /** Return the column of a reference word, counted from the left. */
  getColumn(referenceIndex) {
    return this.isRightToLeft ? this.reference.length - 1 - referenceIndex : referenceIndex;
  }

  /** Return the left end of a reference word's cells, in the lane of a system. */
  getLaneX(referenceIndex, lane) {
    return this.getColumn(referenceIndex) * this.columnWidth + lane * LANE_WIDTH;
  }

  /** Return the row of each hypothesis word of a system. */
  getRowsOfWords(lane) {
    const rowsOfWords = [];
    this.rows.forEach((row, rowIndex) => {
      if (row[lane] >= 0) rowsOfWords[row[lane]] = rowIndex;
    });
    return rowsOfWords;
  }
}

function getMaxLabelLength(words) {
  const lengths = words.map((word) => [...word.text].length);
  return Math.min(MAX_LABEL_LENGTH, Math.max(...lengths));
}

/** The drawing of a matrix. The lane of a system is its index among the alignments. */
class AlignmentMatrix {
  /**
   * @param {Alignment[]} alignments - alignments of one or two systems with the same reference.
   * @param {Report} report
   */
  constructor(alignments, report) {
    this.alignments = alignments;
    this.report = report;
    this.layout = new MatrixLayout(alignments);
  }

  /** Create the scrollable element that contains the matrix. */
  render() {
    const { layout } = this;
    const columnLabels = layout.reference.map((word, index) => this.drawColumnLabel(word, index));
    const rowLabels = layout.rows.map((_, rowIndex) => this.drawRowLabel(rowIndex));
    const cells = this.drawCells();
    this.highlightLabelsUnderPointer(cells, columnLabels, rowLabels);
    const letters = this.alignments.map((alignment) => getSystemLetter(alignment.system));
    const name = `Alignment matrix of ${letters.join(" and ")}`;
    return createElement(
      "div",
      { class: "scrollable matrix", tabindex: "0", role: "region", "aria-label": name },
      createElement("div", { class: "corner" }),
      this.drawColumnLabels(columnLabels),
      this.drawRowLabels(rowLabels),
      cells,
    );
  }

  drawColumnLabels(labels) {
    const { width, columnLabelsHeight } = this.layout;
    const viewBox = [0, -columnLabelsHeight, width, columnLabelsHeight];
    return createDrawing("column-labels", viewBox, { "aria-hidden": "true" }, labels);
  }

  drawRowLabels(labels) {
    const { rowLabelsWidth, height } = this.layout;
    return createDrawing("row-labels", [-rowLabelsWidth, 0, rowLabelsWidth, height], { "aria-hidden": "true" }, labels);
  }

  drawColumnLabel(word, referenceIndex) {
    const { columnWidth } = this.layout;
    const x = this.layout.getColumn(referenceIndex) * columnWidth + columnWidth / 2 + 4;
    return createLabel(word, { transform: `translate(${x} -7) rotate(-60)` });
  }

  drawRowLabel(rowIndex) {
    const { rows, rowWords, hasTwoSystems } = this.layout;
    const y = rowIndex * CELL_SIZE + CELL_SIZE / 2;
    const label = createLabel(rowWords[rowIndex], { x: -8, y, "text-anchor": "end", "dominant-baseline": "central" });
    const group = createSvgElement("g", null, label);
    if (hasTwoSystems) {
      rows[rowIndex].forEach((wordIndex, lane) => {
        if (wordIndex >= 0) group.append(this.drawSystemLetter(lane, y));
      });
    }
    return group;
  }

  /** Draw the letter of a system beside the label of a row. */
  drawSystemLetter(lane, y) {
    const { system } = this.alignments[lane];
    const attributes = {
      class: `system-letter ${getSystemClass(system)}`,
      x: 10 - this.layout.rowLabelsWidth + lane * SYSTEM_LETTER_WIDTH,
      y,
      "text-anchor": "middle",
      "dominant-baseline": "central",
    };
    return createSvgElement("text", attributes, getSystemLetter(system));
  }

  drawCells() {
    const { width, height } = this.layout;
    const attributes = { role: "img", "aria-label": makeVisible(this.describe()) };
    const drawing = createDrawing("matrix-cells", [0, 0, width, height], attributes, [this.drawGrid()]);
    this.alignments.forEach((alignment, lane) => this.drawAlignment(drawing, alignment, lane));
    return drawing;
  }

  /** Return the text that screen readers present instead of the matrix. */
  describe() {
    const names = this.alignments.map((alignment) => this.report.systems[alignment.system].name);
    const counts = this.alignments.map((alignment) => formatMatchCounts(alignment));
    const summary = `Alignment matrix of ${names.join(" and ")}: ${counts.join("; ")}.`;
    return `${summary} The table of matches says the same in words.`;
  }

  drawGrid() {
    const { reference, rows, columnWidth, gridWidth, gridHeight } = this.layout;
    const grid = createSvgElement("g", { class: "grid" });
    for (let column = 0; column <= reference.length; column += 1) {
      grid.append(createSvgElement("path", { d: `M${column * columnWidth} 0V${gridHeight}` }));
    }
    for (let row = 0; row <= rows.length; row += 1) {
      grid.append(createSvgElement("path", { d: `M0 ${row * CELL_SIZE}H${gridWidth}` }));
    }
    return grid;
  }

  /** Add the cells and chunks of a system to the drawing. The shapes of matchers are drawn above cells and lines. */
  drawAlignment(drawing, alignment, lane) {
    const rowsOfWords = this.layout.getRowsOfWords(lane);
    const foreground = createSvgElement("g");
    for (const match of alignment.matches) {
      const { tiles, shapes } = this.drawMatch(alignment, match, lane, rowsOfWords);
      drawing.append(tiles);
      foreground.append(shapes);
    }
    for (const chunk of groupChunks(alignment)) {
      if (this.layout.hasTwoSystems) {
        drawing.append(this.drawChunkLine(alignment, chunk, lane, rowsOfWords));
      } else {
        foreground.append(this.drawChunkFrame(chunk, rowsOfWords));
      }
    }
    drawing.append(foreground);
  }

  /** Draw the cells of a match: their backgrounds, and the shapes of the matcher. */
  drawMatch(alignment, match, lane, rowsOfWords) {
    const { laneWidth, hasTwoSystems } = this.layout;
    const matchClass = `match ${getMatcherClass(match.matcher)}`;
    const tiles = createSvgElement("g", { class: matchClass });
    const title = createSvgElement("title", null, makeVisible(this.describeMatch(alignment, match)));
    const shapes = createSvgElement("g", { class: matchClass }, title);
    const shapeSize = hasTwoSystems ? 9 : 11;
    for (const hypothesisIndex of getHypothesisWords(match)) {
      for (const referenceIndex of getReferenceWords(match)) {
        const x = this.layout.getLaneX(referenceIndex, lane);
        const y = rowsOfWords[hypothesisIndex] * CELL_SIZE;
        tiles.append(
          createSvgElement("rect", { x: x + 0.5, y: y + 0.5, width: laneWidth - 1, height: CELL_SIZE - 1 }),
        );
        shapes.append(createMatcherShape(match.matcher, x + laneWidth / 2, y + CELL_SIZE / 2, shapeSize));
      }
    }
    return { tiles, shapes };
  }

  describeMatch(alignment, match) {
    const prefix = this.layout.hasTwoSystems ? `${getSystemLetter(alignment.system)}: ` : "";
    const hypothesis = joinWords(getHypothesisWords(match).map((index) => alignment.hypothesis[index]));
    const reference = joinWords(getReferenceWords(match).map((index) => alignment.reference[index]));
    const matcher = this.report.matchers[match.matcher];
    return `${prefix}${hypothesis} – ${reference} (${matcher}, chunk ${match.chunk})`;
  }

  /** Draw the line that connects the cells of a chunk. */
  drawChunkLine(alignment, chunk, lane, rowsOfWords) {
    const points = [];
    for (const match of chunk.matches) {
      const referenceEnd = match.referenceStart + match.referenceLength;
      const hypothesisEnd = match.hypothesisStart + match.hypothesisLength;
      points.push(this.getCellCenter(match.referenceStart, match.hypothesisStart, lane, rowsOfWords));
      points.push(this.getCellCenter(referenceEnd - 1, hypothesisEnd - 1, lane, rowsOfWords));
    }
    const title = createSvgElement("title", null, `${getSystemLetter(alignment.system)}, chunk ${chunk.number}`);
    const attributes = { class: getChunkLineClasses(alignment.system, lane), d: `M${points.join("L")}` };
    return createSvgElement("path", attributes, title);
  }

  /** Return the center of a cell as SVG coordinates. */
  getCellCenter(referenceIndex, hypothesisIndex, lane, rowsOfWords) {
    const x = this.layout.getLaneX(referenceIndex, lane) + this.layout.laneWidth / 2;
    const y = rowsOfWords[hypothesisIndex] * CELL_SIZE + CELL_SIZE / 2;
    return `${x} ${y}`;
  }

  /** Draw the frame around the cells of a chunk. */
  drawChunkFrame(chunk, rowsOfWords) {
    const { columnWidth } = this.layout;
    const firstColumn = this.layout.getColumn(chunk.referenceStart);
    const lastColumn = this.layout.getColumn(chunk.referenceStart + chunk.referenceLength - 1);
    const attributes = {
      class: "chunk-frame",
      x: Math.min(firstColumn, lastColumn) * columnWidth - CHUNK_FRAME_MARGIN,
      y: rowsOfWords[chunk.hypothesisStart] * CELL_SIZE - CHUNK_FRAME_MARGIN,
      width: chunk.referenceLength * columnWidth + 2 * CHUNK_FRAME_MARGIN,
      height: chunk.hypothesisLength * CELL_SIZE + 2 * CHUNK_FRAME_MARGIN,
      rx: 5,
    };
    return createSvgElement("rect", attributes, createSvgElement("title", null, `chunk ${chunk.number}`));
  }

  highlightLabelsUnderPointer(cells, columnLabels, rowLabels) {
    cells.addEventListener("pointermove", (event) => {
      const bounds = cells.getBoundingClientRect();
      const pointerColumn = Math.floor((event.clientX - bounds.left) / this.layout.columnWidth);
      const pointerRow = Math.floor((event.clientY - bounds.top) / CELL_SIZE);
      columnLabels.forEach((label, referenceIndex) => {
        label.classList.toggle("highlighted", this.layout.getColumn(referenceIndex) === pointerColumn);
      });
      rowLabels.forEach((label, rowIndex) => label.classList.toggle("highlighted", rowIndex === pointerRow));
    });
    cells.addEventListener("pointerleave", () => {
      for (const label of [...columnLabels, ...rowLabels]) label.classList.remove("highlighted");
    });
  }
}

/**
 * Create an SVG drawing.
 *
 * @param {string} className - CSS class of the drawing.
 * @param {number[]} viewBox - left end, upper end, width and height in pixels.
 * @param {Object} attributes - further attributes.
 * @param {SVGElement[]} children
 * @returns {SVGElement}
 */
function createDrawing(className, viewBox, attributes, children) {
  const [, , width, height] = viewBox;
  const drawingAttributes = { class: className, width, height, viewBox: viewBox.join(" "), ...attributes };
  return createSvgElement("svg", drawingAttributes, children);
}

function createLabel(word, attributes) {
  const className = word.isFunctionWord ? "word-label function-word" : "word-label";
  const text = makeVisible(truncate(word.text, MAX_LABEL_LENGTH));
  return createSvgElement("text", { ...attributes, class: className }, text);
}

/** Return the number of matches and the number of chunks of an alignment as text. */
function formatMatchCounts(alignment) {
  const matches = formatCount(alignment.matches.length, "match", "matches");
  return `${matches} in ${formatCount(alignment.chunkCount, "chunk")}`;
}

function getChunkLineClasses(system, lane) {
  const classes = `chunk-line ${getSystemClass(system)}`;
  return lane === 0 ? classes : `${classes} second-lane`;
}

function createMatrixLegend(alignments, report) {
  const items = [];
  report.matchers.forEach((name, matcher) => {
    const isUsed = alignments.some((alignment) => alignment.matches.some((match) => match.matcher === matcher));
    if (isUsed) items.push(createElement("li", null, createMatcherIcon(matcher), ` ${name}`));
  });
  if (alignments.length > 1) {
    alignments.forEach((alignment, lane) => items.push(createLaneLegend(alignment, lane)));
  } else {
    items.push(createFrameLegend());
  }
  items.push(createElement("li", { class: "function-word" }, "function word"));
  return createElement("ul", { class: "legend" }, items);
}

function createLaneLegend(alignment, lane) {
  const line = createSvgElement("path", { class: getChunkLineClasses(alignment.system, lane), d: "M2 6H22" });
  const symbol = createLegendSymbol(12, line);
  const laneName = lane === 0 ? "left" : "right";
  return createElement("li", null, symbol, " chunk of ", createSystemBadge(alignment.system), ` ${laneName} lane`);
}

function createFrameLegend() {
  const frame = createSvgElement("rect", { class: "chunk-frame", x: 2, y: 2, width: 20, height: 10, rx: 4 });
  return createElement("li", null, createLegendSymbol(14, frame), " chunk");
}

function createLegendSymbol(height, content) {
  return createSvgElement("svg", { class: "legend-symbol", width: 24, height, "aria-hidden": "true" }, content);
}

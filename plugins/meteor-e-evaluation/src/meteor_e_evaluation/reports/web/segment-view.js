// Shows the details of a segment: its scores, alignments, explanations and texts.

// Largest number of characters of a match in the table of matches.
const MAX_MATCH_LENGTH = 200;

const LINES_NOTE =
  "The hypothesis over the reference. A box is a chunk; one with an arrow stands elsewhere on the other side.";

/** The details of the selected segment. */
class SegmentView {
  /**
   * @param {HTMLElement} root - the element that contains the details.
   * @param {Report} report
   * @param {function(number): void} moveSelection - called with -1 for the previous segment and 1 for the next segment.
   */
  constructor(root, report, moveSelection) {
    this.root = root;
    this.report = report;
    this.moveSelection = moveSelection;
  }

  /**
   * Show a segment.
   *
   * @param {number} segment - index of the segment, or -1 for none.
   * @param {number} firstSystem - index of the first system.
   * @param {number} secondSystem - index of the system to compare, or -1 for none.
   */
  show(segment, firstSystem, secondSystem) {
    this.root.scrollTop = 0;
    this.root.dataset.segment = segment;
    if (segment < 0) {
      this.root.replaceChildren(createElement("p", { class: "note" }, "No segment is chosen."));
      return;
    }
    const systems = secondSystem >= 0 ? [firstSystem, secondSystem] : [firstSystem];
    const alignments = systems.map((system) => this.report.getAlignment(system, segment));
    this.root.replaceChildren(
      this.createHeading(segment, alignments),
      this.createScoreTables(segment, systems, alignments),
      ...this.createExplanations(segment, systems),
      ...this.createLanes(segment, alignments),
      ...this.createRemarks(segment, systems),
      ...this.createMatrices(alignments),
      this.createMatchTable(alignments),
      this.createTexts(segment, systems, alignments),
    );
    addScrollHints(this.root);
  }

  createHeading(segment, alignments) {
    return createElement(
      "div",
      { class: "segment-heading" },
      createElement("h3", null, `Segment ${this.report.ids[segment]}`),
      createElement("span", { class: "secondary-text" }, this.describeSegment(segment, alignments)),
      createElement(
        "span",
        { class: "segment-navigation" },
        createButton("‹", () => this.moveSelection(-1), { "aria-label": "Previous segment" }),
        createButton("›", () => this.moveSelection(1), { "aria-label": "Next segment" }),
      ),
    );
  }

  /** Return the length of a segment and the numbers of its best references. */
  describeSegment(segment, alignments) {
    const length = formatCount(this.report.lengths[segment], "word");
    const referenceCount = this.report.references[segment].length;
    if (referenceCount === 1) return length;
    const bestReferences = new Set(alignments.map((alignment) => alignment.referenceIndex + 1));
    return `${length} · best of ${referenceCount} references: ${[...bestReferences].join(" and ")}`;
  }

  /** Create a table with the scores of all metrics, and a table with the components of METEOR. */
  createScoreTables(segment, systems, alignments) {
    return createElement(
      "div",
      { class: "segment-tables" },
      this.createScoreTable("Metric", systems, this.createMetricRows(segment, systems)),
      this.createScoreTable("Part of METEOR", systems, this.createComponentRows(segment, systems, alignments)),
    );
  }

  /** Create a table with one column per system and, for two systems, a column of their differences. */
  createScoreTable(title, systems, rows) {
    const headings = [createElement("th", { scope: "col" }, title)];
    for (const system of systems) {
      const systemName = createHiddenText(this.report.systems[system].name);
      headings.push(createElement("th", { scope: "col", class: "numeric" }, createSystemBadge(system), systemName));
    }
    if (systems.length > 1) headings.push(createElement("th", { scope: "col", class: "numeric" }, "diff."));
    return createElement(
      "table",
      { class: "segment-scores" },
      createElement("thead", null, createElement("tr", null, headings)),
      createElement("tbody", null, rows),
    );
  }

  createMetricRows(segment, systems) {
    return this.report.metrics.map(({ label, decimals, higherIsBetter }, metric) => {
      const scores = systems.map((system) => this.report.getScore(system, metric, segment));
      return createScoreRow(makeVisible(label), scores, decimals, higherIsBetter ? 1 : -1);
    });
  }

  createComponentRows(segment, systems, alignments) {
    const getValues = (component) => systems.map((system) => this.report.getComponent(system, component, segment));
    const rows = [
      createScoreRow("Precision", getValues("precision"), 4),
      createScoreRow("Recall", getValues("recall"), 4),
      createScoreRow("Penalty", getValues("fragmentationPenalty"), 4),
      createScoreRow("Chunks", alignments.map((alignment) => alignment.chunkCount), 0),
    ];
    this.report.matchers.forEach((name, matcher) => {
      const contributions = systems.map((system) => this.report.getContribution(system, matcher, segment));
      rows.push(createScoreRow([createMatcherIcon(matcher), ` ${name}`], contributions, 4));
    });
    return rows;
  }

  /** Create the explanations of the differences between two systems. */
  createExplanations(segment, systems) {
    if (systems.length < 2) return [];
    const elements = [];
    for (const { label, text } of this.report.findExplanations(segment, ...systems)) {
      const heading = createElement("h4", null, `Why the scores of ${makeVisible(label)} differ`);
      elements.push(heading, createExplanation(text));
    }
    return elements;
  }

  /** Create the aligned lines of all systems, with a heading. */
  createLanes(segment, alignments) {
    const lanes = alignments.map((alignment) => this.createLane(segment, alignment));
    const container = createElement("div", { class: "lanes" }, lanes);
    if (haveSameReference(alignments)) {
      highlightRelatedWords(container);
    } else {
      lanes.forEach(highlightRelatedWords);
    }
    const heading = createElement("h4", null, "Aligned lines");
    return [heading, createElement("p", { class: "note" }, LINES_NOTE), container];
  }

  createLane(segment, alignment) {
    const score = formatNumber(this.report.getScore(alignment.system, this.report.meteorIndex, segment));
    const summary = createElement("span", { class: "secondary-text" }, `${score} · ${formatMatchCounts(alignment)}`);
    return createElement(
      "div",
      { class: "system-lane" },
      createElement("p", { class: "system-heading" }, this.createSystemLabel(alignment.system), " ", summary),
      createAlignedLines(alignment, this.report),
    );
  }

  /** Return the nodes of a system's badge and name. */
  createSystemLabel(system) {
    return [createSystemBadge(system), createIsolatedText(this.report.systems[system].name)];
  }

  /** Create the remarks of metrics on the systems, with one heading per metric. */
  createRemarks(segment, systems) {
    const elements = [];
    this.report.metrics.forEach(({ label }, metric) => {
      const remarks = [];
      for (const system of systems) {
        const text = this.report.getRemark(metric, system, segment);
        if (text !== undefined) remarks.push(this.createRemark(system, text));
      }
      if (remarks.length > 0) {
        elements.push(createElement("h4", null, `What ${makeVisible(label)} found`), ...remarks);
      }
    });
    return elements;
  }

  createRemark(system, text) {
    const paragraph = createElement("p", null, this.createSystemLabel(system), " ", createIsolatedText(text));
    return createElement("div", { class: "explanation" }, paragraph);
  }

  /** Create the alignment matrices. Systems that are scored against different references have separate matrices. */
  createMatrices(alignments) {
    const elements = [createElement("h4", null, "Alignment matrix")];
    if (haveSameReference(alignments)) {
      elements.push(createMatrix(alignments, this.report));
      return elements;
    }
    for (const alignment of alignments) {
      const systemLabel = this.createSystemLabel(alignment.system);
      const referenceName = ` and reference ${alignment.referenceIndex + 1}`;
      const heading = createElement("p", { class: "system-heading" }, systemLabel, referenceName);
      elements.push(heading, createMatrix([alignment], this.report));
    }
    return elements;
  }

  /** Create a collapsed table with the first matches of each alignment. */
  createMatchTable(alignments) {
    const rows = [];
    for (const alignment of alignments) {
      for (const match of alignment.matches.slice(0, MAX_COLUMNS)) rows.push(this.createMatchRow(alignment, match));
    }
    const headings = ["System", "Matcher", "Hypothesis", "Reference"].map((text) =>
      createElement("th", { scope: "col" }, text),
    );
    headings.push(createElement("th", { scope: "col", class: "numeric" }, "Chunk"));
    const table = createElement(
      "table",
      null,
      createElement("thead", null, createElement("tr", null, headings)),
      createElement("tbody", null, rows),
    );
    return createElement(
      "details",
      { class: "match-table" },
      createElement("summary", null, `Matches as a table (${rows.length})`),
      createElement("div", { class: "scrollable", tabindex: "0", role: "region", "aria-label": "Matches" }, table),
    );
  }

  createMatchRow(alignment, match) {
    const systemName = createHiddenText(this.report.systems[alignment.system].name);
    const hypothesisWords = getHypothesisWords(match).map((index) => alignment.hypothesis[index]);
    const referenceWords = getReferenceWords(match).map((index) => alignment.reference[index]);
    return createElement(
      "tr",
      null,
      createElement("td", null, createSystemBadge(alignment.system), systemName),
      createElement("td", null, createMatcherIcon(match.matcher), ` ${this.report.matchers[match.matcher]}`),
      createWordsCell(hypothesisWords),
      createWordsCell(referenceWords),
      createElement("td", { class: "numeric" }, String(match.chunk)),
    );
  }

  /** Create the raw hypotheses and references. */
  createTexts(segment, systems, alignments) {
    const list = createElement("dl");
    for (const system of systems) {
      const { hypotheses } = this.report.systems[system];
      list.append(...createTextEntry(this.createSystemLabel(system), hypotheses[segment]));
    }
    const references = this.report.references[segment];
    references.forEach((text, referenceIndex) => {
      const hasSeveralReferences = references.length > 1;
      const name = hasSeveralReferences
        ? [`Reference ${referenceIndex + 1}`, " ", ...createReferenceBadges(referenceIndex, alignments)]
        : ["Reference"];
      list.append(...createTextEntry(name, text));
    });
    const summary = createElement("summary", null, "Texts as given");
    return createElement("details", { class: "raw-texts", open: true }, summary, list);
  }
}

/** Return whether all alignments have the same reference. Each hypothesis is aligned with its best reference. */
function haveSameReference(alignments) {
  return alignments.every((alignment) => alignment.referenceIndex === alignments[0].referenceIndex);
}

/**
 * Create the row of a score table.
 *
 * @param {*} name - content of the first cell.
 * @param {number[]} values - values of one or two systems.
 * @param {number} decimals - number of decimals.
 * @param {number} preference - 1 if higher values are better, -1 if lower values are better. The default 0 means that
 *     neither is better, so the difference is not colored.
 * @returns {HTMLElement}
 */
function createScoreRow(name, values, decimals, preference = 0) {
  const cells = values.map((value) => createElement("td", { class: "numeric" }, formatNumber(value, decimals)));
  if (values.length > 1) {
    const difference = values[1] - values[0];
    const isZero = Math.abs(difference) < 0.5 * 10 ** -decimals;
    const gain = isZero ? 0 : difference * preference;
    const classes = ["numeric"];
    if (gain > 0) classes.push("better");
    if (gain < 0) classes.push("worse");
    cells.push(createElement("td", { class: classes.join(" ") }, formatSigned(difference, decimals)));
  }
  return createElement("tr", null, createElement("th", { scope: "row" }, name), cells);
}

/** Create an explanation, whose text consists of a summary and further lines. */
function createExplanation(text) {
  const [summary, ...reasons] = text.split("\n").map((line) => createIsolatedText(line.trim()));
  return createElement(
    "div",
    { class: "explanation" },
    createElement("p", null, summary),
    createElement("ul", null, reasons.map((reason) => createElement("li", null, reason))),
  );
}

function createWordsCell(words) {
  const text = makeVisible(truncate(joinWords(words), MAX_MATCH_LENGTH));
  return createElement("td", null, createElement("bdi", { dir: "auto" }, text));
}

/** Create the badges of the systems that are scored against a reference. */
function createReferenceBadges(referenceIndex, alignments) {
  const scoredAlignments = alignments.filter((alignment) => alignment.referenceIndex === referenceIndex);
  return scoredAlignments.map((alignment) => createSystemBadge(alignment.system));
}

function createTextEntry(name, text) {
  return [createElement("dt", null, name), createElement("dd", { dir: "auto" }, createExpandableText(text))];
}

// The aligned lines: hypothesis over reference, and under it the second hypothesis. Words that match stand in one
// column as far as the order of the words lets them; the others carry the number of their chunk.

// The heaviest matches that do not cross: these share columns.
function straight(matches) {
  // A Fenwick tree over the ends in the hypothesis knows the heaviest chain that ends before a word.
  const size = matches.reduce((most, match) => Math.max(most, match.hypothesisStart + match.hypothesisLength), 0) + 1;
  const tree = new Int32Array(size + 1).fill(-1);
  const weights = new Int32Array(matches.length);
  const before = new Int32Array(matches.length).fill(-1);
  const weightOf = (at) => (at < 0 ? 0 : weights[at]);
  let heaviest = -1;
  matches.forEach((match, at) => {
    let chain = -1;
    for (let place = match.hypothesisStart + 1; place > 0; place -= place & -place) {
      if (weightOf(tree[place]) > weightOf(chain)) chain = tree[place];
    }
    before[at] = chain;
    weights[at] = weightOf(chain) + match.length + match.hypothesisLength;
    if (weights[at] > weightOf(heaviest)) heaviest = at;
    for (let place = match.hypothesisStart + match.hypothesisLength + 1; place <= size; place += place & -place) {
      if (weights[at] > weightOf(tree[place])) tree[place] = at;
    }
  });
  const chain = [];
  for (let at = heaviest; at >= 0; at = before[at]) chain.push(matches[at]);
  return chain.reverse();
}

const range = (start, length) => Array.from({ length }, (_, at) => start + at);

// Columns of the lines: indexes of the words of the reference, and of each hypothesis.
// The alignments must be with one reference.
function columns(alignments) {
  const words = alignments[0].reference.length;
  const chains = alignments.map((alignment) => straight(alignment.matches));
  // Reference words that a straight match holds together stay in one column.
  const joined = new Array(words + 1).fill(false);
  for (const match of chains.flat()) {
    for (let at = match.start + 1; at < match.start + match.length; at++) joined[at] = true;
  }
  const blocks = [];
  for (let at = 0; at < words; at++) {
    if (at && joined[at]) blocks.at(-1).reference.push(at);
    else blocks.push({ reference: [at], hypotheses: alignments.map(() => []), anchored: alignments.map(() => []) });
  }
  const blockOf = [];
  blocks.forEach((block, number) => block.reference.forEach((at) => (blockOf[at] = number)));
  // Words that no straight match holds go into the free columns of their gap, the rest into columns of their own.
  const extra = new Map();
  alignments.forEach((alignment, line) => {
    let block = 0;
    let next = 0;
    const close = (endBlock, endWord) => {
      let place = block;
      for (; next < endWord; next++) {
        if (place < endBlock) blocks[place++].hypotheses[line].push(next);
        else {
          if (!extra.has(endBlock)) extra.set(endBlock, alignments.map(() => []));
          extra.get(endBlock)[line].push(next);
        }
      }
    };
    for (const match of chains[line]) {
      const target = blockOf[match.start];
      close(Math.max(block, target), match.hypothesisStart);
      const own = blocks[target];
      own.hypotheses[line].push(...range(match.hypothesisStart, match.hypothesisLength));
      own.anchored[line].push(match);
      next = match.hypothesisStart + match.hypothesisLength;
      block = target + 1;
    }
    close(blocks.length, alignment.hypothesis.length);
  });
  const result = [];
  for (let at = 0; at <= blocks.length; at++) {
    const words = extra.get(at) || [];
    for (let row = 0; row < Math.max(0, ...words.map((line) => line.length)); row++) {
      result.push({
        reference: [],
        hypotheses: words.map((line) => line.slice(row, row + 1)),
        anchored: words.map(() => []),
      });
    }
    if (at < blocks.length) result.push(blocks[at]);
  }
  return result;
}

// Which match holds each word of a side.
function matchOf(alignment, side) {
  const found = [];
  for (const match of alignment.matches) {
    const [start, length] =
      side === "reference" ? [match.start, match.length] : [match.hypothesisStart, match.hypothesisLength];
    for (let at = start; at < start + length; at++) found[at] = match;
  }
  return found;
}

const MOST_WORDS = 400;

// Draw alignments with one reference: one over it, a second one under it.
function alignedLines(alignments, report, { all = false } = {}) {
  const lines = alignments.map((alignment) => ({
    alignment,
    hypothesis: matchOf(alignment, "hypothesis"),
    reference: matchOf(alignment, "reference"),
  }));
  const { reference } = alignments[0];
  const root = element("div", { class: `lines lines-${alignments.length}`, dir: direction(reference.map((word) => word.text)) });
  const spoken = alignments.map(
    (alignment) =>
      `Hypothesis of ${report.systems[alignment.system].name}: ${alignment.hypothesis.map((word) => word.text).join(" ")}.`,
  );
  spoken.push(`Reference: ${reference.map((word) => word.text).join(" ")}.`);
  const label = element("p", { class: "hidden" }, visible(cut(spoken.join(" "), LONG_TEXT)));
  const found = columns(alignments);
  const shown = all ? found : found.slice(0, MOST_WORDS);

  // Word 'at' of a line, with the match that holds it (if any).
  const wordNode = (word, match, line) =>
    element(
      "bdi",
      {
        class: `word${match ? ` matched ${matcherClass(match.matcher)}` : ""}${word.functional ? " functional" : ""}`,
        "data-match": match && `${line}-${match.number}`,
        title: match ? `${report.matchers[match.matcher]}, chunk ${match.chunk}` : "no match",
      },
      visible(cut(word.text, 60)),
    );
  const tag = (match, name) =>
    element("span", { class: `tag ${name} ${matcherClass(match.matcher)}` }, shape(match.matcher), String(match.chunk));
  const drawn = alignments.map(() => 0); // words of each hypothesis that are drawn
  const chunkBar = (line, words) => {
    const held = lines[line].hypothesis;
    const before = held[drawn[line] - 1];
    drawn[line] += words.length;
    const after = held[drawn[line]];
    const match = words.map((at) => held[at]).find(Boolean);
    if (!match) {
      // A chunk can go on over a column that only the other hypothesis needs.
      const inside = !words.length && before && after && before.chunk === after.chunk;
      return element("span", { class: inside ? "chunk on" : "chunk" });
    }
    const begins = !before || before.chunk !== match.chunk;
    const ends = !after || after.chunk !== match.chunk;
    return element(
      "span",
      { class: `chunk on${begins ? " begins" : ""}${ends ? " ends" : ""}` },
      begins ? String(match.chunk) : "",
    );
  };
  const link = (line, column) => {
    const [anchor] = column.anchored[line];
    if (anchor) return element("span", { class: `link ${matcherClass(anchor.matcher)}` }, shape(anchor.matcher));
    const above = column.hypotheses[line].map((at) => lines[line].hypothesis[at]).find(Boolean);
    const below = column.reference.map((at) => lines[line].reference[at]).find(Boolean);
    const tags = [above ? tag(above, "of-hypothesis") : element("span"), below ? tag(below, "of-reference") : element("span")];
    return element("span", { class: "link apart" }, line ? tags.reverse() : tags);
  };
  for (const column of shown) {
    const hypothesis = (line) =>
      element(
        "span",
        { class: "place" },
        column.hypotheses[line].map((at) =>
          wordNode(alignments[line].hypothesis[at], lines[line].hypothesis[at], line),
        ),
      );
    const bar = (line) => chunkBar(line, column.hypotheses[line]);
    const middle = element(
      "span",
      { class: "place reference" },
      column.reference.map((at) => {
        const first = lines[0].reference[at];
        const second = lines[1] && lines[1].reference[at];
        const node = wordNode(reference[at], first || second, first ? 0 : 1);
        if (first && second) node.dataset.other = `1-${second.number}`;
        return node;
      }),
    );
    const parts = [bar(0), hypothesis(0), link(0, column), middle];
    if (lines[1]) parts.push(link(1, column), hypothesis(1), bar(1));
    root.append(element("span", { class: "column", "aria-hidden": "true" }, parts));
  }
  // What belongs together lights up together.
  const light = (event, on) => {
    const word = event.target.closest("[data-match]");
    if (!word) return;
    const keys = [word.dataset.match, word.dataset.other].filter(Boolean);
    for (const other of root.querySelectorAll("[data-match]")) {
      if (keys.includes(other.dataset.match) || keys.includes(other.dataset.other)) other.classList.toggle("hot", on);
    }
  };
  root.addEventListener("pointerover", (event) => light(event, true));
  root.addEventListener("pointerout", (event) => light(event, false));
  const parts = [label, root];
  if (shown.length < found.length) {
    const more = element("button", { type: "button", class: "quiet" }, `Show all ${plural(found.length, "column")}`);
    const whole = element("div", null, ...parts, more);
    more.addEventListener("click", () => whole.replaceChildren(...alignedLines(alignments, report, { all: true })));
    return [whole];
  }
  return parts;
}

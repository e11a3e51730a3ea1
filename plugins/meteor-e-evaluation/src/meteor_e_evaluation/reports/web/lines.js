// Aligned lines: a hypothesis over its reference. Words that match stand in one column, and the columns of a chunk in
// one box, which is never cut apart: lines wrap between boxes, and a box that is wider than the line wraps inside.
// A chunk that crosses others has two boxes, one on each side, with its number.

// The chunks of an alignment, in the order of the reference.
function chunksOf(alignment) {
  const chunks = [];
  for (const match of alignment.matches) {
    if (chunks.length < match.chunk) {
      const { start, hypothesisStart } = match;
      chunks.push({ number: match.chunk, start, length: 0, hypothesisStart, hypothesisLength: 0, matches: [] });
    }
    const chunk = chunks.at(-1);
    chunk.length += match.length;
    chunk.hypothesisLength += match.hypothesisLength;
    chunk.matches.push(match);
  }
  return chunks;
}

// The heaviest chunks that do not cross: these have both sides in one box.
function straight(chunks) {
  // A Fenwick tree over the ends in the hypothesis knows the heaviest chain that ends before a word.
  const size = chunks.reduce((most, chunk) => Math.max(most, chunk.hypothesisStart + chunk.hypothesisLength), 0) + 1;
  const tree = new Int32Array(size + 1).fill(-1);
  const weights = new Int32Array(chunks.length);
  const before = new Int32Array(chunks.length).fill(-1);
  const weightOf = (at) => (at < 0 ? 0 : weights[at]);
  let heaviest = -1;
  chunks.forEach((chunk, at) => {
    let chain = -1;
    for (let place = chunk.hypothesisStart + 1; place > 0; place -= place & -place) {
      if (weightOf(tree[place]) > weightOf(chain)) chain = tree[place];
    }
    before[at] = chain;
    weights[at] = weightOf(chain) + chunk.length + chunk.hypothesisLength;
    if (weights[at] > weightOf(heaviest)) heaviest = at;
    for (let place = chunk.hypothesisStart + chunk.hypothesisLength + 1; place <= size; place += place & -place) {
      if (weights[at] > weightOf(tree[place])) tree[place] = at;
    }
  });
  const chain = [];
  for (let at = heaviest; at >= 0; at = before[at]) chain.push(chunks[at]);
  return chain.reverse();
}

const range = (start, length) => Array.from({ length }, (_, at) => start + at);

// What stands beside one another: boxes of chunks, with a chunk's number, and single columns of words without a match.
// Each has columns of [words of the hypothesis, words of the reference, match].
function unitsOf(alignment) {
  const chunks = chunksOf(alignment);
  const holders = [[], []];
  for (const chunk of chunks) {
    for (const at of range(chunk.hypothesisStart, chunk.hypothesisLength)) holders[0][at] = chunk;
    for (const at of range(chunk.start, chunk.length)) holders[1][at] = chunk;
  }
  const units = [];
  const next = [0, 0];
  const gap = (ends) => {
    while (next[0] < ends[0] || next[1] < ends[1]) {
      const side = [0, 1].find((side) => next[side] < ends[side] && holders[side][next[side]]);
      if (side === undefined) {
        const words = [0, 1].map((side) => (next[side] < ends[side] ? [next[side]++] : []));
        units.push({ columns: [[...words, null]] });
        continue;
      }
      const chunk = holders[side][next[side]];
      const columns = chunk.matches.map((match) =>
        side ? [[], range(match.start, match.length), match] : [range(match.hypothesisStart, match.hypothesisLength), [], match],
      );
      units.push({ chunk: chunk.number, moved: side ? "reference" : "hypothesis", columns });
      next[side] += side ? chunk.length : chunk.hypothesisLength;
    }
  };
  for (const chunk of straight(chunks)) {
    gap([chunk.hypothesisStart, chunk.start]);
    const columns = chunk.matches.map((match) => [
      range(match.hypothesisStart, match.hypothesisLength),
      range(match.start, match.length),
      match,
    ]);
    units.push({ chunk: chunk.number, columns });
    next[0] = chunk.hypothesisStart + chunk.hypothesisLength;
    next[1] = chunk.start + chunk.length;
  }
  gap([alignment.hypothesis.length, alignment.reference.length]);
  return units;
}

const MOST_COLUMNS = 400;

// Draw an alignment, or as much of it as has room.
function alignedLines(alignment, report, { all = false } = {}) {
  const { hypothesis, reference } = alignment;
  const units = unitsOf(alignment);
  const columns = units.reduce((sum, unit) => sum + unit.columns.length, 0);
  const texts = (side) => side.map((word) => word.text);
  const root = element("div", { class: "lines", dir: direction(texts(reference)) });
  const spoken = `Hypothesis of ${report.systems[alignment.system].name}: ${texts(hypothesis).join(" ")}. Reference: ${texts(reference).join(" ")}.`;
  const label = element("p", { class: "hidden" }, visible(cut(spoken, LONG_TEXT)));
  const word = (side, at, match) => {
    const about = match ? `${report.matchers[match.matcher]}, chunk ${match.chunk}` : "no match";
    return element(
      "bdi",
      {
        class: `word${match ? ` matched ${matcherClass(match.matcher)}` : ""}${side[at].functional ? " functional" : ""}`,
        "data-match": match && match.number,
        "data-reference": side === reference ? at : undefined,
        title: about,
      },
      visible(cut(side[at].text, 60)),
    );
  };
  const column = ([above, below, match]) =>
    element(
      "span",
      { class: "column" },
      element("span", { class: "place" }, above.map((at) => word(hypothesis, at, match))),
      element("span", { class: `link${match ? ` ${matcherClass(match.matcher)}` : ""}` }, match ? shape(match.matcher) : null),
      element("span", { class: "place reference" }, below.map((at) => word(reference, at, match))),
    );
  let room = all ? Infinity : MOST_COLUMNS;
  for (const unit of units) {
    if (room <= 0) break;
    const shown = unit.columns.slice(0, room).map(column);
    room -= shown.length;
    const number = unit.chunk && element("span", { class: "number" }, String(unit.chunk));
    const kind = unit.chunk ? ` chunk${unit.moved ? ` moved in-${unit.moved}` : ""}` : "";
    const title = unit.moved ? `chunk ${unit.chunk}, elsewhere in the ${unit.moved === "hypothesis" ? "reference" : "hypothesis"}` : undefined;
    root.append(element("span", { class: `unit${kind}`, "aria-hidden": "true", title }, number, shown));
  }
  const parts = [label, root];
  if (columns > MOST_COLUMNS && !all) {
    const more = element("button", { type: "button", class: "quiet" }, `Show all ${plural(columns, "column")}`);
    const whole = element("div", null, ...parts, more);
    more.addEventListener("click", () => whole.replaceChildren(...alignedLines(alignment, report, { all: true })));
    return [whole];
  }
  return parts;
}

// What belongs together lights up together: a match, and a word of the reference in the lanes of both systems.
function lightUp(lanes) {
  const light = (event, on) => {
    const word = event.target.closest(".word");
    if (!word) return;
    const own = word.closest(".lines");
    for (const lines of lanes.querySelectorAll(".lines")) {
      const key = lines === own ? "match" : "reference";
      if (word.dataset[key] === undefined) continue;
      for (const other of lines.querySelectorAll(`[data-${key}="${word.dataset[key]}"]`)) other.classList.toggle("hot", on);
    }
    word.classList.toggle("hot", on);
  };
  lanes.addEventListener("pointerover", (event) => light(event, true));
  lanes.addEventListener("pointerout", (event) => light(event, false));
}

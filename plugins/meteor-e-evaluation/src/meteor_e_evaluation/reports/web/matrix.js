// The alignment matrix: the words of the reference across, those of the hypothesis down. Words stay in sight when it is
// scrolled. Two systems are overlaid in two lanes: words that both hypotheses share have one row, the left lane of a
// column is the first system's, the right lane the second's, and a line joins the cells of a chunk.

const CELL = 22;
const LANE = 15;
const MOST_CELLS = 150;
const MOST_LETTERS = 18;

// Merge two lists of words along their longest common subsequence: rows of [index in the first, index in the second].
function merged(first, second) {
  const width = second.length + 1;
  const longest = new Uint16Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        first[i].text === second[j].text
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const rows = [];
  let i = 0;
  let j = 0;
  while (i < first.length || j < second.length) {
    if (i < first.length && j < second.length && first[i].text === second[j].text) rows.push([i++, j++]);
    else if (j >= second.length || (i < first.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
      rows.push([i++, -1]);
    } else rows.push([-1, j++]);
  }
  return rows;
}

function matrix(alignments, report) {
  const { reference } = alignments[0];
  const sizes = [reference, ...alignments.map((alignment) => alignment.hypothesis)].map((side) => side.length);
  if (Math.max(...sizes) > MOST_CELLS) {
    return element("p", { class: "note" }, `A matrix has room for ${MOST_CELLS} words a side; this segment has up to ${Math.max(...sizes).toLocaleString("en")}.`);
  }
  if (Math.min(...sizes) === 0) return element("p", { class: "note" }, "A side is empty; there is nothing to align.");
  const two = alignments.length > 1;
  const rows = two ? merged(alignments[0].hypothesis, alignments[1].hypothesis) : alignments[0].hypothesis.map((_, at) => [at]);
  const mirrored = direction(reference.map((word) => word.text)) === "rtl";
  const step = two ? 2 * LANE : CELL;
  const longest = (words) => Math.min(MOST_LETTERS, Math.max(...words.map((word) => [...word.text].length)));
  const rowWord = (row) => (row[0] >= 0 ? alignments[0].hypothesis[row[0]] : alignments[1].hypothesis[row[1]]);
  const side = 16 + 7.4 * longest(rows.map(rowWord)) + (two ? 34 : 0);
  const top = 18 + 6.4 * longest(reference);
  const width = reference.length * step;
  const height = rows.length * CELL;
  const whole = width + 6.4 * longest(reference.slice(-4)) * 0.6;
  const column = (at) => (mirrored ? reference.length - 1 - at : at);
  const picture = (name, x, y, wide, high, attributes) =>
    drawing("svg", { class: name, width: wide, height: high, viewBox: `${x} ${y} ${wide} ${high}`, ...attributes });
  const about = `Alignment matrix of ${alignments.map((one) => report.systems[one.system].name).join(" and ")}: ${alignments
    .map((one) => `${plural(one.matches.length, "match", "matches")} in ${plural(one.chunks, "chunk")}`)
    .join("; ")}. The table of matches says the same in words.`;
  const body = picture("cells", 0, 0, whole, height + 4, { role: "img", "aria-label": visible(about) });
  const grid = drawing("g", { class: "grid" });
  for (let at = 0; at <= reference.length; at++) grid.append(drawing("path", { d: `M${at * step} 0V${height}` }));
  for (let at = 0; at <= rows.length; at++) grid.append(drawing("path", { d: `M0 ${at * CELL}H${width}` }));
  body.append(grid);

  const label = (word, attributes) =>
    drawing("text", { ...attributes, class: `label${word.functional ? " functional" : ""}` }, visible(cut(word.text, MOST_LETTERS)));
  const columnLabels = reference.map((word, at) =>
    label(word, { transform: `translate(${column(at) * step + step / 2 + 4} -7) rotate(-60)`, "data-column": at }),
  );
  const heads = picture("heads", 0, -top, whole, top, { "aria-hidden": "true" });
  heads.append(...columnLabels);
  const rowLabels = rows.map((row, at) => {
    const y = at * CELL + CELL / 2;
    const group = drawing("g", { "data-row": at }, label(rowWord(row), { x: -8, y, "text-anchor": "end", "dominant-baseline": "central" }));
    if (two) {
      row.forEach((index, line) => {
        if (index < 0) return;
        const { system } = alignments[line];
        const attributes = { class: `owner s${system % SYSTEM_STYLES}`, x: 10 - side + line * 14, y, "text-anchor": "middle", "dominant-baseline": "central" };
        group.append(drawing("text", attributes, letter(system)));
      });
    }
    return group;
  });
  const stubs = picture("stubs", -side, 0, side, height + 4, { "aria-hidden": "true" });
  stubs.append(...rowLabels);

  alignments.forEach((alignment, line) => {
    const wide = two ? LANE : CELL;
    const rowOf = [];
    rows.forEach((row, at) => row[line] >= 0 && (rowOf[row[line]] = at));
    const middle = (other, at) => `${column(other) * step + line * LANE + wide / 2} ${rowOf[at] * CELL + CELL / 2}`;
    const marks = drawing("g");
    for (const match of alignment.matches) {
      const held = range(match.hypothesisStart, match.hypothesisLength);
      const others = range(match.start, match.length);
      const words = [held.map((at) => alignment.hypothesis[at].text), others.map((at) => reference[at].text)].map((side) => side.join(" "));
      const who = two ? `${letter(alignment.system)}: ` : "";
      const title = visible(`${who}${words[0]} – ${words[1]} (${report.matchers[match.matcher]}, chunk ${match.chunk})`);
      const tiles = drawing("g", { class: `match ${matcherClass(match.matcher)}` });
      const shapes = drawing("g", { class: `match ${matcherClass(match.matcher)}` }, drawing("title", null, title));
      for (const at of held) {
        for (const other of others) {
          const x = column(other) * step + line * LANE;
          const y = rowOf[at] * CELL;
          tiles.append(drawing("rect", { x: x + 0.5, y: y + 0.5, width: wide - 1, height: CELL - 1 }));
          shapes.append(shapeAt(match.matcher, x + wide / 2, y + CELL / 2, two ? 9 : 11));
        }
      }
      body.append(tiles);
      marks.append(shapes);
    }
    for (const chunk of chunksOf(alignment)) {
      const title = drawing("title", null, `${two ? `${letter(alignment.system)}, ` : ""}chunk ${chunk.number}`);
      if (two) {
        const stops = chunk.matches.flatMap((match) => [
          middle(match.start, match.hypothesisStart),
          middle(match.start + match.length - 1, match.hypothesisStart + match.hypothesisLength - 1),
        ]);
        body.append(drawing("path", { class: `track s${alignment.system % SYSTEM_STYLES}${line ? " second" : ""}`, d: `M${stops.join("L")}` }, title));
        continue;
      }
      const ends = [column(chunk.start), column(chunk.start + chunk.length - 1)];
      const rowsOf = range(chunk.hypothesisStart, chunk.hypothesisLength).map((at) => rowOf[at]);
      const frame = {
        class: "frame",
        x: Math.min(...ends) * step - 1.5,
        y: Math.min(...rowsOf) * CELL - 1.5,
        width: chunk.length * step + 3,
        height: chunk.hypothesisLength * CELL + 3,
        rx: 5,
      };
      marks.append(drawing("rect", frame, title));
    }
    body.append(marks);
  });
  // The words of the cell under the pointer.
  body.addEventListener("pointermove", (event) => {
    const bounds = body.getBoundingClientRect();
    const across = Math.floor((event.clientX - bounds.left) / step);
    const down = Math.floor((event.clientY - bounds.top) / CELL);
    columnLabels.forEach((node, at) => node.classList.toggle("hot", column(at) === across));
    rowLabels.forEach((node, at) => node.classList.toggle("hot", at === down));
  });
  body.addEventListener("pointerleave", () => [...columnLabels, ...rowLabels].forEach((node) => node.classList.remove("hot")));
  const name = `Alignment matrix of ${alignments.map((alignment) => letter(alignment.system)).join(" and ")}`;
  const scroller = element(
    "div",
    { class: "scroll matrix", tabindex: "0", role: "region", "aria-label": name },
    element("div", { class: "corner" }),
    heads,
    stubs,
    body,
  );
  return element("div", { class: "matrix-holder" }, element("div", null, scroller), matrixLegend(alignments, report));
}

function matrixLegend(alignments, report) {
  const used = new Set(alignments.flatMap((alignment) => alignment.matches.map((match) => match.matcher)));
  const lane = (alignment, line) =>
    element(
      "li",
      null,
      drawing("svg", { class: "lane", width: 24, height: 12, "aria-hidden": "true" }, drawing("path", { class: `track s${alignment.system % SYSTEM_STYLES}${line ? " second" : ""}`, d: "M2 6H22" })),
      ` chunk of `,
      badge(alignment.system),
      ` ${line ? "right" : "left"} lane`,
    );
  const frame = drawing("svg", { class: "lane", width: 24, height: 14, "aria-hidden": "true" }, drawing("rect", { class: "frame", x: 2, y: 2, width: 20, height: 10, rx: 4 }));
  return element(
    "ul",
    { class: "legend" },
    report.matchers.map((name, matcher) => (used.has(matcher) ? element("li", null, shape(matcher), ` ${name}`) : null)),
    alignments.length > 1 ? alignments.map(lane) : element("li", null, frame, " chunk"),
    element("li", { class: "functional" }, "function word"),
  );
}

// The alignment matrix: the words of the reference across, those of the hypothesis down. Two systems are overlaid:
// words that both hypotheses share have one row, and a cell's first half is the first system's.

const CELL = 22;
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

function matrixRows(alignments) {
  const [one, other] = alignments;
  if (other) return merged(one.hypothesis, other.hypothesis);
  return one.hypothesis.map((_, at) => [at]);
}

function matrix(alignments, report) {
  const { reference } = alignments[0];
  const sizes = [reference, ...alignments.map((alignment) => alignment.hypothesis)].map((side) => side.length);
  if (Math.max(...sizes) > MOST_CELLS) {
    return element("p", { class: "note" }, `A matrix has room for ${MOST_CELLS} words a side; this segment has up to ${Math.max(...sizes).toLocaleString("en")}.`);
  }
  if (Math.min(...sizes) === 0) return element("p", { class: "note" }, "A side is empty; there is nothing to align.");
  const rows = matrixRows(alignments);
  const mirrored = direction(reference.map((word) => word.text)) === "rtl";
  const longest = (words) => Math.min(MOST_LETTERS, Math.max(...words.map((word) => [...word.text].length)));
  const rowWord = (row) => alignments[row[0] >= 0 ? 0 : 1].hypothesis[Math.max(...row.slice(row[0] >= 0 ? 0 : 1, row[0] >= 0 ? 1 : 2))];
  const side = 14 + 7.2 * longest(rows.map(rowWord)) + (alignments.length > 1 ? 26 : 0);
  const top = 16 + 6.2 * longest(reference);
  const width = reference.length * CELL;
  const height = rows.length * CELL;
  const overhang = 6.2 * longest(reference.slice(-4)) * 0.6;
  const column = (at) => (mirrored ? reference.length - 1 - at : at);
  const labelX = -8;
  const names = alignments.map((alignment) => report.systems[alignment.system].name);
  const about = `Alignment matrix of ${names.join(" and ")}: ${alignments
    .map((alignment) => `${plural(alignment.matches.length, "match", "matches")} in ${plural(alignment.chunks, "chunk")}`)
    .join("; ")}. The table of matches says the same in words.`;
  const picture = drawing("svg", {
    class: "matrix",
    width: side + width + overhang,
    height: top + height + 4,
    viewBox: `${-side} ${-top} ${side + width + overhang} ${top + height + 4}`,
    role: "img",
    "aria-label": about,
  });
  const grid = drawing("g", { class: "grid" });
  for (let at = 0; at <= reference.length; at++) grid.append(drawing("path", { d: `M${at * CELL} 0V${height}` }));
  for (let at = 0; at <= rows.length; at++) grid.append(drawing("path", { d: `M0 ${at * CELL}H${width}` }));
  picture.append(grid);

  const label = (word, attributes) =>
    drawing("text", { ...attributes, class: `label${word.functional ? " functional" : ""}` }, visible(cut(word.text, MOST_LETTERS)));
  const columnLabels = reference.map((word, at) => {
    const x = column(at) * CELL + CELL / 2 + 4;
    return label(word, { transform: `translate(${x} -7) rotate(-60)`, "data-column": at });
  });
  const rowLabels = rows.map((row, at) => {
    const word = rowWord(row);
    const y = at * CELL + CELL / 2;
    const group = drawing("g", { "data-row": at }, label(word, { x: labelX, y, "text-anchor": "end", "dominant-baseline": "central" }));
    if (alignments.length > 1) {
      row.forEach((index, line) => {
        if (index < 0) return;
        const { system } = alignments[line];
        const x = -side + 8 + line * 12;
        group.append(drawing("text", { class: `owner s${system % SYSTEM_STYLES}`, x, y, "text-anchor": "middle", "dominant-baseline": "central" }, letter(system)));
      });
    }
    return group;
  });
  picture.append(...columnLabels, ...rowLabels);

  const share = CELL / alignments.length;
  alignments.forEach((alignment, line) => {
    const rowOf = [];
    rows.forEach((row, at) => row[line] >= 0 && (rowOf[row[line]] = at));
    const chunks = new Map();
    for (const match of alignment.matches) {
      const held = range(match.hypothesisStart, match.hypothesisLength);
      const words = [
        held.map((at) => alignment.hypothesis[at].text).join(" "),
        reference.slice(match.start, match.start + match.length).map((word) => word.text).join(" "),
      ];
      const cells = drawing("g", { class: `match ${matcherClass(match.matcher)}` });
      const who = alignments.length > 1 ? `${letter(alignment.system)}: ` : "";
      cells.append(drawing("title", null, visible(`${who}${words[0]} – ${words[1]} (${report.matchers[match.matcher]}, chunk ${match.chunk})`)));
      for (const at of held) {
        for (const other of range(match.start, match.length)) {
          const x = column(other) * CELL + line * share;
          const y = rowOf[at] * CELL;
          cells.append(
            drawing("rect", { x: x + 0.5, y: y + 0.5, width: share - 1, height: CELL - 1 }),
            shapeAt(match.matcher, x + share / 2, y + CELL / 2, alignments.length > 1 ? 8 : 11),
          );
        }
      }
      picture.append(cells);
      const box = chunks.get(match.chunk) || { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
      for (const other of [column(match.start), column(match.start + match.length - 1)]) {
        box.left = Math.min(box.left, other);
        box.right = Math.max(box.right, other + 1);
      }
      for (const at of held) {
        box.top = Math.min(box.top, rowOf[at]);
        box.bottom = Math.max(box.bottom, rowOf[at] + 1);
      }
      chunks.set(match.chunk, box);
    }
    const inset = line * 2.5;
    for (const [chunk, box] of chunks) {
      const frame = {
        x: box.left * CELL - 1.5 + inset,
        y: box.top * CELL - 1.5 + inset,
        width: (box.right - box.left) * CELL + 3 - 2 * inset,
        height: (box.bottom - box.top) * CELL + 3 - 2 * inset,
        rx: 5,
        class: `frame${line ? " second" : ""}`,
      };
      picture.append(drawing("rect", frame, drawing("title", null, `chunk ${chunk}`)));
    }
  });
  // The words of the cell under the pointer.
  picture.addEventListener("pointermove", (event) => {
    const bounds = picture.getBoundingClientRect();
    const across = Math.floor((event.clientX - bounds.left - side) / CELL);
    const down = Math.floor((event.clientY - bounds.top - top) / CELL);
    columnLabels.forEach((node, at) => node.classList.toggle("hot", column(at) === across));
    rowLabels.forEach((node, at) => node.classList.toggle("hot", at === down));
  });
  picture.addEventListener("pointerleave", () => [...columnLabels, ...rowLabels].forEach((node) => node.classList.remove("hot")));
  return element("div", { class: "scroll matrix-holder", tabindex: "0", role: "region", "aria-label": `Alignment matrix of ${alignments.map((alignment) => letter(alignment.system)).join(" and ")}` }, picture);
}

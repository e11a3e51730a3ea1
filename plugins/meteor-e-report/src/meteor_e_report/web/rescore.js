// An edited hypothesis, scored again by `meteor-e serve`: only in reports that were made with --server.

function rescoring(report, segment, systems) {
  const texts = systems.map((system) => report.systems[system].hypotheses[segment]);
  const field = element("textarea", { rows: 3, dir: "auto", "aria-label": "Hypothesis to score" });
  field.value = texts[0];
  const copy = systems.map((system, at) => {
    const button = element("button", { type: "button", class: "quiet", "aria-label": `Take the text of system ${letter(system)}` }, badge(system));
    button.addEventListener("click", () => (field.value = texts[at]));
    return button;
  });
  const score = element("button", { type: "button" }, "Score");
  const said = element("p", { class: "note", role: "status" });
  const lanes = element("div", { class: "lanes" });
  let asked = 0;
  score.addEventListener("click", async () => {
    const mine = (asked += 1);
    said.textContent = "…";
    let found;
    try {
      found = await aligned(report, field.value, report.references[segment]);
    } catch (error) {
      found = { error: error.message };
    }
    if (mine !== asked) return;
    lanes.replaceChildren();
    said.textContent = found.error ? visible(`Not scored: ${found.error}`) : found.said;
    if (!found.error) lanes.append(element("div", { class: "lane-of" }, alignedLines(found.alignment, report)));
  });
  const note = `The text is sent to ${report.server.url}, and nowhere else.`;
  return [
    element(
      "details",
      { class: "rescore" },
      element("summary", null, "Edit and score again"),
      element("p", { class: "note" }, visible(note)),
      field,
      element("p", { class: "actions" }, score, copy),
      said,
      lanes,
    ),
  ];
}

// What the server says of a text: a sentence, and the alignment as the report has them.
async function aligned(report, hypothesis, references) {
  const response = await fetch(`${report.server.url}/align`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ segments: [{ hypothesis, references }] }),
  });
  const answer = await response.json();
  if (!response.ok) return { error: answer.error };
  if (answer.signature !== report.server.signature) {
    return { error: `the server has another METEOR (${answer.signature}); start it with the options of this report` };
  }
  const [{ score, parts, reference_index: referenceIndex, alignment }] = answer.segments;
  const functional = new Set([...report.functional].map((id) => report.vocabulary[id].toLowerCase()));
  const words = (side) => side.map((text) => ({ text, functional: functional.has(text.toLowerCase()) }));
  let chunk = 0;
  let last = null;
  const matches = alignment.matches.map((match, at) => {
    const goesOn =
      last &&
      match.reference_start === last.reference_start + last.reference_length &&
      match.hypothesis_start === last.hypothesis_start + last.hypothesis_length;
    chunk += goesOn ? 0 : 1;
    last = match;
    return {
      start: match.reference_start,
      length: match.reference_length,
      hypothesisStart: match.hypothesis_start,
      hypothesisLength: match.hypothesis_length,
      matcher: report.matchers.indexOf(match.matcher),
      chunk,
      number: at,
    };
  });
  const numbers = `precision ${number(parts.precision)}, recall ${number(parts.recall)}, penalty ${number(parts.fragmentation_penalty)}`;
  return {
    said: `METEOR ${number(score)}: ${numbers}; ${plural(matches.length, "match", "matches")} in ${plural(alignment.chunks, "chunk")}`,
    alignment: {
      system: 0,
      edited: true,
      referenceIndex,
      hypothesis: words(alignment.hypothesis),
      reference: words(alignment.reference),
      matches,
      chunks: alignment.chunks,
    },
  };
}

// One segment in full.

class SegmentView {
  constructor(root, report, move) {
    this.root = root;
    this.report = report;
    this.move = move;
  }

  show(segment, first, second) {
    const { report, root } = this;
    root.scrollTop = 0;
    root.dataset.segment = segment;
    if (segment < 0) {
      root.replaceChildren(element("p", { class: "note" }, "No segment is chosen."));
      return;
    }
    const systems = second >= 0 ? [first, second] : [first];
    const alignments = systems.map((system) => report.alignment(system, segment));
    // The references may differ, as each hypothesis is scored against its best one.
    const together = alignments.every((alignment) => alignment.referenceIndex === alignments[0].referenceIndex);
    const groups = together ? [alignments] : alignments.map((alignment) => [alignment]);
    const lanes = element("div", { class: "lanes" }, alignments.map((alignment) => this.lane(segment, alignment)));
    if (together) lightUp(lanes);
    else lanes.querySelectorAll(".lane-of").forEach(lightUp);
    root.replaceChildren(
      this.heading(segment, alignments, together),
      this.scores(segment, systems, alignments),
      ...this.explanations(segment, systems),
      element("h4", null, "Aligned lines"),
      element("p", { class: "note" }, "The hypothesis over the reference. A box is a chunk; one with an arrow stands elsewhere on the other side."),
      lanes,
      ...this.remarks(segment, systems),
      element("h4", null, "Alignment matrix"),
      ...groups.flatMap((group) => [together ? null : this.who(group), matrix(group, report)]).filter(Boolean),
      this.table(alignments),
      this.texts(segment, systems, alignments),
    );
    hintAtScrolling(root);
  }

  heading(segment, alignments, together) {
    const { report } = this;
    const count = report.references[segment].length;
    const which = [...new Set(alignments.map((alignment) => alignment.referenceIndex + 1))];
    const reference = count === 1 ? "" : ` · best of ${count} references: ${together ? which[0] : which.join(" and ")}`;
    const step = (by, text, name) => {
      const button = element("button", { type: "button", class: "quiet", "aria-label": name }, text);
      button.addEventListener("click", () => this.move(by));
      return button;
    };
    return element(
      "div",
      { class: "segment-heading" },
      element("h3", null, `Segment ${report.ids[segment]}`),
      element("span", { class: "faint" }, `${plural(report.lengths[segment], "word")}${reference}`),
      element("span", { class: "steps" }, step(-1, "‹", "Previous segment"), step(1, "›", "Next segment")),
    );
  }

  // Two tables with one column per system: the scores of all metrics, and what METEOR is made of.
  scores(segment, systems, alignments) {
    const { report } = this;
    const row = (name, values, digits, better = 0) => {
      const cells = values.map((value) => element("td", { class: "n" }, number(value, digits)));
      if (values.length > 1) {
        const difference = values[1] - values[0];
        const sign = Math.abs(difference) < 0.5 * 10 ** -digits ? 0 : Math.sign(difference) * better;
        cells.push(element("td", { class: `n${sign > 0 ? " better" : sign < 0 ? " worse" : ""}` }, signed(difference, digits)));
      }
      return element("tr", null, element("th", { scope: "row" }, name), cells);
    };
    const table = (title, rows) =>
      element(
        "table",
        { class: "segment-scores" },
        element(
          "thead",
          null,
          element(
            "tr",
            null,
            element("th", { scope: "col" }, title),
            systems.map((system) => element("th", { scope: "col", class: "n" }, badge(system), element("span", { class: "hidden" }, visible(report.systems[system].name)))),
            systems.length > 1 ? element("th", { scope: "col", class: "n" }, "diff.") : null,
          ),
        ),
        element("tbody", null, rows),
      );
    const metrics = report.metrics.map((metric, at) =>
      row(visible(metric.label), systems.map((system) => report.score(system, at, segment)), metric.decimals, metric.higher ? 1 : -1),
    );
    const part = (name, statistic) => row(name, systems.map((system) => report.value(system, statistic, segment)), 4);
    const parts = [
      part("Precision", "precision"),
      part("Recall", "recall"),
      part("Penalty", "fragmentation_penalty"),
      row("Chunks", alignments.map((alignment) => alignment.chunks), 0),
      ...report.matchers.map((name, matcher) =>
        row([shape(matcher), ` ${name}`], systems.map((system) => report.share(system, matcher, segment)), 4),
      ),
    ];
    return element("div", { class: "segment-tables" }, table("Metric", metrics), table("Part of METEOR", parts));
  }

  explanations(segment, systems) {
    if (systems.length < 2) return [];
    return this.report.explanations(segment, ...systems).flatMap(({ label, text }) => [
      element("h4", null, `Why the scores of ${visible(label)} differ`),
      this.why(text.split("\n").map((line) => element("bdi", null, visible(line.trim())))),
    ]);
  }

  // What metrics say of each system.
  remarks(segment, systems) {
    const { report } = this;
    const labels = report.metrics.map((metric) => metric.label);
    const found = systems.flatMap((system) => report.remarks(system, segment).map((remark) => ({ system, ...remark })));
    return labels.flatMap((label) => {
      const own = found.filter((remark) => remark.label === label);
      return own.length ? [element("h4", null, `What ${visible(label)} found`), ...own.map((remark) => this.remark(remark))] : [];
    });
  }

  remark({ system, said }) {
    const who = [badge(system), element("bdi", null, visible(this.report.systems[system].name))];
    return element("div", { class: "why" }, element("p", null, who, " ", element("bdi", null, visible(said))));
  }

  why([said, ...reasons]) {
    return element("div", { class: "why" }, element("p", null, said), element("ul", null, reasons.map((reason) => element("li", null, reason))));
  }

  lane(segment, alignment) {
    const { report } = this;
    const { system, matches, chunks } = alignment;
    const about = `${number(report.score(system, report.meteor, segment))} · ${plural(matches.length, "match", "matches")} in ${plural(chunks, "chunk")}`;
    const name = element("bdi", null, visible(report.systems[system].name));
    return element(
      "div",
      { class: "lane-of" },
      element("p", { class: "who" }, badge(system), name, " ", element("span", { class: "faint" }, about)),
      alignedLines(alignment, report),
    );
  }

  who([alignment]) {
    const name = element("bdi", null, visible(this.report.systems[alignment.system].name));
    return element("p", { class: "who" }, badge(alignment.system), name, ` and reference ${alignment.referenceIndex + 1}`);
  }

  table(alignments) {
    const { report } = this;
    const rows = alignments.flatMap((alignment) =>
      alignment.matches.slice(0, MOST_COLUMNS).map((match) => {
        const words = (side, start, length) =>
          element("td", null, element("bdi", { dir: "auto" }, visible(cut(side.slice(start, start + length).map((word) => word.text).join(" "), 200))));
        return element(
          "tr",
          null,
          element("td", null, badge(alignment.system), element("span", { class: "hidden" }, visible(report.systems[alignment.system].name))),
          element("td", null, shape(match.matcher), ` ${report.matchers[match.matcher]}`),
          words(alignment.hypothesis, match.hypothesisStart, match.hypothesisLength),
          words(alignment.reference, match.start, match.length),
          element("td", { class: "n" }, String(match.chunk)),
        );
      }),
    );
    const heads = ["System", "Matcher", "Hypothesis", "Reference", "Chunk"];
    const head = heads.map((text) => element("th", { scope: "col", class: text === "Chunk" ? "n" : "" }, text));
    return element(
      "details",
      { class: "matches" },
      element("summary", null, `Matches as a table (${rows.length})`),
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Matches" },
        element("table", null, element("thead", null, element("tr", null, head)), element("tbody", null, rows)),
      ),
    );
  }

  texts(segment, systems, alignments) {
    const { report } = this;
    const entry = (name, text) => [element("dt", null, name), element("dd", { dir: "auto" }, longText(text))];
    return element(
      "details",
      { class: "texts", open: true },
      element("summary", null, "Texts as given"),
      element(
        "dl",
        null,
        systems.flatMap((system) => entry([badge(system), element("bdi", null, visible(report.systems[system].name))], report.systems[system].hypotheses[segment])),
        report.references[segment].flatMap((text, at) => {
          const scored = alignments.filter((alignment) => alignment.referenceIndex === at).map((alignment) => badge(alignment.system));
          const name = report.references[segment].length === 1 ? "Reference" : `Reference ${at + 1}`;
          return entry(report.references[segment].length === 1 ? [name] : [name, " ", ...scored], text);
        }),
      ),
    );
  }
}

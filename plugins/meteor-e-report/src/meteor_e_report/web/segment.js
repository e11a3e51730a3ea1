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
    root.replaceChildren(
      this.heading(segment, alignments, together),
      this.scores(segment, systems, alignments),
      this.legend(alignments),
      element("h4", null, "Aligned lines"),
      ...groups.flatMap((group) => [this.who(group, together), ...alignedLines(group, report)]),
      element("h4", null, "Alignment matrix"),
      ...groups.flatMap((group) => [together ? null : this.who(group, together), matrix(group, report)]).filter(Boolean),
      this.table(alignments),
      this.texts(segment, systems, alignments),
    );
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
      element("h3", null, `Segment ${segment + 1}`),
      element("span", { class: "faint" }, `${plural(report.lengths[segment], "word")}${reference}`),
      element("span", { class: "steps" }, step(-1, "‹", "Previous segment"), step(1, "›", "Next segment")),
    );
  }

  scores(segment, systems, alignments) {
    const { report } = this;
    const heads = ["System", "METEOR", "Precision", "Recall", "Penalty", "Chunks", ...report.matchers];
    const best = Math.max(...systems.map((system) => report.value(system, "score", segment))) || 1;
    const rows = systems.map((system, line) => {
      const value = (statistic) => element("td", { class: "n" }, number(report.value(system, statistic, segment)));
      const bar = drawing("svg", { class: "stack thin", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
      let start = 0;
      report.matchers.forEach((_, matcher) => {
        const width = (report.share(system, matcher, segment) / best) * 100;
        bar.append(drawing("rect", { class: matcherClass(matcher), x: start, width, height: 8 }));
        start += width;
      });
      return element(
        "tr",
        null,
        element("th", { scope: "row" }, badge(system), element("bdi", null, visible(report.systems[system].name)), bar),
        value("score"),
        value("precision"),
        value("recall"),
        value("fragmentation_penalty"),
        element("td", { class: "n" }, String(alignments[line].chunks)),
        report.matchers.map((_, matcher) => element("td", { class: "n" }, number(report.share(system, matcher, segment)))),
      );
    });
    const head = heads.map((text, at) =>
      element("th", { scope: "col", class: at ? "n" : "" }, at > 5 ? [shape(at - 6), " "] : [], text),
    );
    return element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scores of the segment" },
      element("table", { class: "segment-scores" }, element("thead", null, element("tr", null, head)), element("tbody", null, rows)),
    );
  }

  legend(alignments) {
    const used = new Set(alignments.flatMap((alignment) => alignment.matches.map((match) => match.matcher)));
    return element(
      "ul",
      { class: "legend" },
      this.report.matchers.map((name, matcher) => (used.has(matcher) ? element("li", null, shape(matcher), ` ${name}`) : null)),
      element("li", null, element("span", { class: "chunk-sample", "aria-hidden": "true" }, "1"), " chunk"),
      element("li", { class: "functional" }, "function word"),
      alignments.length > 1
        ? element("li", { class: "faint" }, "matrix: left half and solid frame ", badge(alignments[0].system), " · right half and dashed frame ", badge(alignments[1].system))
        : null,
    );
  }

  who(group, together) {
    const reference = together ? "reference" : `reference ${group[0].referenceIndex + 1}`;
    const name = (alignment) => [badge(alignment.system), element("bdi", null, visible(this.report.systems[alignment.system].name))];
    const parts = [...name(group[0]), ` above, ${reference} ${group[1] ? "in the middle" : "below"}`];
    if (group[1]) parts.push(", ", ...name(group[1]), " below");
    return element("p", { class: "note who" }, parts);
  }

  table(alignments) {
    const { report } = this;
    const rows = alignments.flatMap((alignment) =>
      alignment.matches.slice(0, MOST_WORDS).map((match) => {
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

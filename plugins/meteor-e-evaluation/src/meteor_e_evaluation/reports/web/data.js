// The data inside the page.

async function unpack() {
  const holder = byId("data");
  const packed = atob(holder.textContent);
  holder.remove();
  const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Report(await new Response(stream).json());
}

class Report {
  constructor(data) {
    Object.assign(this, data);
    this.size = this.references.length;
    this.functional = new Set(this.functionWords);
    this.texts = null;
  }

  value(system, statistic, segment) {
    return this.systems[system][statistic][segment] / this.scale;
  }

  score(system, metric, segment) {
    return this.systems[system].scores[metric][segment] / this.scale;
  }

  // By how much the second system's segment is better than the first one's.
  gain(first, second, metric, segment) {
    const gain = this.score(second, metric, segment) - this.score(first, metric, segment);
    return this.metrics[metric].higher ? gain : -gain;
  }

  // Where a score lies between the ends of its metric's scale, from 0 to 1.
  place(metric, value) {
    const [low, high] = this.metrics[metric].ends;
    return Math.max(0, Math.min(1, (value - low) / (high - low)));
  }

  digits(metric) {
    return Math.max(1, this.metrics[metric].decimals - 1);
  }

  // Why two systems' scores of a segment differ, in the words of the metrics that can say.
  explanations(segment, first, second) {
    return this.metrics.flatMap((metric) =>
      metric.explanations
        .filter((one) => one.segment === segment && one.system === Math.max(first, second) && Math.min(first, second) === 0)
        .map((one) => ({ label: metric.label, text: one.text })),
    );
  }

  // What metrics say of a system's segment.
  remarks(system, segment) {
    return this.metrics.flatMap(({ label, remarks }) => {
      const said = remarks[system]?.[segment];
      return said ? [{ label, said }] : [];
    });
  }

  share(system, matcher, segment) {
    return this.systems[system].shares[segment][matcher] / this.scale;
  }

  // What to search in, in lower case: all texts of a segment.
  searchable() {
    this.texts ||= this.references.map((references, segment) =>
      [...references, ...this.systems.map((system) => system.hypotheses[segment])].join("\n").toLowerCase(),
    );
    return this.texts;
  }

  // The alignment of a system's segment with its best reference: words, matches, and the chunk of each match.
  alignment(system, segment) {
    const output = this.systems[system];
    const reference = output.references[segment];
    const word = (id) => ({ text: this.vocabulary[id], functional: this.functional.has(id) });
    const matches = [];
    let chunks = 0;
    let referenceEnd = -1;
    let hypothesisEnd = -1;
    const flat = output.matches[segment];
    for (let at = 0; at < flat.length; at += 5) {
      const [start, length, hypothesisStart, hypothesisLength, matcher] = flat.slice(at, at + 5);
      if (start !== referenceEnd || hypothesisStart !== hypothesisEnd) chunks += 1;
      referenceEnd = start + length;
      hypothesisEnd = hypothesisStart + hypothesisLength;
      matches.push({ start, length, hypothesisStart, hypothesisLength, matcher, chunk: chunks, number: matches.length });
    }
    return {
      system,
      segment,
      referenceIndex: reference,
      hypothesis: output.words[segment].map(word),
      reference: this.referenceWords[segment][reference].map(word),
      matches,
      chunks,
    };
  }
}

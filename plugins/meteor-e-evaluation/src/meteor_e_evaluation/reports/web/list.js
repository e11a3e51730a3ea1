// The list of segments: only the rows that can be seen are in the page, however many there are.

// Rows are cards on a narrow screen, as in page.css.
const NARROW = matchMedia("(max-width: 860px)");
const rowHeight = () => (NARROW.matches ? 92 : 64);
const EXCERPT = 160;

class SegmentList {
  // choose: called with the segment that is chosen.
  constructor(root, report, choose) {
    this.report = report;
    this.choose = choose;
    this.root = root;
    this.head = element("div", { class: "list-row list-head", role: "row", "aria-rowindex": "1" });
    this.sizer = element("div", { class: "sizer", role: "presentation" });
    this.scroller = element("div", { class: "scroller", role: "rowgroup", tabindex: "0" }, this.sizer);
    root.append(this.head, this.scroller);
    this.pool = [];
    this.order = [];
    this.selected = -1; // a place in the order
    this.first = 0;
    this.second = -1;
    this.metric = 0;
    NARROW.addEventListener("change", () => {
      this.resize();
      this.select(this.selected, false);
    });
    let waiting = false;
    this.scroller.addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        this.draw();
      });
    });
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    root.addEventListener("keydown", (event) => this.key(event));
    this.sizer.addEventListener("click", (event) => {
      const row = event.target.closest(".list-row");
      if (row) this.select(Number(row.dataset.place));
    });
  }

  // Show segments in an order, from its beginning, or at the segment that was chosen if it is still there.
  show(order, first, second, metric, headings, stay) {
    const segment = stay ? this.order[this.selected] : -1;
    Object.assign(this, { order, first, second, metric });
    this.root.classList.toggle("compared", second >= 0);
    this.root.setAttribute("aria-rowcount", order.length + 1);
    this.root.setAttribute("aria-colcount", headings.length);
    this.head.replaceChildren(...headings);
    const place = order.indexOf(segment);
    this.resize();
    if (place >= 0) {
      this.select(place, false);
    } else {
      this.scroller.scrollTop = 0;
      this.select(order.length ? 0 : -1);
    }
    this.draw();
  }

  // Rows of another height, or of other segments.
  resize() {
    this.sizer.style.height = `${this.order.length * rowHeight()}px`;
    this.pool.forEach((row) => (row.dataset.place = "-1"));
  }

  select(place, announce = true) {
    this.selected = place;
    if (place >= 0) {
      const top = place * rowHeight();
      const bottom = top + rowHeight() - this.scroller.clientHeight;
      if (this.scroller.scrollTop > top) this.scroller.scrollTop = top;
      else if (this.scroller.scrollTop < bottom) this.scroller.scrollTop = bottom;
    }
    this.draw();
    if (announce) this.choose(place >= 0 ? this.order[place] : -1);
  }

  move(by) {
    if (this.order.length) this.select(Math.max(0, Math.min(this.order.length - 1, this.selected + by)));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("button")) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / rowHeight()) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      event.preventDefault();
      this.move(steps[event.key]);
    }
  }

  draw() {
    const visibleRows = Math.ceil(this.scroller.clientHeight / rowHeight()) + 4;
    const start = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight()) - 2);
    const wanted = Math.max(0, Math.min(visibleRows, this.order.length - start));
    while (this.pool.length < wanted) {
      this.pool.push(this.newRow());
    }
    this.pool.forEach((row, at) => {
      row.hidden = at >= wanted;
    });
    let active = null;
    for (let place = start; place < start + wanted; place++) {
      const row = this.pool[place % this.pool.length];
      row.hidden = false;
      if (Number(row.dataset.place) !== place) this.fillRow(row, place);
      const chosen = place === this.selected;
      row.setAttribute("aria-selected", String(chosen));
      if (chosen) active = row.id;
    }
    // Rows of the pool that stand for no place in sight.
    this.pool.forEach((row) => {
      const place = Number(row.dataset.place);
      if (place < start || place >= start + wanted) row.hidden = true;
    });
    if (active) this.root.setAttribute("aria-activedescendant", active);
    else this.root.removeAttribute("aria-activedescendant");
  }

  newRow() {
    const cell = (name) => element("span", { role: "gridcell", class: name });
    const row = element(
      "div",
      { class: "list-row", role: "row", id: `row-${this.pool.length}`, "data-place": "-1" },
      ["at n", "words n", "first n", "second n", "difference n"].map(cell),
      element("bdi", { role: "gridcell", class: "excerpt", dir: "auto" }),
    );
    this.sizer.append(row);
    return row;
  }

  fillRow(row, place) {
    const { report, first, second, metric } = this;
    const segment = this.order[place];
    const [at, words, one, other, difference, excerpt] = row.children;
    row.dataset.place = place;
    row.dataset.segment = segment;
    row.setAttribute("aria-rowindex", place + 2);
    row.style.transform = `translateY(${place * rowHeight()}px)`;
    at.textContent = report.ids[segment];
    words.textContent = report.lengths[segment];
    const digits = report.digits(metric);
    const score = report.score(first, metric, segment);
    one.textContent = number(score, digits);
    one.style.setProperty("--share", report.place(metric, score));
    one.dataset.owner = letter(first);
    if (second >= 0) {
      const compared = report.score(second, metric, segment);
      const gain = report.gain(first, second, metric, segment);
      other.textContent = number(compared, digits);
      other.style.setProperty("--share", report.place(metric, compared));
      other.dataset.owner = letter(second);
      difference.textContent = signed(compared - score, digits);
      difference.dataset.sign = Math.sign(Math.round(gain * 10 ** digits));
    }
    excerpt.textContent = visible(cut(report.systems[first].hypotheses[segment], EXCERPT));
  }
}

// Shows the list of segments. The page contains elements only for the visible rows, which are reused while scrolling.

// On narrow screens, a row has more lines of text. The width and the heights are those of page.css.
const NARROW_SCREEN = matchMedia("(max-width: 860px)");
const ROW_HEIGHT = 64;
const NARROW_ROW_HEIGHT = 92;

// Numbers of rows that are drawn above the visible part of the list, and in total beyond the visible part.
const ROWS_ABOVE = 2;
const EXTRA_ROWS = 4;

const EXCERPT_LENGTH = 160;
const NO_POSITION = -1;

// Classes of the cells of a row that contain numbers.
const NUMBER_CELLS = ["segment-id", "word-count", "first-score", "second-score", "score-difference"];

function getRowHeight() {
  return NARROW_SCREEN.matches ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
}

/**
 * What a list shows.
 *
 * @typedef {Object} ListContent
 * @property {number[]} segments - indices of the segments, in the order of the list.
 * @property {number} firstSystem - index of the first system.
 * @property {number} secondSystem - index of the system to compare, or -1 for none.
 * @property {number} metric - index of the metric.
 * @property {Element[]} headings - headings of the columns.
 */

/** The list of segments. A position is an index in the list, as opposed to the index of a segment in the report. */
class SegmentList {
  /**
   * @param {HTMLElement} root - the element that becomes the list.
   * @param {Report} report
   * @param {function(number): void} onSelect - called with the index of the segment that the reader selects, or -1 if
   *     the list is empty.
   */
  constructor(root, report, onSelect) {
    this.root = root;
    this.report = report;
    this.onSelect = onSelect;
    this.content = { segments: [], firstSystem: 0, secondSystem: -1, metric: 0, headings: [] };
    this.selectedPosition = NO_POSITION;
    this.rows = [];
    this.isDrawPending = false;
    this.header = createElement("div", { class: "list-row list-header", role: "row", "aria-rowindex": "1" });
    this.sizer = createElement("div", { class: "sizer", role: "presentation" });
    this.scroller = createElement("div", { class: "scroller", role: "rowgroup", tabindex: "0" }, this.sizer);
    root.append(this.header, this.scroller);
    this.addListeners();
  }

  addListeners() {
    NARROW_SCREEN.addEventListener("change", () => {
      this.resetRows();
      this.scrollTo(this.selectedPosition);
      this.draw();
    });
    this.scroller.addEventListener("scroll", () => this.requestDraw());
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.root.addEventListener("keydown", (event) => this.handleKey(event));
    this.sizer.addEventListener("click", (event) => {
      const row = event.target.closest(".list-row");
      if (row) this.select(Number(row.dataset.position));
    });
  }

  /** Return the index of the selected segment, or -1 if the list is empty. */
  getSelectedSegment() {
    return this.selectedPosition === NO_POSITION ? -1 : this.content.segments[this.selectedPosition];
  }

  /**
   * Show segments.
   *
   * @param {ListContent} content
   * @param {boolean} keepsSelection - whether the selected segment remains selected if the new content includes it.
   *     Otherwise, the first segment is selected.
   */
  show(content, keepsSelection) {
    const { segments, secondSystem, headings } = content;
    const keptPosition = keepsSelection ? segments.indexOf(this.getSelectedSegment()) : NO_POSITION;
    this.content = content;
    this.root.classList.toggle("has-comparison", secondSystem >= 0);
    this.root.setAttribute("aria-rowcount", segments.length + 1);
    this.root.setAttribute("aria-colcount", headings.length);
    this.header.replaceChildren(...headings);
    this.resetRows();
    if (keptPosition !== NO_POSITION) {
      this.selectedPosition = keptPosition;
      this.scrollTo(keptPosition);
      this.draw();
    } else {
      this.scroller.scrollTop = 0;
      this.select(segments.length > 0 ? 0 : NO_POSITION);
    }
  }

  /** Select the segment at a position, scroll to it, and report it. */
  select(position) {
    this.selectedPosition = position;
    this.scrollTo(position);
    this.draw();
    this.onSelect(this.getSelectedSegment());
  }

  /** Move the selection by a number of positions, at most to an end of the list. */
  moveSelection(offset) {
    const lastPosition = this.content.segments.length - 1;
    if (lastPosition < 0) return;
    this.select(Math.max(0, Math.min(lastPosition, this.selectedPosition + offset)));
  }

  handleKey(event) {
    if (hasModifierKey(event) || event.target.closest("button")) return;
    const visibleRowCount = Math.floor(this.scroller.clientHeight / getRowHeight());
    const pageOffset = Math.max(1, visibleRowCount - 1);
    const offsets = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: pageOffset,
      PageUp: -pageOffset,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key in offsets) {
      event.preventDefault();
      this.moveSelection(offsets[event.key]);
    }
  }

  /** Scroll as little as possible to make a position visible. */
  scrollTo(position) {
    if (position === NO_POSITION) return;
    const rowTop = position * getRowHeight();
    const rowBottom = rowTop + getRowHeight();
    const minScrollTop = rowBottom - this.scroller.clientHeight;
    if (this.scroller.scrollTop > rowTop) {
      this.scroller.scrollTop = rowTop;
    } else if (this.scroller.scrollTop < minScrollTop) {
      this.scroller.scrollTop = minScrollTop;
    }
  }

  /** Adapt the height of the list, and mark the contents of all rows as outdated. */
  resetRows() {
    this.sizer.style.height = `${this.content.segments.length * getRowHeight()}px`;
    for (const row of this.rows) row.dataset.position = NO_POSITION;
  }

  /** Draw the rows before the next frame, at most once per frame. */
  requestDraw() {
    if (this.isDrawPending) return;
    this.isDrawPending = true;
    requestAnimationFrame(() => {
      this.isDrawPending = false;
      this.draw();
    });
  }

  /** Draw the rows in and near the visible part of the list. */
  draw() {
    const rowHeight = getRowHeight();
    const maxRowCount = Math.ceil(this.scroller.clientHeight / rowHeight) + EXTRA_ROWS;
    const start = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - ROWS_ABOVE);
    const rowCount = Math.max(0, Math.min(maxRowCount, this.content.segments.length - start));
    const end = start + rowCount;
    while (this.rows.length < rowCount) this.addRow();
    for (let position = start; position < end; position += 1) {
      const row = this.getRow(position);
      if (Number(row.dataset.position) !== position) this.fillRow(row, position);
      row.setAttribute("aria-selected", String(position === this.selectedPosition));
    }
    for (const row of this.rows) {
      const position = Number(row.dataset.position);
      row.hidden = position < start || position >= end;
    }
    const isSelectionDrawn = this.selectedPosition >= start && this.selectedPosition < end;
    if (isSelectionDrawn) {
      this.root.setAttribute("aria-activedescendant", this.getRow(this.selectedPosition).id);
    } else {
      this.root.removeAttribute("aria-activedescendant");
    }
  }

  /** Return the row element for a position. Consecutive positions have different elements. */
  getRow(position) {
    return this.rows[position % this.rows.length];
  }

  addRow() {
    const row = createElement(
      "div",
      { class: "list-row", role: "row", id: `row-${this.rows.length}`, "data-position": NO_POSITION },
      NUMBER_CELLS.map((className) => createElement("span", { role: "gridcell", class: `${className} numeric` })),
      createElement("bdi", { role: "gridcell", class: "excerpt", dir: "auto" }),
    );
    this.rows.push(row);
    this.sizer.append(row);
  }

  /** Fill a row with the segment at a position. */
  fillRow(row, position) {
    const { report } = this;
    const { segments, firstSystem, secondSystem, metric } = this.content;
    const segment = segments[position];
    const [idCell, lengthCell, firstScoreCell, secondScoreCell, differenceCell, excerptCell] = row.children;
    row.dataset.position = position;
    row.dataset.segment = segment;
    row.setAttribute("aria-rowindex", position + 2);
    row.style.transform = `translateY(${position * getRowHeight()}px)`;
    idCell.textContent = report.ids[segment];
    lengthCell.textContent = report.lengths[segment];
    this.fillScoreCell(firstScoreCell, firstSystem, segment);
    if (secondSystem >= 0) {
      const decimals = report.getListDecimals(metric);
      const firstScore = report.getScore(firstSystem, metric, segment);
      const secondScore = report.getScore(secondSystem, metric, segment);
      const gain = report.getGain(firstSystem, secondSystem, metric, segment);
      this.fillScoreCell(secondScoreCell, secondSystem, segment);
      differenceCell.textContent = formatSigned(secondScore - firstScore, decimals);
      differenceCell.dataset.sign = Math.sign(Math.round(gain * 10 ** decimals));
    }
    const hypothesis = report.systems[firstSystem].hypotheses[segment];
    excerptCell.textContent = makeVisible(truncate(hypothesis, EXCERPT_LENGTH));
  }

  fillScoreCell(cell, system, segment) {
    const { metric } = this.content;
    const score = this.report.getScore(system, metric, segment);
    cell.textContent = formatNumber(score, this.report.getListDecimals(metric));
    cell.style.setProperty("--score-position", this.report.getScalePosition(metric, score));
    cell.dataset.systemLetter = getSystemLetter(system);
  }
}

/** Return whether a keyboard event belongs to a shortcut of the browser. */
function hasModifierKey(event) {
  return event.ctrlKey || event.altKey || event.metaKey;
}

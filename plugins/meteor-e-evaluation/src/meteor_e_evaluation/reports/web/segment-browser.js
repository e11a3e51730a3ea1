// Connects the search form, the list of segments and the details of the selected segment.

const ASCENDING = "1";
const DESCENDING = "-1";
const NO_SYSTEM = "-1";

// Delay between the last change of a query and the search, in milliseconds.
const SEARCH_DELAY = 120;

/** The part of the page in which readers search, sort and select segments. */
class SegmentBrowser {
  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    this.controls = {
      query: getById("query"),
      firstSystem: getById("first-system"),
      secondSystem: getById("second-system"),
      metric: getById("metric"),
      sortKey: getById("sort"),
      order: getById("order"),
      lengthClass: getById("length-class"),
      matcher: getById("matcher"),
    };
    this.view = new SegmentView(getById("detail"), report, (offset) => this.list.moveSelection(offset));
    this.list = new SegmentList(getById("list"), report, (segment) => this.requestView(segment));
    this.viewRequest = 0;
    this.addFormListeners();
    this.addKeyListeners();
  }

  /** Show all segments, and select the segment of the link by which the page was opened. */
  start() {
    this.update(false);
    const link = location.hash.match(/^#segment-(\d+)$/);
    if (link) this.openSegment(Number(link[1]) - 1);
  }

  openSegment(segment) {
    const position = this.list.content.segments.indexOf(segment);
    if (position < 0) return;
    this.list.select(position);
    // On narrow screens, the details are below the list. They are drawn in the next frame.
    const isNarrow = matchMedia("(max-width: 1000px)").matches;
    requestAnimationFrame(() => getById(isNarrow ? "detail" : "segments").scrollIntoView());
  }

  addFormListeners() {
    const { controls } = this;
    for (const control of [controls.firstSystem, controls.secondSystem, controls.metric]) {
      control.addEventListener("change", () => {
        this.preventSelfComparison();
        this.update(true);
      });
    }
    for (const control of [controls.order, controls.lengthClass, controls.matcher]) {
      control.addEventListener("change", () => this.update(false));
    }
    controls.sortKey.addEventListener("change", () => {
      controls.order.value = getDefaultOrder(this.findSortKey(this.makeSortKeys()));
      this.update(false);
    });
    let searchTimer = 0;
    controls.query.addEventListener("input", () => {
      clearTimeout(searchTimer);
      searchTimer = setTimeout(() => this.update(false), SEARCH_DELAY);
    });
    getById("controls").addEventListener("submit", (event) => event.preventDefault());
  }

  addKeyListeners() {
    getById("list").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.target.closest("button")) getById("detail").focus();
    });
    document.addEventListener("keydown", (event) => this.handleKey(event));
  }

  handleKey(event) {
    if (hasModifierKey(event)) return;
    const isInForm = event.target.closest("input, select, textarea") !== null;
    const isInDetails = event.target.closest("#detail") !== null;
    if (event.key === "Escape" && (isInForm || isInDetails)) getById("list").focus();
    if (isInForm) return;
    if (event.key === "/") {
      event.preventDefault();
      this.controls.query.focus();
    }
    if (event.key === "j") this.list.moveSelection(1);
    if (event.key === "k") this.list.moveSelection(-1);
  }

  /** Stop comparing systems if the reader selects the same system twice. */
  preventSelfComparison() {
    const { firstSystem, secondSystem } = this.controls;
    if (firstSystem.value === secondSystem.value) secondSystem.value = NO_SYSTEM;
  }

  /** Return the indices of the selected systems and of the selected metric. The second system is -1 if none is. */
  getSelection() {
    return {
      firstSystem: Number(this.controls.firstSystem.value),
      secondSystem: Number(this.controls.secondSystem.value),
      metric: Number(this.controls.metric.value),
    };
  }

  /**
   * Show the segments that match the form, in the selected order.
   *
   * @param {boolean} keepsSelection - whether the selected segment remains selected if it is still in the list.
   */
  update(keepsSelection) {
    const { firstSystem, secondSystem, metric } = this.getSelection();
    const sortKeys = this.makeSortKeys();
    this.fillSortKeys(sortKeys);
    const segments = this.findSegments();
    this.sortSegments(segments, this.findSortKey(sortKeys));
    const headings = this.createHeadings(sortKeys);
    this.list.show({ segments, firstSystem, secondSystem, metric, headings }, keepsSelection);
    this.showSegmentCount(segments.length);
    this.view.show(this.list.getSelectedSegment(), firstSystem, secondSystem);
  }

  /** Return the indices of the segments that match the form, in ascending order. */
  findSegments() {
    const matchesLength = this.makeLengthFilter();
    const matchesQuery = this.makeQueryFilter();
    const matchesMatcher = this.makeMatcherFilter();
    const segments = [];
    for (let segment = 0; segment < this.report.segmentCount; segment += 1) {
      if (matchesLength(segment) && matchesQuery(segment) && matchesMatcher(segment)) segments.push(segment);
    }
    return segments;
  }

  /** Return a function that checks whether a segment contains the query or, for "#17", is the segment 17. */
  makeQueryFilter() {
    const query = this.controls.query.value.trim().toLowerCase();
    if (query === "") return () => true;
    if (/^#\d+$/.test(query)) {
      const queriedSegment = Number(query.slice(1)) - 1;
      // No segment has the number 0. The query "#0" is searched for as text.
      if (queriedSegment >= 0) return (segment) => segment === queriedSegment;
    }
    const texts = this.report.getSearchTexts();
    return (segment) => texts[segment].includes(query);
  }

  /** Return a function that checks whether the length of a segment is within the selected limits. */
  makeLengthFilter() {
    const [low, high] = this.controls.lengthClass.value.split("-");
    const minLength = Number(low);
    const maxLength = high === "" ? Infinity : Number(high);
    const { lengths } = this.report;
    return (segment) => lengths[segment] >= minLength && lengths[segment] <= maxLength;
  }

  /** Return a function that checks whether the selected matcher has matches in a segment of the first system. */
  makeMatcherFilter() {
    const matcher = Number(this.controls.matcher.value);
    if (matcher < 0) return () => true;
    const { firstSystem } = this.getSelection();
    return (segment) => this.report.hasMatchesOf(matcher, firstSystem, segment);
  }

  /** Sort segments in the selected direction. Segments with equal values remain in ascending order. */
  sortSegments(segments, { getValue }) {
    const sign = Number(this.controls.order.value);
    segments.sort((first, second) => sign * (getValue(first) - getValue(second)) || first - second);
  }

  makeSortKeys() {
    const { firstSystem, secondSystem, metric } = this.getSelection();
    return makeSortKeys(this.report, firstSystem, secondSystem, metric);
  }

  /** Return the selected sort key, or undefined if the selected key is not in the list. */
  findSortKey(sortKeys) {
    return sortKeys.find(({ name }) => name === this.controls.sortKey.value);
  }

  /** Fill the form with sort keys. If the selected key is no longer available, the first key is selected. */
  fillSortKeys(sortKeys) {
    const { sortKey, order } = this.controls;
    const availableKey = this.findSortKey(sortKeys);
    const selectedKey = availableKey || sortKeys[0];
    sortKey.replaceChildren(...sortKeys.map(({ name, label }) => createElement("option", { value: name }, label)));
    sortKey.value = selectedKey.name;
    if (!availableKey) order.value = getDefaultOrder(selectedKey);
  }

  /** Create the headings of the list. All headings except that of the excerpts are buttons that sort the list. */
  createHeadings(sortKeys) {
    const { firstSystem, secondSystem } = this.getSelection();
    const keysByName = Object.fromEntries(sortKeys.map((key) => [key.name, key]));
    const headings = [
      this.createHeading(keysByName.number, "#", "segment-id numeric"),
      this.createHeading(keysByName.length, "words", "word-count numeric"),
      this.createHeading(keysByName["first-score"], createSystemBadge(firstSystem), "first-score numeric"),
    ];
    if (secondSystem >= 0) {
      headings.push(
        this.createHeading(keysByName["second-score"], createSystemBadge(secondSystem), "second-score numeric"),
        this.createHeading(keysByName.difference, "diff.", "score-difference numeric"),
      );
    }
    const excerptAttributes = { role: "columnheader", class: "excerpt" };
    headings.push(createElement("span", excerptAttributes, "hypothesis of ", createSystemBadge(firstSystem)));
    return headings;
  }

  createHeading(key, content, className) {
    const { sortKey, order } = this.controls;
    const isSorted = sortKey.value === key.name;
    const button = createElement("button", { type: "button", title: `Sort by ${key.label}` }, content);
    button.addEventListener("click", () => {
      order.value = isSorted ? reverseOrder(order.value) : getDefaultOrder(key);
      sortKey.value = key.name;
      this.update(false);
    });
    const attributes = { role: "columnheader", class: className, "aria-sort": "none" };
    if (isSorted) attributes["aria-sort"] = order.value === ASCENDING ? "ascending" : "descending";
    return createElement("span", attributes, button);
  }

  showSegmentCount(count) {
    const total = formatCount(this.report.segmentCount, "segment");
    getById("status").textContent = count === this.report.segmentCount ? total : `${formatInteger(count)} of ${total}`;
  }

  /** Show a segment in the next frame. While a key is held down, only the last segment of each frame is drawn. */
  requestView(segment) {
    cancelAnimationFrame(this.viewRequest);
    this.viewRequest = requestAnimationFrame(() => {
      const { firstSystem, secondSystem } = this.getSelection();
      this.view.show(segment, firstSystem, secondSystem);
      updateAddress(segment);
    });
  }
}

/** Put a link to a segment into the address of the page. */
function updateAddress(segment) {
  try {
    history.replaceState(null, "", segment >= 0 ? `#segment-${segment + 1}` : "#segments");
  } catch {
    // Some browsers do not allow pages from certain sources to change their address.
  }
}

function getDefaultOrder(sortKey) {
  return sortKey.isDescending ? DESCENDING : ASCENDING;
}

function reverseOrder(order) {
  return order === ASCENDING ? DESCENDING : ASCENDING;
}

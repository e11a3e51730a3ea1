// Creates HTML and SVG elements.
//
// Texts are inserted as text nodes or attribute values. They are never parsed as markup.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Return the element of the page that has an id.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
function getById(id) {
  return document.getElementById(id);
}

/**
 * Create an HTML element.
 *
 * @param {string} tag - name of the element.
 * @param {?Object} attributes - values by name. Attributes with the value undefined, null or false are omitted. The
 *     value true stands for an empty string.
 * @param {...*} children - child nodes, texts, or arrays of them. The values null and undefined are omitted.
 * @returns {HTMLElement}
 */
function createElement(tag, attributes, ...children) {
  return populateElement(document.createElement(tag), attributes, children);
}

/** Create an SVG element. The parameters are those of createElement. */
function createSvgElement(tag, attributes, ...children) {
  return populateElement(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function populateElement(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    const isOmitted = value === undefined || value === null || value === false;
    if (!isOmitted) node.setAttribute(name, value === true ? "" : value);
  }
  const presentChildren = children.flat().filter((child) => child !== null && child !== undefined);
  node.append(...presentChildren);
  return node;
}

/**
 * Create a button with a secondary role.
 *
 * @param {string} label - text of the button.
 * @param {function(): void} onClick - called for each click.
 * @param {?Object} attributes - further attributes, as for createElement.
 * @returns {HTMLButtonElement}
 */
function createButton(label, onClick, attributes = null) {
  const button = createElement("button", { type: "button", class: "secondary-button", ...attributes }, label);
  button.addEventListener("click", onClick);
  return button;
}

// The styles of matchers and systems repeat after these numbers. They are defined in styles.py.
const MATCHER_STYLE_COUNT = 56;
const MATCHER_SHAPE_COUNT = 8;
const SYSTEM_STYLE_COUNT = 8;

/** Return the CSS class that defines the color of a matcher, given the index of the matcher. */
function getMatcherClass(matcher) {
  return `matcher-${matcher % MATCHER_STYLE_COUNT}`;
}

/** Return the CSS class that defines the color of a system, given the index of the system. */
function getSystemClass(system) {
  return `system-${system % SYSTEM_STYLE_COUNT}`;
}

/**
 * Create the shape of a matcher within a drawing.
 *
 * @param {number} matcher - index of the matcher.
 * @param {number} centerX - horizontal position of the center.
 * @param {number} centerY - vertical position of the center.
 * @param {number} size - width and height of the shape.
 * @returns {SVGElement}
 */
function createMatcherShape(matcher, centerX, centerY, size) {
  const href = `#shape-${matcher % MATCHER_SHAPE_COUNT}`;
  return createSvgElement("use", { href, x: centerX - size / 2, y: centerY - size / 2, width: size, height: size });
}

/** Create an icon with the shape of a matcher, given the index of the matcher. */
function createMatcherIcon(matcher) {
  const attributes = {
    class: `matcher-shape ${getMatcherClass(matcher)}`,
    viewBox: "-1.1 -1.1 2.2 2.2",
    "aria-hidden": "true",
  };
  return createSvgElement("svg", attributes, createMatcherShape(matcher, 0, 0, 2.2));
}

/** Create a badge with the letter of a system, given the index of the system. */
function createSystemBadge(system) {
  const attributes = { class: `badge ${getSystemClass(system)}`, "aria-hidden": "true" };
  return createElement("span", attributes, getSystemLetter(system));
}

/** Create an element for a text of unknown writing direction. It does not affect the direction of adjacent text. */
function createIsolatedText(text) {
  return createElement("bdi", null, makeVisible(text));
}

/** Create a text that only screen readers present. */
function createHiddenText(text) {
  return createElement("span", { class: "visually-hidden" }, makeVisible(text));
}

// Largest number of characters that are visible at first.
const LONG_TEXT_LENGTH = 4000;

/**
 * Create the nodes of a text. A long text is truncated, and a button shows all of it.
 *
 * @param {string} text - the text, which may have millions of characters.
 * @returns {Array} nodes and strings.
 */
function createExpandableText(text) {
  const content = createElement("bdi", { dir: "auto" }, makeVisible(truncate(text, LONG_TEXT_LENGTH)));
  if (text.length <= LONG_TEXT_LENGTH) return [content];
  const button = createButton(`Show all ${formatInteger(text.length)} characters`, () => {
    content.textContent = makeVisible(text);
    button.remove();
  });
  return [content, " ", button];
}

/**
 * Add hints above the horizontally scrollable boxes within an element. A hint is visible while its box overflows.
 *
 * @param {ParentNode} root - the element.
 */
function addScrollHints(root) {
  for (const box of root.querySelectorAll(".scrollable")) {
    const hasHint = box.previousElementSibling?.matches(".scroll-hint");
    if (hasHint) continue;
    box.before(createElement("p", { class: "scroll-hint", "aria-hidden": "true" }, "⇆ scrolls sideways"));
    box.addEventListener("scroll", () => updateScrollClasses(box), { passive: true });
    boxSizeObserver.observe(box);
    if (box.firstElementChild) boxSizeObserver.observe(box.firstElementChild);
    updateScrollClasses(box);
  }
}

// The observed elements are scrollable boxes and their first children.
const boxSizeObserver = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.closest(".scrollable");
    if (box) updateScrollClasses(box);
  }
});

function updateScrollClasses(box) {
  const overflowWidth = box.scrollWidth - box.clientWidth;
  box.classList.toggle("overflowing", overflowWidth > 1);
  box.classList.toggle("scrolled-to-end", Math.abs(box.scrollLeft) >= overflowWidth - 1);
}

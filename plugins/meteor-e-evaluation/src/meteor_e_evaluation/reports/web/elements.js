// Making elements. Text reaches the page through text nodes and attributes only, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const element = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

const drawing = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const byId = (id) => document.getElementById(id);

const STYLES = 56; // colours and shapes of matchers repeat after as many
const SHAPES = 8;

const matcherClass = (matcher) => `m${matcher % STYLES}`;

// A matcher's shape, drawn at a place in a drawing.
function shapeAt(matcher, x, y, size) {
  const half = size / 2;
  return drawing("use", { href: `#shape-${matcher % SHAPES}`, x: x - half, y: y - half, width: size, height: size });
}

function shape(matcher) {
  const picture = { class: `shape ${matcherClass(matcher)}`, viewBox: "-1.1 -1.1 2.2 2.2", "aria-hidden": "true" };
  return drawing("svg", picture, drawing("use", { href: `#shape-${matcher % SHAPES}`, x: -1.1, y: -1.1, width: 2.2, height: 2.2 }));
}

// Characters that cannot be seen, or would reorder what is around them, made visible.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const NAMES = {
  "\u061c": "ALM", "\u200b": "ZWSP", "\u200e": "LRM", "\u200f": "RLM", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF",
  "\u202d": "LRO", "\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\ufeff": "BOM",
};

function visible(text) {
  return text.replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    if (code >= 0xd800 && code < 0xe000) return "\ufffd";
    return `[${NAMES[character] || "U+" + code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

// Cut a text without leaving half a character.
function cut(text, length) {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length) + " …";
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// The direction of words, by the first of their letters that has one.
function direction(words) {
  for (const word of words) {
    const letter = word.match(/\p{L}/u);
    if (letter) return RIGHT_TO_LEFT.test(letter[0]) ? "rtl" : "ltr";
  }
  return "ltr";
}

// A text that can be megabytes: its beginning, and the rest when it is asked for.
const LONG_TEXT = 4000;

function longText(text) {
  const shown = element("bdi", { dir: "auto" }, visible(cut(text, LONG_TEXT)));
  if (text.length <= LONG_TEXT) return [shown];
  const more = element("button", { type: "button", class: "quiet" }, `Show all ${text.length.toLocaleString("en")} characters`);
  more.addEventListener("click", () => {
    shown.textContent = visible(text);
    more.remove();
  });
  return [shown, " ", more];
}

const number = (value, digits = 4) => value.toFixed(digits);

const signed = (value, digits = 4) => (value > 0 ? "+" : value < 0 ? "\u2212" : "") + Math.abs(value).toFixed(digits);

const plural = (count, noun, more = noun + "s") => `${count.toLocaleString("en")} ${count === 1 ? noun : more}`;

// A, B … Z, AA, AB …
function letter(index) {
  let name = "";
  for (let rest = index + 1; rest; rest = Math.floor((rest - 1) / 26)) name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}

const SYSTEM_STYLES = 8;

const badge = (system) => element("span", { class: `badge s${system % SYSTEM_STYLES}`, "aria-hidden": "true" }, letter(system));

// Say where something can be scrolled sideways, as long as it can be.
const scrollWatcher = new ResizeObserver((entries) => entries.forEach(({ target }) => markScrolling(target.closest(".scroll"))));

function markScrolling(box) {
  if (!box) return;
  const room = box.scrollWidth - box.clientWidth;
  box.classList.toggle("scrolls", room > 1);
  box.classList.toggle("at-end", Math.abs(box.scrollLeft) >= room - 1);
}

function hintAtScrolling(root) {
  for (const box of root.querySelectorAll(".scroll")) {
    if (box.previousElementSibling?.matches(".hint")) continue;
    box.before(element("p", { class: "hint", "aria-hidden": "true" }, "⇆ scrolls sideways"));
    box.addEventListener("scroll", () => markScrolling(box), { passive: true });
    scrollWatcher.observe(box);
    if (box.firstElementChild) scrollWatcher.observe(box.firstElementChild);
    markScrolling(box);
  }
}

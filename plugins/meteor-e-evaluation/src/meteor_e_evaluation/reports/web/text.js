// Formats numbers and texts for the page.

/**
 * Format a number with a fixed number of decimals.
 *
 * @param {number} value
 * @param {number} decimals - number of digits after the decimal point.
 * @returns {string}
 */
function formatNumber(value, decimals = 4) {
  return value.toFixed(decimals);
}

/**
 * Format a number with a plus or minus sign. Zero has no sign.
 *
 * @param {number} value
 * @param {number} decimals - number of digits after the decimal point.
 * @returns {string}
 */
function formatSigned(value, decimals = 4) {
  const digits = Math.abs(value).toFixed(decimals);
  if (value > 0) return `+${digits}`;
  if (value < 0) return `\u2212${digits}`;
  return digits;
}

/**
 * Format an integer with separators between thousands.
 *
 * @param {number} value
 * @returns {string}
 */
function formatInteger(value) {
  return value.toLocaleString("en");
}

/**
 * Format a count with its noun, such as "1 word" or "2,000 words".
 *
 * @param {number} count
 * @param {string} singular - singular form of the noun.
 * @param {string} plural - plural form of the noun.
 * @returns {string}
 */
function formatCount(count, singular, plural = `${singular}s`) {
  return `${formatInteger(count)} ${count === 1 ? singular : plural}`;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Return the letter that labels a system. The labels after Z are AA, AB and so on.
 *
 * @param {number} index - index of the system.
 * @returns {string}
 */
function getSystemLetter(index) {
  const quotient = Math.floor(index / ALPHABET.length);
  const prefix = quotient > 0 ? getSystemLetter(quotient - 1) : "";
  return prefix + ALPHABET[index % ALPHABET.length];
}

// Control characters, invisible characters, and lone surrogates.
const INVISIBLE_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const CHARACTER_NAMES = {
  "\u061c": "ALM",
  "\u200b": "ZWSP",
  "\u200e": "LRM",
  "\u200f": "RLM",
  "\u202a": "LRE",
  "\u202b": "RLE",
  "\u202c": "PDF",
  "\u202d": "LRO",
  "\u202e": "RLO",
  "\u2066": "LRI",
  "\u2067": "RLI",
  "\u2068": "FSI",
  "\u2069": "PDI",
  "\ufeff": "BOM",
};

/**
 * Replace each invisible character of a text by its name or by a visible symbol, as visible.py does.
 *
 * @param {string} text
 * @returns {string}
 */
function makeVisible(text) {
  return text.replace(INVISIBLE_CHARACTERS, getVisibleSymbol);
}

function getVisibleSymbol(character) {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (isHighSurrogate(code) || isLowSurrogate(code)) return "\ufffd";
  const hexadecimalCode = code.toString(16).toUpperCase().padStart(4, "0");
  return `[${CHARACTER_NAMES[character] || `U+${hexadecimalCode}`}]`;
}

function isHighSurrogate(code) {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code) {
  return code >= 0xdc00 && code < 0xe000;
}

/**
 * Truncate a text, and append an ellipsis. Surrogate pairs are not split.
 *
 * @param {string} text
 * @param {number} maxLength - largest number of UTF-16 code units without the ellipsis.
 * @returns {string} the text itself if it is short enough.
 */
function truncate(text, maxLength) {
  if (text.length <= maxLength) return text;
  const splitsPair = isHighSurrogate(text.charCodeAt(maxLength - 1));
  return `${text.slice(0, splitsPair ? maxLength - 1 : maxLength)} …`;
}

const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Return the writing direction of words, which is the direction of their first letter.
 *
 * @param {string[]} words
 * @returns {"ltr" | "rtl"}
 */
function detectDirection(words) {
  for (const word of words) {
    const firstLetter = word.match(/\p{L}/u);
    if (firstLetter) return RIGHT_TO_LEFT_LETTER.test(firstLetter[0]) ? "rtl" : "ltr";
  }
  return "ltr";
}

// Starts the scripts of the page.

const THEMES = ["automatic", "light", "dark"];
const THEME_STORAGE_KEY = "meteor-e-theme";

/** Make the theme button change the color theme. The theme is stored for later visits, if the browser supports it. */
function initializeThemeButton() {
  const button = getById("theme");
  let currentTheme = readStoredTheme();
  const applyTheme = () => {
    if (currentTheme === "automatic") {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = currentTheme;
    }
    button.textContent = `Theme: ${currentTheme}`;
    button.setAttribute("aria-label", `Color theme: ${currentTheme}`);
  };
  applyTheme();
  button.addEventListener("click", () => {
    currentTheme = THEMES[(THEMES.indexOf(currentTheme) + 1) % THEMES.length];
    applyTheme();
    storeTheme(currentTheme);
  });
}

function readStoredTheme() {
  try {
    const theme = localStorage.getItem(THEME_STORAGE_KEY);
    return THEMES.includes(theme) ? theme : "automatic";
  } catch {
    // A page that was opened from a file may not have access to storage.
    return "automatic";
  }
}

function storeTheme(theme) {
  try {
    localStorage.setItem(THEME_STORAGE_KEY, theme);
  } catch {
    // Without access to storage, the theme is used until the page is closed.
  }
}

/** Make the legend of the distributions emphasize the lines of a system. A second click ends the emphasis. */
function initializeDistributionLegend() {
  const buttons = document.querySelectorAll(".system-toggle");
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const isPressed = button.getAttribute("aria-pressed") === "true";
      const emphasizedSystem = isPressed ? null : button.dataset.system;
      for (const otherButton of buttons) {
        otherButton.setAttribute("aria-pressed", String(otherButton.dataset.system === emphasizedSystem));
      }
      emphasizeDistributions(emphasizedSystem);
    });
  }
}

/** Fade the lines of all systems but one, or of no system. */
function emphasizeDistributions(emphasizedSystem) {
  for (const group of document.querySelectorAll(".distribution g")) {
    const isEmphasized = group.dataset.system === emphasizedSystem;
    group.classList.toggle("faded", emphasizedSystem !== null && !isEmphasized);
    // The last element of a drawing is drawn above all other elements.
    if (isEmphasized) group.parentNode.append(group);
  }
}

/** Open all collapsed sections while the page is printed. */
function initializePrinting() {
  let openedSections = [];
  addEventListener("beforeprint", () => {
    openedSections = [...document.querySelectorAll("details:not([open])")];
    for (const section of openedSections) section.open = true;
  });
  addEventListener("afterprint", () => {
    for (const section of openedSections) section.open = false;
  });
}

/** Read the segments, and make it possible to browse them. */
async function initializeSegmentBrowser() {
  let report;
  try {
    report = await readReport();
  } catch (error) {
    const problem = `The segments cannot be unpacked (${error.message}).`;
    getById("status").textContent = `${problem} A browser of 2023 or later is needed.`;
    return;
  }
  new SegmentBrowser(report).start();
  document.documentElement.dataset.ready = "";
}

initializeThemeButton();
initializeDistributionLegend();
initializePrinting();
addScrollHints(document);
initializeSegmentBrowser();

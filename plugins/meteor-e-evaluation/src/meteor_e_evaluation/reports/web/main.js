// What the page does.

const THEMES = ["automatic", "light", "dark"];

function themes() {
  const button = byId("theme");
  const kept = { read: () => null, write: () => {} };
  try {
    kept.read = () => localStorage.getItem("meteor-e-theme");
    kept.write = (theme) => localStorage.setItem("meteor-e-theme", theme);
    kept.read();
  } catch {
    kept.read = () => null; // a page from disk may have no storage
    kept.write = () => {};
  }
  const use = (theme) => {
    if (theme === "automatic") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    button.setAttribute("aria-label", `Color theme: ${theme}`);
    button.dataset.value = theme;
  };
  use(THEMES.includes(kept.read()) ? kept.read() : "automatic");
  button.addEventListener("click", () => {
    const theme = THEMES[(THEMES.indexOf(button.dataset.value) + 1) % THEMES.length];
    use(theme);
    kept.write(theme);
  });
}

// Bring one system's lines forward.
function distributions() {
  const keys = [...document.querySelectorAll(".key")];
  const groups = [...document.querySelectorAll(".distribution g")];
  const emphasize = (system) => {
    for (const group of groups) group.classList.toggle("back", system !== null && group.dataset.system !== system);
    keys.forEach((key) => key.setAttribute("aria-pressed", String(key.dataset.system === system)));
    for (const group of groups) if (group.dataset.system === system) group.parentNode.append(group);
  };
  for (const key of keys) {
    key.addEventListener("click", () => emphasize(key.getAttribute("aria-pressed") === "true" ? null : key.dataset.system));
  }
}

// Everything is on paper.
function printing() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((details) => (details.open = false)));
}

// What segments can be sorted by: name, label, a number a segment, and whether the high end comes first.
function sortings(report, first, second, metric) {
  const name = visible(report.metrics[metric].label);
  const score = (system) => (segment) => report.systems[system].scores[metric][segment];
  const difference = (segment) => score(second)(segment) - score(first)(segment);
  return [
    ...(second >= 0
      ? [
          ["distance", "size of the difference", (segment) => Math.abs(difference(segment)), true],
          ["difference", `difference, ${letter(second)} less ${letter(first)}`, difference, true],
        ]
      : []),
    ["number", "number", (segment) => segment],
    ["score", `${name} of ${letter(first)}`, score(first)],
    ...(second >= 0 ? [["second", `${name} of ${letter(second)}`, score(second)]] : []),
    ["length", "length of the reference", (segment) => report.lengths[segment]],
    ...["precision", "recall"].map((name) => [name, `${name} of ${letter(first)}`, (segment) => report.systems[first][name][segment]]),
    ["penalty", `fragmentation penalty of ${letter(first)}`, (segment) => report.systems[first].fragmentation_penalty[segment]],
    ...report.matchers.map((name, matcher) => [
      `matcher-${matcher}`,
      `contribution of ${name}`,
      (segment) => report.systems[first].shares[segment][matcher],
    ]),
  ];
}

function browse(report) {
  const controls = Object.fromEntries(
    ["query", "first", "second", "metric", "sort", "order", "lengths", "matched"].map((name) => [name, byId(name)]),
  );
  const view = new SegmentView(byId("detail"), report, (by) => list.move(by));
  const chosen = () => [controls.first, controls.second, controls.metric].map((control) => Number(control.value));
  let pending = 0;
  const list = new SegmentList(byId("list"), report, (segment) => {
    // While a key is held down, only the last segment is drawn.
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => {
      view.show(segment, ...chosen().slice(0, 2));
      try {
        history.replaceState(null, "", segment >= 0 ? `#segment-${segment + 1}` : "#segments");
      } catch {
        // not from every place that a page is opened from
      }
    });
  });

  const fillSortings = () => {
    const before = controls.sort.value;
    const options = sortings(report, ...chosen());
    controls.sort.replaceChildren(...options.map(([name, label]) => element("option", { value: name }, label)));
    // At first, what differs most comes first.
    const kept = options.find(([name]) => name === before) || options[0];
    controls.sort.value = kept[0];
    if (kept[0] !== before) controls.order.value = kept[3] ? "-1" : "1";
    return options;
  };

  const headings = (options) => {
    const [first, second] = chosen();
    const heading = (name, label, children, kind) => {
      const sorted = controls.sort.value === name;
      const button = element("button", { type: "button", title: `Sort by ${label}` }, children);
      button.addEventListener("click", () => {
        // Scores and lengths are looked at from the low end, differences from the high end; again turns round.
        controls.order.value = sorted ? String(-Number(controls.order.value)) : options.find(([other]) => other === name)[3] ? "-1" : "1";
        controls.sort.value = name;
        update();
      });
      const direction = sorted ? (controls.order.value === "1" ? "ascending" : "descending") : "none";
      return element("span", { role: "columnheader", class: kind, "aria-sort": direction }, button);
    };
    const label = Object.fromEntries(options.map(([name, text]) => [name, text]));
    return [
      heading("number", label.number, "#", "at n"),
      heading("length", label.length, "words", "words n"),
      heading("score", label.score, badge(first), "first n"),
      ...(second >= 0
        ? [heading("second", label.second, badge(second), "second n"), heading("difference", label.difference, "diff.", "difference n")]
        : []),
      element("span", { role: "columnheader", class: "excerpt" }, "hypothesis of ", badge(first)),
    ];
  };

  const update = (stay = false) => {
    const [first, second, metric] = chosen();
    const options = fillSortings();
    const query = controls.query.value.trim().toLowerCase();
    const [low, high] = controls.lengths.value.split("-");
    const matcher = Number(controls.matched.value);
    const wanted = /^#\d+$/.test(query) ? Number(query.slice(1)) - 1 : -1;
    const texts = query && wanted < 0 ? report.searchable() : null;
    const order = [];
    for (let segment = 0; segment < report.size; segment++) {
      const words = report.lengths[segment];
      if (wanted >= 0 && segment !== wanted) continue;
      if (words < Number(low) || (high && words > Number(high))) continue;
      if (texts && !texts[segment].includes(query)) continue;
      if (matcher >= 0 && !holds(report.systems[first].matches[segment], matcher)) continue;
      order.push(segment);
    }
    const [, , value] = options.find(([name]) => name === controls.sort.value);
    const way = Number(controls.order.value);
    order.sort((one, other) => way * (value(one) - value(other)) || one - other);
    list.show(order, first, second, metric, headings(options), stay);
    byId("status").textContent =
      order.length === report.size ? plural(report.size, "segment") : `${order.length.toLocaleString("en")} of ${plural(report.size, "segment")}`;
    view.show(order.length ? list.order[list.selected] : -1, first, second);
  };

  const holds = (flat, matcher) => {
    for (let at = 4; at < flat.length; at += 5) if (flat[at] === matcher) return true;
    return false;
  };

  for (const name of ["first", "second", "metric", "sort", "order", "lengths", "matched"]) {
    controls[name].addEventListener("change", () => {
      if (controls.first.value === controls.second.value) controls.second.value = "-1";
      if (name === "sort") controls.order.value = sortings(report, ...chosen()).find(([other]) => other === controls.sort.value)[3] ? "-1" : "1";
      update(["first", "second", "metric"].includes(name));
    });
  }
  let typing = 0;
  controls.query.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => update(), 120);
  });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());

  byId("list").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.target.closest("button")) byId("detail").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "Escape" && (typing || event.target.closest("#detail"))) byId("list").focus();
    if (typing) return;
    if (event.key === "/") {
      event.preventDefault();
      controls.query.focus();
    }
    if (event.key === "j") list.move(1);
    if (event.key === "k") list.move(-1);
  });

  update();
  const linked = location.hash.match(/^#segment-(\d+)$/);
  const place = linked ? list.order.indexOf(Number(linked[1]) - 1) : -1;
  if (place >= 0) {
    list.select(place);
    // On a narrow screen the segment stands below the list, and is drawn with the next frame.
    const narrow = matchMedia("(max-width: 1000px)").matches;
    requestAnimationFrame(() => byId(narrow ? "detail" : "segments").scrollIntoView());
  }
  document.documentElement.dataset.ready = "";
}

themes();
distributions();
printing();
hintAtScrolling(document);
unpack().then(browse, (error) => {
  byId("status").textContent = `The segments cannot be unpacked (${error.message}). A browser of 2023 or later is needed.`;
});

// Sorting tables by their headings, and printing what is folded away. The page reads without it.
"use strict";
(() => {
  const collator = new Intl.Collator("en");
  const NUMBER = /[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?/i;

  const text = (row, at) => row.cells[at].textContent.trim();
  const number = (row, at) => {
    const found = NUMBER.exec(text(row, at).replace(/\u2212/g, "-"));
    return found ? Number(found[0].replace(/,/g, "")) : NaN;
  };
  // As people count: 0.25c, 0.5c, 2c, 16c.
  const pieces = (name) => name.match(/\d+(?:\.\d+)?|\D+/g);
  const natural = (a, b) => {
    const [x, y] = [pieces(a), pieces(b)];
    for (let i = 0; i < Math.min(x.length, y.length); i++) {
      const difference = x[i] - y[i] || (Number.isNaN(x[i] - y[i]) ? collator.compare(x[i], y[i]) : 0);
      if (difference) return difference;
    }
    return x.length - y.length;
  };
  const order = (rows, at, numeric, sign) => {
    const keys = new Map(rows.map((row) => [row, numeric ? number(row, at) : text(row, at)]));
    const missing = (key) => key === "" || Number.isNaN(key);
    return rows.slice().sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      // What is missing stays at the end, whichever way it goes.
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      return sign * (numeric ? x - y : natural(x, y));
    });
  };

  for (const table of document.querySelectorAll("main table")) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const headings = [...table.tHead.rows[0].cells];
    if (original.length < 3) continue;
    table.classList.add("sorts");
    headings.forEach((heading, at) => {
      const numeric = heading.classList.contains("right");
      // Numbers from the largest, names from A; then the other way round; then as it was.
      const turns = numeric ? ["descending", "ascending", ""] : ["ascending", "descending", ""];
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const turn = turns[(turns.indexOf(heading.getAttribute("aria-sort") || "") + 1) % 3];
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        if (turn) heading.setAttribute("aria-sort", turn);
        table.classList.toggle("sorted", turn !== "");
        body.append(...(turn ? order(original, at, numeric, turn === "ascending" ? 1 : -1) : original));
      });
    });
  }

  // A link to what is folded away opens it.
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target && target.closest("details");
    if (folded) {
      folded.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", unfold);
  unfold();

  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("main details")) folded.open = true;
  });
})();

/* Search in the words of all pages: every word of the query must be there; headings count most. */
"use strict";
(() => {
  const query = document.getElementById("query"), found = document.getElementById("found");
  const rate = (entry, words) => {
    const [, title, text, page] = entry, head = title.toLowerCase(), all = (page + " " + title + " " + text).toLowerCase();
    let sum = 0;
    for (const w of words) {
      if (head === w) sum += 100; else if (head.startsWith(w)) sum += 40; else if (head.includes(w)) sum += 20;
      else if (all.includes(w)) sum += 1; else return 0;
    }
    return sum;
  };
  window.carom_search = text => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    return INDEX.map(e => [rate(e, words), e]).filter(x => x[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 30).map(x => x[1]);
  };
  const show = () => {
    const list = window.carom_search(query.value);
    found.textContent = "";
    found.hidden = !query.value.trim();
    for (const [address, title, text, page] of list) {
      const li = document.createElement("li"), a = document.createElement("a"), small = document.createElement("small");
      a.href = ROOT + address;
      a.textContent = title;
      small.textContent = page + " \u00b7 " + text.slice(0, 110);
      a.append(small);
      li.append(a);
      found.append(li);
    }
    if (!list.length && !found.hidden) found.textContent = "Nothing found.";
  };
  query.addEventListener("input", show);
  document.getElementById("search").addEventListener("submit", e => {
    e.preventDefault();
    found.querySelector("a")?.click();
  });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && document.activeElement !== query) { e.preventDefault(); query.focus(); }
    if (e.key === "Escape") { query.value = ""; show(); }
    if (e.key === "ArrowDown" && !found.hidden) { e.preventDefault(); (document.activeElement.closest("li")?.nextSibling || found).querySelector("a")?.focus(); }
  });
})();

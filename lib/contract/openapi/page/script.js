(() => {
  const byId = (id) => document.getElementById(id);
  const [search, query, found, nothing, contents] = ["search", "query", "found", "nothing", "contents"].map(byId);
  const wide = matchMedia("(min-width: 64rem)");
  const groups = [...contents.querySelectorAll("details")];
  const entries = groups.flatMap((group) =>
    [...group.querySelectorAll("li[data-words]")].map((item) => {
      const link = item.querySelector("a");
      return { group, item, link, text: (link.textContent + " " + item.dataset.words).toLowerCase() };
    }),
  );
  let openBefore = null;
  let matching = entries;

  const open = (chosen) => {
    for (const group of groups) group.open = chosen.has(group);
  };

  const filter = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const filtering = words.length > 0;
    matching = entries.filter(({ text }) => words.every((word) => text.includes(word)));
    const shown = new Set(matching.map(({ item }) => item));
    const holding = new Set(matching.map(({ group }) => group));
    for (const { item } of entries) item.hidden = !shown.has(item);
    for (const group of groups) group.hidden = !holding.has(group);
    nothing.hidden = matching.length > 0;
    contents.classList.toggle("filtering", filtering);
    if (filtering) {
      openBefore ??= new Set([contents, ...groups].filter((folded) => folded.open));
      contents.open = true;
      open(holding);
    } else if (openBefore !== null) {
      contents.open = openBefore.has(contents);
      open(openBefore);
      openBefore = null;
    }
    found.textContent = filtering ? matching.length + " of " + entries.length + " operations" : "";
  };

  const clear = () => {
    query.value = "";
    filter();
  };

  const mark = () => {
    for (const { group, link } of entries) {
      if (link.href === location.href) {
        link.setAttribute("aria-current", "location");
        group.open = true;
      } else {
        link.removeAttribute("aria-current");
      }
    }
  };

  query.addEventListener("input", filter);
  query.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || query.value.trim() === "" || matching.length === 0) return;
    query.blur();
    matching[0].link.click();
  });
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") !== null && !wide.matches) contents.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]") !== null;
    if (event.key === "Escape" && query.value !== "") {
      event.preventDefault();
      clear();
    } else if (event.key === "Escape" && !wide.matches) {
      contents.open = false;
    } else if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      query.focus();
      query.select();
    }
  });
  addEventListener("hashchange", mark);

  search.hidden = false;
  filter();
  mark();
})();

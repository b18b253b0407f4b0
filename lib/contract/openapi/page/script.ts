/**
 * The page's only script: the search field, which it shows, and the folded contents around it. Without it the page is all
 * there.
 *
 * Words in any order and case; an operation is found by its method, path, summary and the names of its parameters and fields.
 * `/` goes to the field, Enter to the first operation found, Escape clears.
 */
export const pageScript = String.raw`
(() => {
  const byId = (id) => document.getElementById(id);
  const [search, query, found, nothing, contents] = ["search", "query", "found", "nothing", "contents"].map(byId);
  const wide = matchMedia("(min-width: 64rem)");
  const groups = [...contents.querySelectorAll("details")];
  const entries = groups.flatMap((group) =>
    [...group.querySelectorAll("li")].map((item) => {
      const link = item.querySelector("a");
      const article = byId(link.getAttribute("href").slice(1));
      const named = [link, ...article.querySelectorAll("dt code, .headers code")];
      return { group, item, link, text: named.map((node) => node.textContent).join(" ").toLowerCase() };
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
      const here = link.getAttribute("href") === location.hash;
      if (here) {
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
`;

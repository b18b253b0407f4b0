(() => {
  const byId = (id) => document.getElementById(id);
  const [search, query, found, hits, contents] = ["search", "query", "found", "hits", "contents"].map(byId);
  const wide = matchMedia("(min-width: 64rem)");
  const maxHits = 30;

  const isFirstPage = location.pathname.endsWith("/docs");
  const addressOf = (topic, id) =>
    (topic === "" ? (isFirstPage ? "" : "../docs") : (isFirstPage ? "docs/" : "") + topic) + (id && "#" + id);

  let loading = null;
  /** Loads the places of all pages once; after a failure, with the next change of the field. */
  const load = () => {
    loading ??= fetch(addressOf("search.json", ""))
      .then((reply) => (reply.ok ? reply.json() : Promise.reject(new Error(reply.status))))
      .catch(() => (loading = null));
    return loading;
  };

  /** How well a place fits a word: in its title, as a word of it, or within one; 0 if it lacks the word. */
  const fit = (title, words, word) => {
    if (title.includes(" " + word)) return 8;
    if (title.includes(word)) return 5;
    if (words.includes(" " + word + " ")) return 3;
    return words.includes(" " + word) ? 2 : words.includes(word) ? 1 : 0;
  };

  const matching = (places, words) =>
    places
      .flatMap(([topic, id, title, text]) => {
        const lower = " " + title.toLowerCase() + " ";
        const fits = words.map((word) => fit(lower, text, word));
        return fits.includes(0) ? [] : [{ topic, id, title, sum: fits.reduce((a, b) => a + b) }];
      })
      .toSorted((a, b) => b.sum - a.sum);

  /** Finds places with all words; if there are none, with the beginnings of long words: `webhooks`, `paginate`. */
  const find = (places, words) => {
    const result = matching(places, words);
    const shorter = words.map((word) => (word.length > 4 ? word.slice(0, -1) : word));
    return result.length > 0 || shorter.join() === words.join() ? result : find(places, shorter);
  };

  const entryOf = ({ topic, id, title }) => {
    const [item, link, place] = ["li", "a", "small"].map((name) => document.createElement(name));
    link.href = addressOf(topic, id);
    place.textContent = topic;
    link.append(title, " ", place);
    item.append(link);
    return item;
  };

  let latest = "";
  const show = async () => {
    const text = query.value.trim().toLowerCase();
    latest = text;
    const places = text === "" ? [] : await load();
    if (latest !== text) return;
    const results = text === "" || places === null ? [] : find(places, text.split(/\s+/));
    hits.replaceChildren(...results.slice(0, maxHits).map(entryOf));
    hits.hidden = text === "";
    contents.hidden = text !== "";
    if (text === "") found.textContent = "";
    else if (places === null) found.textContent = "The search could not be loaded. Type again to retry.";
    else if (results.length === 0) found.textContent = "Nothing found.";
    else
      found.textContent =
        results.length +
        (results.length === 1 ? " place" : " places") +
        (results.length > maxHits ? ", the best " + maxHits + " below" : "") +
        ". Enter opens the first one.";
  };

  const clear = () => {
    query.value = "";
    query.focus();
    return show();
  };

  const openFirst = async () => {
    await show();
    hits.querySelector("a")?.click();
  };

  /** Moves the focus from the field to the results and within them. */
  const move = (step) => {
    const stops = [query, ...hits.querySelectorAll("a")];
    const place = stops.indexOf(document.activeElement);
    if (place >= 0) stops[Math.min(Math.max(place + step, 0), stops.length - 1)].focus();
    return place >= 0;
  };

  const mark = () => {
    for (const link of contents.querySelectorAll("details details a")) {
      if (link.href === location.href) {
        link.setAttribute("aria-current", "location");
        link.closest("details").open = true;
      } else {
        link.removeAttribute("aria-current");
      }
    }
  };

  query.addEventListener("focus", () => void load());
  query.addEventListener("input", () => void show());
  query.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && query.value.trim() !== "") void openFirst();
  });
  hits.addEventListener("click", (event) => {
    if (event.target.closest("a") === null) return;
    void clear();
    query.blur();
  });
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") !== null && !wide.matches) contents.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]") !== null;
    if (event.key === "Escape" && query.value !== "") {
      event.preventDefault();
      void clear();
    } else if (event.key === "Escape" && !wide.matches) {
      contents.open = false;
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && search.contains(event.target)) {
      if (move(event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
    } else if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      query.focus();
      query.select();
    }
  });
  addEventListener("hashchange", mark);

  search.hidden = false;
  mark();
})();

import { useEffect } from "preact/hooks";
import { parseTextQuery } from "../../domain/traces/search/text-query.ts";
import { placesOfText, placesOfWords } from "./word-places.ts";

const isInView = (range: Range): boolean => {
  const { top, bottom } = range.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

/** Marks what is searched in the texts of the page, and scrolls to the first place if none is in view. */
export const WordMarks = ({
  find,
  query,
}: {
  /** Text that is searched in the trace; empty for none. */
  readonly find: string;
  /** Words that were searched in the list, marked unless a text is searched. */
  readonly query: string;
}) => {
  useEffect(() => {
    const page = document.querySelector("main");
    if (page === null) return undefined;
    const { terms } = parseTextQuery(query);
    let hasScrolled = false;
    const mark = (): void => {
      const ranges: Range[] = [];
      const texts = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        const text = node.nodeValue ?? "";
        for (const [start, end] of find.trim() === "" ? placesOfWords(text, terms) : placesOfText(text, find)) {
          const range = document.createRange();
          range.setStart(node, start);
          range.setEnd(node, end);
          ranges.push(range);
        }
      }
      CSS.highlights.set("found", new Highlight(...ranges));
      if (!hasScrolled && !ranges.some(isInView))
        ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: "center" });
      hasScrolled ||= ranges.length > 0;
    };
    mark();
    const changes = new MutationObserver(mark);
    changes.observe(page, { childList: true, characterData: true, subtree: true });
    return () => {
      changes.disconnect();
      CSS.highlights.delete("found");
    };
  }, [find, query]);
  return null;
};

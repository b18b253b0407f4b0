import { datasetGuideId } from "./dataset-guide.ts";
import { exportGuideId } from "./export-guide.ts";
import { labelGuideId } from "./label-guide.ts";

/** A place of the pages that the search can find. `words` are its distinct words, in lower case between spaces. */
type Place = readonly [topic: string, id: string, title: string, words: string];

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };

const textOf = (markup: string): string =>
  markup
    .replaceAll("<wbr>", "")
    .replaceAll(/<[^<>]*>/gu, " ")
    .replaceAll(/&\w+;/gu, (entity) => entities[entity] ?? " ")
    .split(/\s/u)
    .filter((word) => word !== "")
    .join(" ");

/** Distinct words of a markup's text; words of its examples are no subjects of a search. */
const wordsOf = (markup: string): string => {
  const [first = "", ...others] = markup.split("<pre>");
  const text = textOf([first, ...others.map((part) => part.slice(part.indexOf("</pre>")))].join(" "));
  const words = text.toLowerCase().match(/[\p{L}\p{N}_/-]+(?:\.[\p{L}\p{N}_/-]+)*/gu);
  return ` ${[...new Set(words)].join(" ")} `;
};

/** Text of the first element with a tag, up to its end; empty if there is none. */
const elementText = (markup: string, start: string, end: string): string => {
  const from = markup.indexOf(start);
  return from === -1 ? "" : textOf(markup.slice(from, markup.indexOf(end, from)));
};

/** Text of the first heading or term of a place, with the summary of an operation. */
const titleOf = (markup: string): string => {
  const tag = /<(?<tag>h[23]|dt)[ >]/u.exec(markup)?.groups?.["tag"] ?? "";
  return `${elementText(markup, `<${tag}`, `</${tag}>`)} ${elementText(markup, '<p class="lead">', "</p>")}`.trim();
};

/** Order of places that fit a search equally well: 0 for pages and their sections, 1 for headings and operations, 2 for details of them. */
export const detailOf = ([topic, id]: Place): number => {
  if (/^(?:schema|event|error)-/u.test(id)) return 2;
  return [topic, datasetGuideId, exportGuideId, labelGuideId].includes(id) ? 0 : 1;
};

/**
 * Lists the places of a page that have an id: sections, operations, schemas, headings, error codes and events.
 *
 * @param topic topic of the page, `""` for the first one.
 * @param markup HTML of the page's main part.
 */
export const searchPlaces = (topic: string, markup: string): readonly Place[] => {
  const starts = [...markup.matchAll(/<(?:section|article|h3|dt) id="(?<id>[^"<>]+)"/gu)];
  return starts.map(({ index, groups }, place): Place => {
    const part = markup.slice(index, starts[place + 1]?.index);
    return [topic, groups?.["id"] ?? "", titleOf(part), wordsOf(part)];
  });
};

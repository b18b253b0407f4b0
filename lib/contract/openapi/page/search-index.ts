/** A place of the pages that the search can find. `words` are its distinct words, in lower case between spaces. */
type Place = readonly [topic: string, id: string, title: string, words: string];

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };

const textOf = (markup: string): string =>
  markup
    .replaceAll("<wbr>", "")
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/&\w+;/gu, (entity) => entities[entity] ?? " ")
    .replaceAll(/\s+/gu, " ")
    .trim();

/** Distinct words of a markup's text; words of its examples are no subjects of a search. */
const wordsOf = (markup: string): string => {
  const words = textOf(markup.replaceAll(/<pre>.*?<\/pre>/gsu, " "))
    .toLowerCase()
    .match(/[\p{L}\p{N}/](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?/gu);
  return ` ${[...new Set(words)].join(" ")} `;
};

/** Text of the first heading or term of a place, with the summary of an operation. */
const titleOf = (markup: string): string => {
  const heading = /<(?<tag>h[2-4]|dt)\b[^>]*>(?<title>.*?)<\/\k<tag>>\s*(?:<p class="lead">(?<lead>.*?)<\/p>)?/su.exec(
    markup,
  );
  const { title = "", lead = "" } = heading?.groups ?? {};
  return textOf(`${title} ${lead}`);
};

/**
 * Lists the places of a page that have an id: sections, operations, schemas, headings, error codes and events.
 *
 * @param topic topic of the page, `""` for the first one.
 * @param markup HTML of the page's main part.
 */
export const placesOf = (topic: string, markup: string): readonly Place[] => {
  const starts = [...markup.matchAll(/<(?:section|article|h3|dt)[^>]* id="(?<id>[^"]+)"/gu)];
  return starts.map(({ index, groups }, place): Place => {
    const part = markup.slice(index, starts[place + 1]?.index);
    return [topic, groups?.["id"] ?? "", titleOf(part), wordsOf(part)];
  });
};

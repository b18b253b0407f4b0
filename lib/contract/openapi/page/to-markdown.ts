/** Characters by their entities; an ampersand is decoded last, so that `&amp;lt;` stays `&lt;`. */
const decoded = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

const withoutTags = (text: string): string => text.replaceAll(/<[^<>]+>/gu, "");

const oneLine = (text: string): string => withoutTags(text).replaceAll(/\s+/gu, " ").trim();

const rowOf = (row: string): string => {
  const cells = [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gsu)].map(([, cell = ""]) =>
    oneLine(cell).replaceAll("|", "\\|"),
  );
  const line = `| ${cells.join(" | ")} |`;
  return row.includes("<th ") ? `${line}\n|${" --- |".repeat(cells.length)}` : line;
};

/** Marks a block of code, whose text is left as it is. */
const placeholder = (index: number): string => `\u0000${index}\u0000`;

/**
 * Converts the main part of a documentation page to Markdown. It knows the tags that the pages have.
 *
 * @param addressOf returns the address of a link by its `href`.
 */
export const toMarkdown = (markup: string, addressOf: (href: string) => string): string => {
  const blocks: string[] = [];
  const text = markup
    .replaceAll(/<pre>(.*?)<\/pre>/gsu, (_, code: string) => `\n\n${placeholder(blocks.push(decoded(code)) - 1)}\n\n`)
    .replaceAll("<wbr>", "")
    // The formatter of the sources breaks lines within tags.
    .replaceAll(/<(\/?\w+)\s+>/gu, "<$1>")
    .replaceAll(/<\/dd>|<\/code>(?=<code>)/gu, "$& ")
    .replaceAll(/<code>(.*?)<\/code>/gsu, "`$1`")
    .replaceAll(
      /<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gsu,
      (_, href: string, words: string) => `[${oneLine(words)}](${addressOf(href)})`,
    )
    .replaceAll(/<tr>(.*?)<\/tr>/gsu, (_, row: string) => `\n${rowOf(row)}\n`)
    .replaceAll(/<\/?(?:table|thead|tbody)>/gu, "\n\n")
    .replaceAll(/(?<=\|)\n\s*(?=\|)/gu, "\n")
    .replaceAll(
      /<h([1-4])[^>]*>(.*?)<\/h\1>/gsu,
      (_, level: string, words: string) => `\n\n${"#".repeat(Number(level))} ${oneLine(words)}\n\n`,
    )
    .replaceAll(/<dt[^>]*>(.*?)<\/dt>\s*<dd[^>]*>/gsu, (_, term: string) => `\n- ${oneLine(term)}: `)
    .replaceAll(/<(?:dt|li)(?: [^>]*)?>(?!\s*<?#)/gu, "\n- ")
    .replaceAll(/<summary>(.*?)<\/summary>/gsu, (_, words: string) => `\n\n${oneLine(words)}:\n\n`)
    .replaceAll(/<\/?(?:p|section|article|details|ul|ol|dl)(?: [^>]*)?>/gu, "\n\n");
  const lines = decoded(withoutTags(text))
    .split("\n")
    .map((line) => line.replaceAll(/[ \t]+/gu, " ").trim());
  return `${lines
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .replaceAll(/\u0000(\d+)\u0000/gu, (_, index: string) => `\`\`\`\n${blocks[Number(index)] ?? ""}\n\`\`\``)
    .trim()}\n`;
};

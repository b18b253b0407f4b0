const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };

const decoded = (text: string): string => text.replaceAll(/&\w+;/gu, (entity) => entities[entity] ?? entity);

/** Tags that end a paragraph where they begin and where they end. */
const blockTags: ReadonlySet<string> = new Set(
  "p section article details summary ul ol li dl dt h1 h2 h3 h4 pre table tr".split(" "),
);

/** Beginning of a paragraph by the tag that it begins with. */
const prefixes: Readonly<Record<string, string>> = { h1: "# ", h2: "## ", h3: "### ", h4: "#### ", li: "- ", dt: "- " };

/** True if two paragraphs are parts of one list or table, which has no empty lines. */
const areNeighbours = (before: string, after: string): boolean =>
  ["- ", "| "].some((start) => before.startsWith(start) && after.startsWith(start));

/** Converts parts of a page, tag by tag. */
class MarkdownWriter {
  readonly #blocks: string[] = [];
  readonly #addressOf: (href: string) => string;
  /** Paragraph so far. */
  #text = "";
  #prefix = "";
  /** Place of an open link in the paragraph, and its address. */
  #link: { readonly start: number; readonly href: string } | null = null;
  #cells: string[] = [];
  #isHead = false;
  /** True in a block of code, whose blanks stay. */
  #isCode = false;
  /** True between a term and its first description. */
  #isTerm = false;

  constructor(addressOf: (href: string) => string) {
    this.#addressOf = addressOf;
  }

  text(source: string): void {
    this.#text += this.#isCode ? decoded(source) : decoded(source).replaceAll(/\s+/gu, " ");
  }

  open(tag: string, href: string): void {
    if (blockTags.has(tag)) this.#end(prefixes[tag] ?? "");
    if (tag === "pre") this.#isCode = true;
    else if (tag === "code") this.#text += this.#text.endsWith("`") ? " `" : "`";
    else if (tag === "a") this.#link = { start: this.#text.length, href };
    else if (tag === "tr") [this.#cells, this.#isHead] = [[], false];
    else if (tag === "th") this.#isHead = true;
    else if (tag === "dt") this.#isTerm = true;
    else if (tag === "dd") {
      this.#text = `${this.#text.trimEnd()}${this.#isTerm ? ": " : " "}`;
      this.#isTerm = false;
    }
  }

  close(tag: string): void {
    if (tag === "code") this.#text += "`";
    else if (tag === "a" && this.#link !== null) {
      const { start, href } = this.#link;
      this.#text = `${this.#text.slice(0, start)}[${this.#text.slice(start).trim()}](${this.#addressOf(decoded(href))})`;
    } else if (tag === "th" || tag === "td") {
      this.#cells.push(this.#text.trim().replaceAll("|", "\\|"));
      this.#text = "";
    } else if (tag === "tr") {
      const line = this.#isHead ? `\n|${" --- |".repeat(this.#cells.length)}` : "";
      this.#blocks.push(`| ${this.#cells.join(" | ")} |${line}`);
    } else if (tag === "pre") {
      this.#blocks.push(`\`\`\`\n${this.#text}\n\`\`\``);
      [this.#text, this.#isCode] = ["", false];
    } else if (tag !== "dt" && blockTags.has(tag)) this.#end("");
  }

  result(): string {
    this.#end("");
    return `${this.#blocks
      .map((block, at) =>
        at === 0 ? block : `${areNeighbours(this.#blocks[at - 1] ?? "", block) ? "\n" : "\n\n"}${block}`,
      )
      .join("")}\n`;
  }

  /** Ends the paragraph. */
  #end(prefix: string): void {
    const text = this.#text.trim();
    if (text !== "") this.#blocks.push(`${this.#prefix}${text}`);
    this.#text = "";
    this.#prefix = prefix;
  }
}

/**
 * Converts the main part of a documentation page to Markdown. It knows the tags that the pages have.
 *
 * @param addressOf returns the address of a link by its `href`.
 */
export const toMarkdown = (markup: string, addressOf: (href: string) => string): string => {
  const writer = new MarkdownWriter(addressOf);
  for (const [index, token] of markup.split(/(<[^<>]*>)/u).entries()) {
    const [, slash = "", tag = ""] = /^<(\/?)(\w+)/u.exec(token) ?? [];
    if (index % 2 === 0) writer.text(token);
    else if (slash === "/") writer.close(tag);
    else writer.open(tag, /href="([^"]*)"/u.exec(token)?.[1] ?? "");
  }
  return writer.result();
};

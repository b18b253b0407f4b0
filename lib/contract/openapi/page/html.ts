import { jsonLines } from "./json-lines.ts";

/** HTML text that is already escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | readonly Piece[];

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string, characters: RegExp): string =>
  text.replaceAll(characters, (character) => entities[character] ?? "");

const htmlText = (piece: Piece): string => {
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(htmlText).join("");
  return escaped(String(piece), /[&<>"]/gu);
};

/** Removes the indentation of the template source, and the slash of `<br />` that the formatter adds. */
const compact = (part: string): string => part.replaceAll(/(?<!\s)\s*\n\s*/gu, "\n").replaceAll(/(?<!\s)\s*\/>/gu, ">");

/** Template tag that builds HTML; interpolated values other than `Html` are escaped. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html => {
  const raw = strings.map(compact);
  return new Html(String.raw({ raw }, ...pieces.map(htmlText)));
};

/** Escapes text for use between tags, where quotation marks need no escape; not for attributes. */
const content = (text: string): Html => new Html(escaped(text, /[&<>]/gu));

/** Renders inline code. */
export const code = (text: string): Html => html`<code>${content(text)}</code>`;

/** Renders a block of code. */
export const codeBlock = (text: string): Html => html`<pre>${content(text)}</pre>`;

/** Renders a value as a block of formatted JSON. */
export const jsonBlock = (value: unknown): Html => codeBlock(jsonLines(value));

/** Renders a URL path that can wrap at its slashes. */
export const breakable = (path: string): Html =>
  html`${path.split("/").map((segment, index) => (index < 2 ? `${"/".repeat(index)}${segment}` : html`/<wbr />${segment}`))}`;

/** Renders text with inline code between backticks. */
export const prose = (text: string): Html =>
  html`${text.split("`").map((part, index) => (index % 2 === 0 ? content(part) : code(part)))}`;

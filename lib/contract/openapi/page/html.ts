import { jsonLines } from "./json-lines.ts";

/** A piece of a page, safe to put into another. */
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

const textOf = (piece: Piece): string => {
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(textOf).join("");
  return escaped(String(piece), /[&<>"]/gu);
};

/** Without the indentation of the source, and with `<br>` for the `<br />` that its formatter writes. */
const compact = (part: string): string => part.replaceAll(/\s*\n\s*/gu, "\n").replaceAll(/\s*\/>/gu, ">");

/** HTML in which everything that is put in, other than HTML itself, is text. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html => {
  const raw = strings.map(compact);
  return new Html(String.raw({ raw }, ...pieces.map(textOf)));
};

/** Text that stands between tags, never in an attribute: there quotation marks need no more bytes than they have. */
const content = (text: string): Html => new Html(escaped(text, /[&<>]/gu));

/** A piece of code within a sentence. */
export const code = (text: string): Html => html`<code>${content(text)}</code>`;

/** Lines of code. */
export const codeBlock = (text: string): Html => html`<pre>${content(text)}</pre>`;

/** A value as it goes over the wire. */
export const jsonBlock = (value: unknown): Html => codeBlock(jsonLines(value));

/** A path that may break behind its slashes. */
export const breakable = (path: string): Html =>
  html`${path.split("/").map((segment, index) => (index < 2 ? `${"/".repeat(index)}${segment}` : html`/<wbr />${segment}`))}`;

/** Text in which `code` stands between backticks. */
export const prose = (text: string): Html =>
  html`${text.split("`").map((part, index) => (index % 2 === 0 ? content(part) : code(part)))}`;

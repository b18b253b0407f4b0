/** A piece of a page, safe to put into another. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | readonly Piece[];

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const textOf = (piece: Piece): string => {
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(textOf).join("");
  return String(piece).replaceAll(/[&<>"]/gu, (character) => entities[character] ?? "");
};

/** HTML in which everything that is put in, other than HTML itself, is text. Its own indentation is left out. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html => {
  const raw = strings.map((part) => part.replaceAll(/\n\s+/gu, "\n"));
  return new Html(String.raw({ raw }, ...pieces.map(textOf)));
};

/** Text in which `code` stands between backticks. */
export const prose = (text: string): Html =>
  html`${text.split("`").map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;

import { Lexer, type MarkedToken, type Token } from "marked";

/** Splits Markdown with GitHub's extensions into tokens; a line break of the text is a line break. Texts of tokens are not escaped. */
export const lexMarkdown = (text: string): readonly Token[] => new Lexer({ gfm: true, breaks: true }).lex(text);

const knownTypes: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
]);

/** True for a token of Markdown itself, false for one of an extension of the lexer. */
export const isMarkedToken = (token: Token): token is MarkedToken => knownTypes.has(token.type);

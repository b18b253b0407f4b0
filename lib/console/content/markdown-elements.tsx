import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { ForeignLink, isWebUrl, StoredImage, TextWithMedia } from "./images.tsx";

/** Splits Markdown with GitHub's extensions into tokens; a line break of the text is a line break. Texts of tokens are not escaped. */
const lexMarkdown = (text: string): readonly Token[] => new Lexer({ gfm: true, breaks: true }).lex(text);

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
const isMarkedToken = (token: Token): token is MarkedToken => knownTypes.has(token.type);

/** Max depth of elements; deeper tokens are shown as text. */
const maxDepth = 20;

const alignments = { left: "start", right: "end", center: "center" } as const;

const Table = ({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) => {
  const cell = ({ tokens, align, header }: Tokens.TableCell): ComponentChildren => {
    const Cell = header ? "th" : "td";
    return (
      <Cell style={{ textAlign: alignments[align ?? "left"] }}>
        <Elements tokens={tokens} depth={depth} />
      </Cell>
    );
  };
  return (
    <div class="scrolling" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>{table.header.map(cell)}</tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr>{row.map(cell)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

interface ElementsProps {
  readonly tokens: readonly Token[] | undefined;
  readonly depth: number;
}

const elementOf = (token: Token, depth: number): ComponentChildren => {
  if (!isMarkedToken(token) || depth > maxDepth) return <TextWithMedia text={token.raw} />;
  const inner = (tokens: readonly Token[] | undefined) => <Elements tokens={tokens} depth={depth + 1} />;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "heading":
      return <p class="heading">{inner(token.tokens)}</p>;
    case "paragraph":
      return <p>{inner(token.tokens)}</p>;
    case "blockquote":
      return <blockquote>{inner(token.tokens)}</blockquote>;
    case "code":
      return <pre class="data">{token.text}</pre>;
    case "codespan":
      return <code>{token.text}</code>;
    case "strong":
      return <strong>{inner(token.tokens)}</strong>;
    case "em":
      return <em>{inner(token.tokens)}</em>;
    case "del":
      return <del>{inner(token.tokens)}</del>;
    case "link":
      return isWebUrl(token.href) ? <ForeignLink href={token.href}>{inner(token.tokens)}</ForeignLink> : token.raw;
    case "image":
      return <StoredImage url={token.href} title={token.text} />;
    case "list": {
      const items = token.items.map((item) => <li>{inner(item.tokens)}</li>);
      return token.ordered ? <ol start={token.start === "" ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case "list_item":
      return inner(token.tokens);
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "table":
      return <Table table={token} depth={depth + 1} />;
    case "text":
      return token.tokens === undefined ? <TextWithMedia text={token.text} /> : inner(token.tokens);
    case "escape":
      return token.text;
    case "html":
    default:
      return token.raw;
  }
};

const Elements = ({ tokens = [], depth }: ElementsProps) => <>{tokens.map((token) => elementOf(token, depth))}</>;

/** Returns the tokens of a text; null if it is nested too deeply for the lexer. */
const tokensOf = (text: string): readonly Token[] | null => {
  try {
    return lexMarkdown(text);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

/** Elements of Markdown, or another one of a text that is nested too deeply. */
export const MarkdownText = ({ text, plain }: { readonly text: string; readonly plain: ComponentChildren }) => {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return tokens === null ? plain : <Elements tokens={tokens} depth={0} />;
};

import { signal } from "@preact/signals";
import type { Token, Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type * as LexMarkdown from "./lex-markdown.ts";
import { ForeignLink, isWebUrl, StoredImage, TextWithMedia } from "./images.tsx";

type Lexer = typeof LexMarkdown;

/** The lexer, which is loaded when the first text is displayed; until then texts are displayed as they are. */
const lexer = signal<Lexer | null>(null);
let isLexerRequested = false;

const loadLexer = async (): Promise<void> => {
  isLexerRequested = true;
  try {
    lexer.value = await import("./lex-markdown.ts");
  } catch (error) {
    // Texts stay readable without it.
    reportError(error);
  }
};

/** Max depth of elements; deeper tokens are shown as text. */
const maxDepth = 20;

const alignments = { left: "start", right: "end", center: "center" } as const;

const Table = ({
  table,
  depth,
  lex,
}: {
  readonly table: Tokens.Table;
  readonly depth: number;
  readonly lex: Lexer;
}) => {
  const cell = ({ tokens, align, header }: Tokens.TableCell): ComponentChildren => {
    const Cell = header ? "th" : "td";
    return (
      <Cell style={{ textAlign: alignments[align ?? "left"] }}>
        <Elements tokens={tokens} depth={depth} lex={lex} />
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
  readonly lex: Lexer;
}

const elementOf = (token: Token, depth: number, lex: Lexer): ComponentChildren => {
  if (!lex.isMarkedToken(token) || depth > maxDepth) return <TextWithMedia text={token.raw} />;
  const inner = (tokens: readonly Token[] | undefined) => <Elements tokens={tokens} depth={depth + 1} lex={lex} />;
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
      return <Table table={token} depth={depth + 1} lex={lex} />;
    case "text":
      return token.tokens === undefined ? <TextWithMedia text={token.text} /> : inner(token.tokens);
    case "escape":
      return token.text;
    case "html":
    default:
      return token.raw;
  }
};

const Elements = ({ tokens = [], depth, lex }: ElementsProps) => (
  <>{tokens.map((token) => elementOf(token, depth, lex))}</>
);

/** Returns the tokens of a text; null if it is nested too deeply for the lexer. */
const tokensOf = (lex: Lexer, text: string): readonly Token[] | null => {
  try {
    return lex.lexMarkdown(text);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

/** Renders Markdown as elements; HTML in the text is shown as text, and links lead to http and https addresses only. */
export const Markdown = ({ text }: { readonly text: string }) => {
  const lex = lexer.value;
  if (lex === null && !isLexerRequested) void loadLexer();
  const tokens = useMemo(() => (lex === null ? null : tokensOf(lex, text)), [lex, text]);
  return (
    <div class="words" dir="auto">
      {lex === null || tokens === null ? (
        <p class="plain">
          <TextWithMedia text={text} />
        </p>
      ) : (
        <Elements tokens={tokens} depth={0} lex={lex} />
      )}
    </div>
  );
};

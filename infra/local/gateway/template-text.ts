import { asText } from "../host/as-text.ts";

/** What `$context` holds in a template. */
export type Context = Readonly<Record<string, unknown>>;

const lookUp = (path: string, context: Context): string => {
  let value: unknown = context;
  for (const name of path.split("."))
    value = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[name] : undefined;
  return value === undefined || value === null ? "" : asText(value);
};

/**
 * Replaces `$context.a.b` and `${context.a.b}`.
 *
 * Does not do: Velocity (`#if`, `#set`, `$input`, `$util`), which gateway responses do not have either.
 */
export const substitute = (text: string, context: Context): string =>
  text.replace(/\$\{context\.([\w.]+)\}|\$context\.(\w+(?:\.\w+)*)/g, (_whole, braced?: string, bare?: string) =>
    lookUp(braced ?? bare ?? "", context),
  );

/** The value of a response parameter: `'text'` in quotes, or `context.requestId`. */
export const parameterValue = (expression: string, context: Context): string => {
  if (expression.startsWith("'")) return expression.slice(1, -1);
  return expression.startsWith("context.") ? lookUp(expression.slice("context.".length), context) : "";
};

import { asText } from "../host/as-text.ts";

/** Values of `$context` in a mapping template. */
export type Context = Readonly<Record<string, unknown>>;

const contextValue = (path: string, context: Context): string => {
  let value: unknown = context;
  for (const name of path.split("."))
    value = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[name] : undefined;
  return value === undefined || value === null ? "" : asText(value);
};

/**
 * Replaces `$context.a.b` and `${context.a.b}` in a text by their values; missing values become empty.
 *
 * Not supported: Velocity (`#if`, `#set`, `$input`, `$util`), which gateway responses do not have either.
 */
export const substitute = (text: string, context: Context): string =>
  text.replace(/\$\{context\.([\w.]+)\}|\$context\.(\w+(?:\.\w+)*)/g, (_match, braced?: string, bare?: string) =>
    contextValue(braced ?? bare ?? "", context),
  );

/** Evaluates a response parameter: `'text'` in quotes, or a reference such as `context.requestId`; anything else is empty. */
export const parameterValue = (expression: string, context: Context): string => {
  if (expression.startsWith("'")) return expression.slice(1, -1);
  return expression.startsWith("context.") ? contextValue(expression.slice("context.".length), context) : "";
};

import { type Context, substitute } from "./template-text.ts";

/** What a mapping template makes: the body, and the headers that it sets on the reply. */
export interface Mapped {
  readonly body: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `#set($name = expression)`; the line break behind a directive belongs to it. */
const directive = /#set\(\$([\w.-]+)\s*=\s*((?:"[^"]*"|\([^()]*\)|[^"()])*)\)\n?/g;

const replacement = /^\$(\w+)\.replace\("([^"]*)",\s*"([^"]*)"\)$/;

const overriddenHeader = /^context\.responseOverride\.header\.([\w-]+)$/;

/**
 * Runs a mapping template: what it says, and the headers it sets by `$context.responseOverride.header`.
 *
 * Does not do: Velocity beyond `#set` of a text, of `$context` or of a variable's `replace`, and `$context` in the text (no
 * `#if`, `#foreach`, `$input`, `$util`), an override of the status, or a refusal of a header that is set twice.
 *
 * @throws Error for an expression that it does not know.
 */
export const mapTemplate = (template: string, context: Context): Mapped => {
  const variables = new Map<string, string>();
  const headers: Record<string, string> = {};

  const valueOf = (expression: string): string => {
    if (/^"[^"]*"$/.test(expression)) return substitute(expression.slice(1, -1), context);
    if (/^\$context\.[\w.]+$/.test(expression)) return substitute(expression, context);
    const [, name = "", from = "", to = ""] = replacement.exec(expression) ?? [];
    const value = variables.get(name);
    if (value === undefined) throw new Error(`The local gateway does not do ${expression} in a mapping template.`);
    return value.replaceAll(from, to);
  };

  const text = template.replaceAll(directive, (_directive, name: string, expression: string) => {
    const header = overriddenHeader.exec(name)?.[1];
    const value = valueOf(expression.trim());
    if (header === undefined) variables.set(name, value);
    else headers[header.toLowerCase()] = value;
    return "";
  });
  return { body: substitute(text, context), headers };
};

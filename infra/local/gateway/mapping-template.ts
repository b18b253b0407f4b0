import { type Context, substitute } from "./template-text.ts";

/** What a mapping template makes: the body, and the headers that it sets on the reply. */
export interface Mapped {
  readonly body: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of a request, names in lower case. */
export type SentHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `#set($name = expression)`, `#if(condition)` or `#end`; the line break behind a directive belongs to it. */
const directive =
  /(?:#set\(\$([\w.-]+)\s*=\s*((?:"[^"]*"|\([^()]*\)|[^"()])*)\)|#if\(((?:"[^"]*"|\((?:"[^"]*"|[^"()])*\)|[^"()])*)\)|#end)\n?/g;

const replacement = /^\$(\w+)\.replace\("([^"]*)",\s*"([^"]*)"\)$/;
const sentHeader = /^\$input\.params\(\)\.header\.get\("([\w-]+)"\)$/;
const isMissing = /^!\$(\w+) \|\| \$(\w+) == ""$/;
const isMatch = /^\$(\w+)\.matches\("([^"]*)"\)$/;

const overriddenHeader = /^context\.responseOverride\.header\.([\w-]+)$/;

const unknown = (expression: string): Error =>
  new Error(`The local gateway does not do ${expression} in a mapping template.`);

/**
 * Runs a mapping template: what it says, and the headers it sets by `$context.responseOverride.header`.
 *
 * Does not do: Velocity beyond `#set` of a text, of `$context`, of a header of the request or of a variable's `replace`, `#if`
 * of a variable that is missing or matches a pattern, and `$context` in the text (no `#else`, `#foreach`, `$util`), an override
 * of the status, or a refusal of a header that is set twice. Names of headers are the same in any case.
 *
 * @throws Error for an expression that it does not know.
 */
export const mapTemplate = (template: string, context: Context, sent: SentHeaders = {}): Mapped => {
  const variables = new Map<string, string>();
  const headers: Record<string, string> = {};

  const valueOf = (expression: string): string => {
    if (/^"[^"]*"$/.test(expression)) return substitute(expression.slice(1, -1), context);
    if (/^\$context\.[\w.]+$/.test(expression)) return substitute(expression, context);
    const header = sentHeader.exec(expression)?.[1];
    if (header !== undefined) return String(sent[header.toLowerCase()] ?? "");
    const copied = variables.get(expression.slice(1));
    if (copied !== undefined) return copied;
    const [, name = "", from = "", to = ""] = replacement.exec(expression) ?? [];
    const value = variables.get(name);
    if (value === undefined) throw unknown(expression);
    return value.replaceAll(from, to);
  };

  const holds = (condition: string): boolean => {
    const [, missing, same] = isMissing.exec(condition) ?? [];
    if (missing !== undefined && missing === same) return (variables.get(missing) ?? "") === "";
    const [, name = "", pattern] = isMatch.exec(condition) ?? [];
    if (pattern === undefined) throw unknown(condition);
    return new RegExp(`^(?:${pattern})$`, "u").test(variables.get(name) ?? "");
  };

  const text: string[] = [];
  const within: boolean[] = [];
  let read = 0;
  for (const found of template.matchAll(directive)) {
    const [whole, name, expression = "", condition] = found;
    const runs = within.every((each) => each);
    if (runs) text.push(template.slice(read, found.index));
    read = found.index + whole.length;
    if (condition !== undefined) within.push(runs && holds(condition.trim()));
    else if (name === undefined) within.pop();
    else if (runs) {
      const value = valueOf(expression.trim());
      const header = overriddenHeader.exec(name)?.[1];
      if (header === undefined) variables.set(name, value);
      else headers[header.toLowerCase()] = value;
    }
  }
  text.push(template.slice(read));
  return { body: substitute(text.join(""), context), headers };
};

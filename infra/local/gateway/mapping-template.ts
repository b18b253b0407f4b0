import { type Context, substitute } from "./template-text.ts";

/** Result of a mapping template: the body and the headers of the reply. */
export interface TemplateResult {
  readonly body: string;
  /** Headers that the template sets; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of a request, names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Matches `#set($name = expression)`, `#if(condition)` or `#end`, with the line break after the directive. */
const directive =
  /(?:#set\(\$([\w.-]+)\s*=\s*('[^']*'|(?:"[^"]*"|\([^()]*\)|[^"()])*)\)|#if\(((?:"[^"]*"|\((?:"[^"]*"|[^"()])*\)|[^"()])*)\)|#end)\n?/g;

const replacement = /^\$(\w+)\.replace\("([^"]*)",\s*"([^"]*)"\)$/;
const requestHeader = /^\$input\.params\(\)\.header\.get\("([\w-]+)"\)$/;
const missingCondition = /^!\$(\w+) \|\| \$(\w+) == ""$/;
const matchCondition = /^\$(\w+)\.matches\("([^"]*)"\)$/;

const overriddenHeader = /^context\.responseOverride\.header\.([\w-]+)$/;

const unsupported = (expression: string): Error =>
  new Error(`The local gateway does not support ${expression} in a mapping template.`);

/**
 * Evaluates a mapping template. Headers are set by `$context.responseOverride.header`.
 *
 * Not supported: Velocity beyond `#set` of a text, of `$context`, of a header of the request or of a variable's `replace`, `#if`
 * of a variable that is missing or matches a pattern, and `$context` in the text (no `#else`, `#foreach`, `$util`), an override
 * of the status, or an error for a header that is set twice. Header names are case-insensitive.
 *
 * @throws Error for an unsupported expression.
 */
export const mapTemplate = (
  template: string,
  context: Context,
  requestHeaders: RequestHeaders = {},
): TemplateResult => {
  const variables = new Map<string, string>();
  const headers: Record<string, string> = {};

  const valueOf = (expression: string): string => {
    if (/^'[^']*'$/.test(expression)) return expression.slice(1, -1);
    if (/^"[^"]*"$/.test(expression)) return substitute(expression.slice(1, -1), context);
    if (/^\$context\.[\w.]+$/.test(expression)) return substitute(expression, context);
    const header = requestHeader.exec(expression)?.[1];
    if (header !== undefined) return String(requestHeaders[header.toLowerCase()] ?? "");
    const variableValue = variables.get(expression.slice(1));
    if (variableValue !== undefined) return variableValue;
    const [, name = "", from = "", to = ""] = replacement.exec(expression) ?? [];
    const value = variables.get(name);
    if (value === undefined) throw unsupported(expression);
    return value.replaceAll(from, to);
  };

  const isTrue = (condition: string): boolean => {
    const [, missing, same] = missingCondition.exec(condition) ?? [];
    if (missing !== undefined && missing === same) return (variables.get(missing) ?? "") === "";
    const [, name = "", pattern] = matchCondition.exec(condition) ?? [];
    if (pattern === undefined) throw unsupported(condition);
    return new RegExp(`^(?:${pattern})$`, "u").test(variables.get(name) ?? "");
  };

  const text: string[] = [];
  const openConditions: boolean[] = [];
  let position = 0;
  for (const directiveMatch of template.matchAll(directive)) {
    const [directiveText, name, expression = "", condition] = directiveMatch;
    const isActive = openConditions.every((each) => each);
    if (isActive) text.push(template.slice(position, directiveMatch.index));
    position = directiveMatch.index + directiveText.length;
    if (condition !== undefined) openConditions.push(isActive && isTrue(condition.trim()));
    else if (name === undefined) openConditions.pop();
    else if (isActive) {
      const value = valueOf(expression.trim());
      const header = overriddenHeader.exec(name)?.[1];
      if (header === undefined) variables.set(name, value);
      else headers[header.toLowerCase()] = value;
    }
  }
  text.push(template.slice(position));
  return { body: substitute(text.join(""), context), headers };
};

import type { Span } from "../../client/interface.ts";

/** Returns names and values of a tree as text. */
const spanText = (root: unknown): string => {
  const texts: unknown[] = [];
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at -= 1) stack.push(value[at]);
    else if (typeof value === "object" && value !== null)
      for (const [name, child] of Object.entries(value).toReversed()) stack.push(child, name);
    else texts.push(value);
  }
  return texts.join("\n");
};

const searchTexts = new WeakMap<Span, string>();

/** Returns what is searched of a span, in lower case: name, model, error, input and output. */
const searchTextOf = (span: Span): string => {
  const storedText = searchTexts.get(span);
  if (storedText !== undefined) return storedText;
  const text = [span.name, span.model, span.error, span.input, span.output].map(spanText).join("\n").toLowerCase();
  searchTexts.set(span, text);
  return text;
};

/** Returns the ids of the spans that contain a text, ignoring case, in the order of the spans. */
export const findSpans = (spans: readonly Span[], text: string): readonly string[] => {
  const needle = text.trim().toLowerCase();
  return spans.flatMap((span) => (searchTextOf(span).includes(needle) ? [span.span_id] : []));
};

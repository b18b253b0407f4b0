import type { Json } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";
import type { NumberedSpan } from "./spans.ts";
import { messageTexts } from "./value-text.ts";

/** LangGraph's name for the end of a graph: the output of a step that only decides where to go. */
const graphEnd = "__end__";

/** True for a step of a program that did not fail and records nothing but input and output. */
const isPlainStep = ({ kind, status, error, metadata, model_parameters: parameters }: Span): boolean =>
  (kind === "CHAIN" || kind === "OTHER") &&
  status !== "ERROR" &&
  error === null &&
  Object.keys(metadata).length + Object.keys(parameters ?? {}).length === 0;

const isWithin = (texts: readonly string[], others: ReadonlySet<string>): boolean =>
  texts.length > 0 && texts.every((text) => others.has(text));

/**
 * Finds the spans without children that only pass on messages of their parent, such as `__start__` and `RunnableLambda` of
 * LangGraph: their input is part of the parent's input and output, and their output is part of their own input.
 *
 * @param spans spans in the order of their numbers, without repeated metadata and parameters.
 * @returns numbers of the spans.
 */
export const forwardingSpans = (spans: readonly NumberedSpan[]): ReadonlySet<number> => {
  const parents = new Set(spans.map(({ parent }) => parent));
  const textsByParent = new Map<number, ReadonlySet<string>>();
  const textsOf = (parent: number): ReadonlySet<string> => {
    const { input, output }: { input: Json; output: Json } = spans[parent - 1]!.span;
    const texts = textsByParent.get(parent) ?? new Set([...messageTexts(input), ...messageTexts(output)]);
    textsByParent.set(parent, texts);
    return texts;
  };
  const isForwarding = ({ span, number, parent }: NumberedSpan): boolean => {
    if (parent === null || parents.has(number) || !isPlainStep(span)) return false;
    const texts = messageTexts(span.input);
    return (
      (span.output === graphEnd || isWithin(messageTexts(span.output), new Set(texts))) &&
      isWithin(texts, textsOf(parent))
    );
  };
  return new Set(spans.filter(isForwarding).map(({ number }) => number));
};

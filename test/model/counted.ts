import { modelIdentity } from "../../lib/domain/model-name.ts";
import { dollarsOf, reportedTotal, spanTokens, type PricedTokens } from "./cost.ts";
import type { ModelSpan, ModelTrace } from "./trace.ts";

/** A span with the amounts that its trace counts. */
export interface CountedSpan extends ModelSpan {
  readonly prompt: number;
  readonly completion: number;
  readonly dollars: number;
  /** Counted tokens without a known cost. */
  readonly unpriced: number;
}

const amounts = ["prompt", "completion", "paid"] as const;
type Amount = (typeof amounts)[number];

const reports: Readonly<Record<Amount, (span: ModelSpan) => boolean>> = {
  prompt: (span) => spanTokens(span).prompt > 0,
  completion: (span) => spanTokens(span).completion > 0,
  paid: (span) => (reportedTotal(span) ?? 0) > 0,
};

const modelOf = ({ fields: { model } }: ModelSpan): string => (typeof model === "string" ? modelIdentity(model) : "");

/** True for a call of a model if another span names another model. */
const isOther = (call: ModelSpan, span: ModelSpan): boolean =>
  (call.fields["kind"] === "LLM" || call.fields["kind"] === "EMBEDDING") &&
  modelOf(call) !== "" &&
  modelOf(span) !== "" &&
  modelOf(call) !== modelOf(span);

/** The spans around a span, from within; a circle of parents ends at its lowest id. */
const spansAround = ({ spans }: ModelTrace, span: ModelSpan): readonly ModelSpan[] => {
  const parentOf = ({ parent }: ModelSpan) => (typeof parent === "string" ? spans.get(parent) : undefined);
  const circleOf = (start: ModelSpan): readonly ModelSpan[] => {
    const chain = [start];
    for (let up = parentOf(start); up !== undefined; up = parentOf(up)) {
      if (up === start) return chain;
      if (chain.includes(up)) return [];
      chain.push(up);
    }
    return [];
  };
  const isTop = (each: ModelSpan): boolean => {
    const circle = circleOf(each);
    return circle.length > 0 && circle.every(({ spanId }) => spanId >= each.spanId);
  };
  const around: ModelSpan[] = [];
  for (let at = span; !isTop(at);) {
    const next = parentOf(at);
    if (next === undefined) break;
    around.push(next);
    at = next;
  }
  return around;
};

/** Returns a trace's spans with what is counted of them, without spans whose usage others repeat. */
export const countedSpans = (trace: ModelTrace): readonly CountedSpan[] => {
  const around = new Map(Array.from(trace.spans.values(), (span) => [span, spansAround(trace, span)]));
  const within = (span: ModelSpan) => [...around].flatMap(([each, outer]) => (outer.includes(span) ? [each] : []));
  const counted = new Map<ModelSpan, ReadonlySet<Amount>>();
  const counts = (span: ModelSpan, name: Amount): boolean => counted.get(span)?.has(name) === true;
  for (const [span] of [...around].toSorted(([, a], [, b]) => b.length - a.length)) {
    const inner = within(span);
    const isCounted = (name: Amount): boolean =>
      reports[name](span) && inner.every((each) => !counts(each, name) || isOther(span, each));
    counted.set(span, new Set(amounts.filter(isCounted)));
  }
  const hasTokens = (span: ModelSpan): boolean => counts(span, "prompt") || counts(span, "completion");
  const covers = (payer: ModelSpan, span: ModelSpan): boolean => counts(payer, "paid") && !isOther(payer, span);
  /** True if a cost without tokens is that of the nearest span around it with tokens. */
  const coversFromWithin = (payer: ModelSpan, span: ModelSpan): boolean =>
    covers(payer, span) && ![payer, ...within(payer)].some(hasTokens) && around.get(payer)?.find(hasTokens) === span;
  return [...around].flatMap(([span, outer]) => {
    if (amounts.some((name) => reports[name](span)) && counted.get(span)?.size === 0) return [];
    const [prompt, completion] = (["prompt", "completion"] as const).map((name) =>
      counts(span, name) ? spanTokens(span)[name] : 0,
    ) as [number, number];
    const isCovered =
      outer.some((payer) => covers(payer, span)) || within(span).some((payer) => coversFromWithin(payer, span));
    const tokens: PricedTokens = { prompt: counts(span, "prompt"), completion: counts(span, "completion") };
    const listed = isCovered ? null : dollarsOf(span, tokens);
    const isPaid = isCovered || reportedTotal(span) !== null;
    const { other, reported } = spanTokens(span);
    const isOtherCounted = reported.prompt + reported.completion === 0 ? tokens.prompt : tokens.completion;
    const unknown = listed === null ? prompt + completion : isOtherCounted ? other : 0;
    return [
      {
        ...span,
        prompt,
        completion,
        dollars: (counts(span, "paid") ? (reportedTotal(span) ?? 0) : 0) + (listed ?? 0),
        unpriced: isPaid ? 0 : Math.round(unknown),
      },
    ];
  });
};

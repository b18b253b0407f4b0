import type { Span } from "../../client/interface.ts";

const numberIn = (record: Readonly<Record<string, unknown>> | null, ...names: readonly string[]): number | null => {
  const match = names.map((name) => record?.[name]).find((value) => typeof value === "number");
  return match ?? null;
};

/** Tokens that a span sent to and received from a model, and its cost in US dollars; null where unknown. */
export interface SpanUsage {
  readonly prompt: number | null;
  readonly completion: number | null;
  readonly total: number | null;
  readonly cost: number | null;
}

/** Reads tokens and cost of a span. */
export const spanUsageOf = ({ token_usage: usage, cost }: Pick<Span, "token_usage" | "cost">): SpanUsage => {
  const prompt = numberIn(usage, "prompt_tokens", "input_tokens");
  const completion = numberIn(usage, "completion_tokens", "output_tokens");
  const sum = prompt === null && completion === null ? null : (prompt ?? 0) + (completion ?? 0);
  return { prompt, completion, total: numberIn(usage, "total_tokens") ?? sum, cost: numberIn(cost, "total") };
};

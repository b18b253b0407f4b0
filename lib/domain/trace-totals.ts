import { toDouble, type JsonObject } from "./json.ts";
import type { Span } from "./trace.ts";

/** What one model, or spans without one, added to one UTC hour. */
export interface Contribution {
  /** `YYYY-MM-DDTHH`, from the spans' start. */
  readonly hour: string;
  readonly model: string | null;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: number;
}

const amount = (values: JsonObject | null, key: string): number => {
  const value = toDouble(values?.[key] ?? 0);
  return typeof value === "number" ? value : 0;
};

/** Adds the spans up by hour and model. */
export const contributionsOf = (spans: readonly Span[]): readonly Contribution[] => {
  const sums = new Map<string, Contribution>();
  for (const span of spans) {
    const hour = span.started_at.slice(0, 13);
    const key = JSON.stringify([hour, span.model]);
    const sum = sums.get(key);
    sums.set(key, {
      hour,
      model: span.model,
      calls: (sum?.calls ?? 0) + 1,
      promptTokens: (sum?.promptTokens ?? 0) + amount(span.token_usage, "prompt_tokens"),
      completionTokens: (sum?.completionTokens ?? 0) + amount(span.token_usage, "completion_tokens"),
      cost: (sum?.cost ?? 0) + amount(span.cost, "total"),
    });
  }
  return [...sums.values()];
};

/** Prompt and completion tokens of some contributions, a whole number. */
export const totalTokens = (contributions: readonly Contribution[]): number =>
  Math.round(contributions.reduce((sum, part) => sum + part.promptTokens + part.completionTokens, 0));

export const totalCost = (contributions: readonly Contribution[]): number =>
  contributions.reduce((sum, part) => sum + part.cost, 0);

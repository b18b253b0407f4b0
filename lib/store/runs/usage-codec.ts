import * as v from "valibot";
import type { JudgeUsage } from "../../domain/runs/judge-usage.ts";

/** Schema of a packed usage: a tuple in the order of `packUsage`. */
export const packedUsage = v.tuple([
  v.number(),
  v.number(),
  v.number(),
  v.number(),
  v.nullable(v.number()),
  v.optional(v.number()),
]);

type PackedUsage = v.InferOutput<typeof packedUsage>;

export const packUsage = (usage: JudgeUsage): readonly (number | null)[] => [
  usage.calls,
  usage.promptTokens,
  usage.completionTokens,
  usage.cachedTokens,
  usage.cost,
  ...(usage.charged === undefined ? [] : [usage.charged]),
];

export const unpackUsage = ([
  calls,
  promptTokens,
  completionTokens,
  cachedTokens,
  cost,
  charged,
]: PackedUsage): JudgeUsage => ({
  calls,
  promptTokens,
  completionTokens,
  cachedTokens,
  cost,
  ...(charged !== undefined && { charged }),
});

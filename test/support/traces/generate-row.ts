import { noProvenance } from "../../../lib/domain/traces/provenance.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import { derivedUuid } from "../../../lib/domain/access/identity.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { totalCost, totalTokens } from "../../../lib/domain/traces/totals.ts";
import type { Random } from "../random.ts";

const names = ["support-agent", "research-agent", "data-analyst", "code-review", "rag-qa", "triage"] as const;
const models = ["gpt-5.4-mini", "gpt-4o-mini-2024-07-18", "claude-sonnet-4-5-20250929", "gemini-2.5-flash"] as const;

/**
 * Generates the row of a 20-span trace as `generateTrace` makes them, without the document; fast enough for hundreds of
 * thousands.
 * @param start epoch milliseconds.
 */
export const generateRow = (random: Random, start: number): TraceRow => {
  const startedAt = `${instantAt(start).slice(0, 19)}.${String(random.below(999_999) + 1).padStart(6, "0")}+00:00`;
  const hour = startedAt.slice(0, 13);
  const contributions = [
    { hour, model: null, calls: 12, promptTokens: 0, completionTokens: 0, cost: 0 },
    {
      hour,
      model: random.pick(models),
      calls: 8,
      promptTokens: random.between(2000, 9000),
      completionTokens: random.between(400, 900),
      cost: random.between(1_000_000, 3_000_000) / 1e9,
    },
  ];
  return {
    traceId: derivedUuid("bench row", String(random.next()), startedAt),
    name: random.pick(names),
    status: random.chance(0.05) ? "ERROR" : "COMPLETED",
    startedAt,
    endedAt: random.chance(0.02) ? null : instantAt(start + random.between(1000, 30_000)),
    sessionId: `sess-${derivedUuid("bench session", String(random.below(20_000)))}`,
    userId: `user_${random.below(5000)}`,
    tags: ["prod", random.pick(["eu", "us", "beta"])],
    environment: "production",
    release: `2026.10.${random.below(20)}`,
    ending: null,
    spanCount: 20,
    firstSpanAt: startedAt,
    lastSpanAt: instantAt(start + 9000),
    totalTokens: totalTokens(contributions),
    totalCost: totalCost(contributions),
    facts: {
      spans: {
        errors: random.chance(0.1) ? 1 : 0,
        models: { numbers: [random.between(1, 3)], hasMore: false },
        tools: { numbers: [1, 2, random.between(3, 9)], hasMore: false },
        costs: ["client"],
        unpricedTokens: 0,
      },
      preview: `Please look at order ${random.between(100_000, 999_999)} `.padEnd(120, "and tell me where it is "),
      metadata: [],
      provenance: noProvenance,
      firstError: null,
    },
    contributions,
    version: 1,
    contentVersion: 1,
    arrivedAt: start + random.between(10_000, 60_000),
    changedAt: start + 60_000,
    incarnation: Buffer.from(Array.from({ length: 6 }, () => random.below(256))).toString("base64url"),
    pieces: [],
    appendState: null,
  };
};

import type { NamesByNumber } from "../domain/analytics/value-counts.ts";
import { hourStart } from "../domain/analytics/bucket.ts";
import { instantAt, type Instant } from "../domain/instant.ts";
import { foldForSearch } from "../domain/traces/search/case-folding.ts";
import type { NumberedNames } from "../domain/traces/facts.ts";
import { unpricedTokensIn, type ListedTrace, type TraceRow } from "../domain/traces/row.ts";
import type { LakeRow } from "../domain/lake/tables.ts";

/** Billionths of a dollar. */
const nano = 1e9;

const [maxBigint, maxBigintText] = [2 ** 63, "9223372036854775807"];

/** Returns a whole number of 64 bits, the largest one for a number beyond. */
export const whole = (value: number): number | string =>
  value >= maxBigint ? maxBigintText : Math.max(Math.round(value), -maxBigint);

/** Returns US dollars as billionths. */
export const nanoDollars = (dollars: number): number | string => whole(dollars * nano);

const namesIn = ({ numbers }: NumberedNames, names: ReadonlyMap<number, string>): readonly string[] =>
  numbers.flatMap((number) => names.get(number) ?? []);

/** US dollars from which a cost is not in `usage`: sums of lower ones are exact, see `usageSql`. */
const maxCost = 1_000_000;

/** Returns usage for sums by hour and model; null if the sums need the trace's document. */
const usageOf = (contributions: TraceRow["contributions"]): LakeRow<"traces">["usage"] => {
  const isSummable = contributions?.every(
    ({ promptTokens, completionTokens, cost }) =>
      Number.isSafeInteger(promptTokens) && Number.isSafeInteger(completionTokens) && cost < maxCost,
  );
  if (contributions === null || contributions.length === 0 || isSummable !== true) return null;
  return contributions.map(({ hour, model, calls, promptTokens, completionTokens, cost }) => ({
    hour: hourStart(hour),
    model,
    calls,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    cost_usd: cost,
  }));
};

/**
 * Returns the row of a trace as it is written to the lake; its number is assigned when all rows of the day are sorted.
 *
 * @param expiresAt epoch seconds; null if the trace is kept.
 */
export const lakeTraceRow = (
  trace: ListedTrace & Pick<TraceRow, "contributions">,
  names: NamesByNumber,
  expiresAt: number | null,
): Omit<LakeRow<"traces">, "row"> => {
  const { facts } = trace;
  const instantOrNull = (milliseconds: number | null): Instant | null =>
    milliseconds === null ? null : instantAt(milliseconds);
  return {
    trace_id: trace.traceId,
    started_at: trace.startedAt,
    ended_at: trace.endedAt,
    name: trace.name,
    folded_name: foldForSearch(trace.name),
    status: trace.status,
    session_id: trace.sessionId,
    user_id: trace.userId,
    environment: trace.environment,
    release: trace.release,
    tags: trace.tags,
    latency_ms: trace.latency,
    cost_usd: trace.totalCost,
    cost_nano_usd: nanoDollars(trace.totalCost),
    tokens: whole(trace.totalTokens),
    unpriced_tokens: whole(unpricedTokensIn({ facts, totalTokens: trace.totalTokens, totalCost: trace.totalCost })),
    spans: trace.spanCount,
    failed_spans: facts?.spans.errors ?? null,
    first_error: facts?.firstError?.text ?? null,
    models: facts === null ? null : namesIn(facts.spans.models, names.models),
    tools: facts === null ? null : namesIn(facts.spans.tools, names.tools),
    prompts: facts?.provenance.prompts ?? null,
    experiment: facts?.provenance.experiment ?? null,
    experiment_id: facts?.provenance.experimentId ?? null,
    experiment_item_id: facts?.provenance.experimentItem ?? null,
    dataset: facts?.provenance.dataset ?? null,
    metadata: facts === null ? null : Object.fromEntries(facts.metadata.map(({ key, value }) => [key, value])),
    preview: facts?.preview ?? null,
    arrived_at: instantAt(trace.arrivedAt),
    changed_at: instantAt(trace.changedAt),
    expires_at: instantOrNull(expiresAt === null ? null : expiresAt * 1000),
    first_span_at: trace.firstSpanAt,
    last_span_at: trace.lastSpanAt,
    usage: usageOf(trace.contributions),
  };
};

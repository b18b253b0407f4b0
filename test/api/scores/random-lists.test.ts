import { beforeAll, expect, inject, test } from "vitest";
import { createCustomMetric, updateCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTraceScore, listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { type Random, seeded } from "../../support/random.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { orderOf } from "../../support/runs/trace-runs.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const seed = Number(process.env["FILTERS_SEED"] ?? freshSeed());
const random = seeded(seed);

/** Number of random lists. `npm run filters` tests more. A title has the seed, which `FILTERS_SEED` sets to repeat a failure. */
const runs = Number(process.env["FILTERS_RUNS"] ?? 6);

const project = newProject(inject("service"));
const traces = 6;

const listPage = async (query: Readonly<Record<string, string | number>>) => {
  const { items, total, next_cursor } = await project.answer(listTraceScores, { query });
  return { items, total, next_cursor };
};

type Score = Awaited<ReturnType<typeof listPage>>["items"][number];

/** Scores of a judge and of people, in the form in which the unfiltered list returns them. */
let allScores: readonly Score[];

beforeAll(async () => {
  const ids: string[] = [];
  for (let index = 0; index < traces; index += 1) {
    const environment = random.pick(["production", "staging"]);
    const { trace_id } = await project.answer(createTrace, { body: someTrace({ environment }) });
    ids.push(trace_id);
    for (const [data_type, value] of [
      ["NUMERIC", random.below(9) / 8],
      ["BOOLEAN", random.chance(0.5)],
      ["CATEGORICAL", random.pick(["billing", "0.5"])],
    ] as const) {
      const metadata = random.pick<object>([{}, { success: true }, { success: false }]);
      const source = random.pick(["ANNOTATION", "PROGRAMMATIC"]);
      const body = { trace_id, name: random.pick(["quality", "topic"]), value, data_type, source, metadata };
      await project.answer(createTraceScore, { body });
    }
  }
  // Scores of two judges, some FAILED and some not applicable.
  // The offline judge has no rule for this metric.
  await project.answer(createCustomMetric, { body: someMetric("unanswered") });
  const changed = { params: { metric_name: "unanswered" }, body: { threshold: 0.9 } };
  await project.answer(updateCustomMetric, changed);
  const metrics = ["task_completion", "coherence", "plan_quality", "unanswered@1", "unanswered@2"];
  const { id } = await project.answer(createTraceRun, { body: { metrics } });
  await endedRun(project, { id });
  for (const trace_id of ids.slice(0, traces / 2))
    await project.answer(updateTrace, { params: { trace_id }, body: { output: "Something else." } });
  allScores = await eventually(async () => {
    const { items } = await listPage({ limit: 200 });
    return items.length === traces * (3 + metrics.length) ? items : undefined;
  });
});

const numberOf = ({ data_type, value, applicable }: Score): number | null => {
  if (data_type === "CATEGORICAL" || value === null || applicable === false) return null;
  return data_type === "BOOLEAN" ? Number(value === "true") : Number(value);
};

/** For each filter, the condition that a score must fulfil. */
const conditions: Readonly<Record<string, (score: Score, parameter: string) => boolean>> = {
  trace_id: ({ trace_id }, parameter) => trace_id === parameter,
  name: ({ name }, parameter) => name === parameter,
  source: ({ source }, parameter) => source === parameter,
  status: ({ status }, parameter) => status === parameter,
  data_type: ({ data_type }, parameter) => data_type === parameter,
  environment: ({ environment }, parameter) => environment === parameter,
  eval_run_id: ({ eval_run_id }, parameter) => eval_run_id === parameter,
  judge: ({ judge }, parameter) => [judge?.version, judge?.id].includes(parameter),
  model: ({ judge }, parameter) =>
    judge !== null && [judge.model, `${judge.provider}/${judge.model}`].includes(parameter),
  min_value: (score, parameter) => (numberOf(score) ?? Number.NaN) >= Number(parameter),
  max_value: (score, parameter) => (numberOf(score) ?? Number.NaN) <= Number(parameter),
  success: ({ metadata }, parameter) => JSON.stringify(metadata["success"]) === parameter,
  applicable: ({ applicable }, parameter) => String(applicable) === parameter,
  metric_version: ({ metadata }, parameter) => metadata["metric_version"] === Number(parameter),
  stale: ({ stale }, parameter) => String(stale) === parameter,
  date_from: ({ created_at }, parameter) => created_at >= parameter,
  date_to: ({ created_at }, parameter) => created_at < parameter,
};

/** Filters whose total is counted while the list is read. Totals of other filters may lag. */
const content = ["model", "min_value", "max_value", "success", "applicable", "metric_version", "stale"];

const someFilters = (generator: Random): Readonly<Record<string, string>> => {
  const someScore = (): Score => allScores[generator.below(allScores.length)] as Score;
  const makers: Readonly<Record<string, () => string | null | undefined>> = {
    trace_id: () => someScore().trace_id,
    name: () => someScore().name,
    source: () => someScore().source,
    status: () => someScore().status,
    data_type: () => someScore().data_type,
    environment: () => someScore().environment,
    eval_run_id: () => someScore().eval_run_id,
    judge: () => someScore().judge?.[generator.pick(["id", "version"] as const)],
    model: () => generator.pick(["offline/rules", "rules", "words", "offline/nobody"]),
    min_value: () => String(generator.below(9) / 8),
    max_value: () => String(generator.below(9) / 8),
    success: () => String(generator.chance(0.5)),
    applicable: () => String(generator.chance(0.5)),
    metric_version: () => String(generator.between(1, 3)),
    stale: () => String(generator.chance(0.5)),
    date_from: () => someScore().created_at,
    date_to: () => someScore().created_at,
  };
  const entries = Object.entries(makers).map(([name, make]) => [name, generator.chance(0.13) ? make() : null] as const);
  const filters = Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
  // A metric version needs a metric name.
  return "metric_version" in filters ? { name: "unanswered", ...filters } : filters;
};

/** All items of a list, page by page. */
const readAllPages = async (query: Readonly<Record<string, string | number>>) => {
  const items: Score[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listPage>> = await listPage({ ...query, ...(cursor !== null && { cursor }) });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
};

const idsOf = (scores: readonly Score[]): readonly string[] => scores.map(({ id }) => id);

test.each(Array.from({ length: runs }, (_, run) => [seed, run] as const))(
  "random lists of scores of seed %i, %i: exactly the matching scores are listed, in pages of any size",
  async (_, run) => {
    const generator = random.fork(`scores ${run}`);
    const filters = someFilters(generator);
    const direction = generator.pick(["asc", "desc"]);
    const query = { ...filters, sort_by: generator.pick(["created_at", "value"]), sort_order: direction };
    const matching = allScores.filter((score) =>
      Object.entries(filters).every(([name, value]) => conditions[name]?.(score, value) === true),
    );

    const atOnce = await listPage({ ...query, limit: 200 });
    const paged = await readAllPages({ ...query, limit: generator.between(1, 9) });

    const queryText = JSON.stringify(query);
    expect([queryText, ...idsOf(atOnce.items).toSorted()]).toEqual([queryText, ...idsOf(matching).toSorted()]);
    expect([queryText, ...idsOf(paged)]).toEqual([queryText, ...idsOf(atOnce.items)]);
    const numbers = matching.map(numberOf).filter((value) => value !== null);
    const sign = direction === "asc" ? 1 : -1;
    const newest = idsOf(matching.toSorted((a, b) => sign * (orderOf(a) < orderOf(b) ? -1 : 1)));
    const unvalued = matching.slice(numbers.length).map(() => null);
    const isByValue = query.sort_by === "value";
    expect([queryText, ...(isByValue ? atOnce.items.map(numberOf) : idsOf(atOnce.items))]).toEqual([
      queryText,
      ...(isByValue ? [...numbers.toSorted((a, b) => sign * (a - b)), ...unvalued] : newest),
    ]);
    const isCounted = content.some((name) => name in filters);
    expect([queryText, isCounted ? atOnce.total : matching.length]).toEqual([queryText, matching.length]);
  },
);

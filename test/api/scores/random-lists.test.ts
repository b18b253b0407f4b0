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

/** Lists that are asked for. `npm run filters` asks for more; a title has the seed, with which `FILTERS_SEED` asks the same again. */
const runs = Number(process.env["FILTERS_RUNS"] ?? 6);

const project = newProject(inject("service"));
const traces = 6;

const listed = async (query: Readonly<Record<string, string | number>>) => {
  const { items, total, next_cursor } = await project.answer(listTraceScores, { query });
  return { items, total, next_cursor };
};

type Score = Awaited<ReturnType<typeof listed>>["items"][number];

/** A judge's and people's, each as its whole list tells it. */
let all: readonly Score[];

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
  // Judged by two, some of it FAILED, some of what does not apply.
  // The offline judge has no rule for it.
  await project.answer(createCustomMetric, { body: someMetric("unanswered") });
  const changed = { params: { metric_name: "unanswered" }, body: { threshold: 0.9 } };
  await project.answer(updateCustomMetric, changed);
  const metrics = ["task_completion", "coherence", "plan_quality", "unanswered@1", "unanswered@2"];
  const { id } = await project.answer(createTraceRun, { body: { metrics } });
  await endedRun(project, { id });
  for (const trace_id of ids.slice(0, traces / 2))
    await project.answer(updateTrace, { params: { trace_id }, body: { output: "Something else." } });
  all = await eventually(async () => {
    const { items } = await listed({ limit: 200 });
    return items.length === traces * (3 + metrics.length) ? items : undefined;
  });
});

const numberOf = ({ data_type, value, applicable }: Score): number | null =>
  data_type !== "NUMERIC" || value === null || applicable === false ? null : Number(value);

/** What each parameter keeps. */
const keeps: Readonly<Record<string, (score: Score, asked: string) => boolean>> = {
  trace_id: ({ trace_id }, asked) => trace_id === asked,
  name: ({ name }, asked) => name === asked,
  source: ({ source }, asked) => source === asked,
  status: ({ status }, asked) => status === asked,
  data_type: ({ data_type }, asked) => data_type === asked,
  environment: ({ environment }, asked) => environment === asked,
  eval_run_id: ({ eval_run_id }, asked) => eval_run_id === asked,
  judge: ({ judge }, asked) => judge?.version === asked,
  model: ({ judge }, asked) => judge !== null && [judge.model, `${judge.provider}/${judge.model}`].includes(asked),
  min_value: (score, asked) => (numberOf(score) ?? Number.NaN) >= Number(asked),
  max_value: (score, asked) => (numberOf(score) ?? Number.NaN) <= Number(asked),
  success: ({ metadata }, asked) => JSON.stringify(metadata["success"]) === asked,
  applicable: ({ applicable }, asked) => String(applicable) === asked,
  metric_version: ({ metadata }, asked) => metadata["metric_version"] === Number(asked),
  stale: ({ stale }, asked) => String(stale) === asked,
  date_from: ({ created_at }, asked) => created_at >= asked,
  date_to: ({ created_at }, asked) => created_at < asked,
};

/** Those whose number is counted as the list is read: the others' may lag. */
const content = ["model", "min_value", "max_value", "success", "applicable", "metric_version", "stale"];

const someAsked = (own: Random): Readonly<Record<string, string>> => {
  const some = (): Score => all[own.below(all.length)] as Score;
  const asked: Readonly<Record<string, () => string | null | undefined>> = {
    trace_id: () => some().trace_id,
    name: () => some().name,
    source: () => some().source,
    status: () => some().status,
    data_type: () => some().data_type,
    environment: () => some().environment,
    eval_run_id: () => some().eval_run_id,
    judge: () => some().judge?.version,
    model: () => own.pick(["offline/rules", "rules", "words", "offline/nobody"]),
    min_value: () => String(own.below(9) / 8),
    max_value: () => String(own.below(9) / 8),
    success: () => String(own.chance(0.5)),
    applicable: () => String(own.chance(0.5)),
    metric_version: () => String(own.between(1, 3)),
    stale: () => String(own.chance(0.5)),
    date_from: () => some().created_at,
    date_to: () => some().created_at,
  };
  const made = Object.entries(asked).map(([name, make]) => [name, own.chance(0.13) ? make() : null] as const);
  const chosen = Object.fromEntries(
    made.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
  // A version is of one metric.
  return "metric_version" in chosen ? { name: "unanswered", ...chosen } : chosen;
};

/** All of a list, page by page. */
const walked = async (query: Readonly<Record<string, string | number>>) => {
  const items: Score[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listed>> = await listed({ ...query, ...(cursor !== null && { cursor }) });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
};

const idsOf = (scores: readonly Score[]): readonly string[] => scores.map(({ id }) => id);

test.each(Array.from({ length: runs }, (_, run) => [seed, run] as const))(
  "random lists of scores of seed %i, %i: scores are those that are meant, in pages of any size",
  async (_, run) => {
    const own = random.fork(`scores ${run}`);
    const asked = someAsked(own);
    const direction = own.pick(["asc", "desc"]);
    const query = { ...asked, sort_by: own.pick(["created_at", "value"]), sort_order: direction };
    const meant = all.filter((score) =>
      Object.entries(asked).every(([name, value]) => keeps[name]?.(score, value) === true),
    );

    const atOnce = await listed({ ...query, limit: 200 });
    const paged = await walked({ ...query, limit: own.between(1, 9) });

    const told = JSON.stringify(query);
    expect([told, ...idsOf(atOnce.items).toSorted()]).toEqual([told, ...idsOf(meant).toSorted()]);
    expect([told, ...idsOf(paged)]).toEqual([told, ...idsOf(atOnce.items)]);
    const numbers = meant.map(numberOf).filter((value) => value !== null);
    const sign = direction === "asc" ? 1 : -1;
    const newest = idsOf(meant.toSorted((a, b) => sign * (orderOf(a) < orderOf(b) ? -1 : 1)));
    const others = meant.slice(numbers.length).map(() => null);
    const isByValue = query.sort_by === "value";
    expect([told, ...(isByValue ? atOnce.items.map(numberOf) : idsOf(atOnce.items))]).toEqual([
      told,
      ...(isByValue ? [...numbers.toSorted((a, b) => sign * (a - b)), ...others] : newest),
    ]);
    const isCounted = content.some((name) => name in asked);
    expect([told, isCounted ? atOnce.total : meant.length]).toEqual([told, meant.length]);
  },
);

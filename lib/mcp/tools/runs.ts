import * as v from "valibot";
import { filterEntries, traceId, withDescription, word, wordList } from "../inputs.ts";
import { type Service, tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";

const runEntries = {
  metrics: withDescription(
    wordList,
    "Names of metrics: GET /evaluations/trace-metrics and /evaluations/metrics list them.",
  ),
  filters: withDescription(
    v.optional(v.strictObject(filterEntries)),
    "Traces to judge; all of the project if neither this nor trace_ids is there.",
  ),
  trace_ids: withDescription(
    v.optional(v.pipe(v.array(traceId), v.minLength(1), v.maxLength(1_000))),
    "In place of filters.",
  ),
  sampling_rate: withDescription(
    v.optional(v.pipe(v.number(), v.gtValue(0), v.maxValue(1))),
    "Share of the filtered traces to judge.",
  ),
  model: withDescription(v.optional(word), "Judge as <provider>/<model>; the default of the service if absent."),
};

const ceiling = v.pipe(v.number(), v.gtValue(0), v.maxValue(100_000));

const estimated = v.strictObject(runEntries);

/** Returns what a run by filters is created with. */
const filteredBody = ({ filters, sampling_rate, metrics, model }: v.InferOutput<typeof estimated>) => {
  const { failed, ...others } = filters ?? {};
  return { metrics, model, filters: { ...others, has_failed_span: failed }, sampling_rate };
};

/** Returns what a run of listed traces is created with; null if none are listed. @throws ToolError if filters were given too. */
const listedBody = (input: v.InferOutput<typeof estimated>) => {
  const { trace_ids, filters: chosen, sampling_rate: rate, metrics, model } = input;
  if (trace_ids === undefined) return null;
  if (chosen !== undefined || rate !== undefined)
    throw new ToolError("Give either trace_ids, or filters and sampling_rate.");
  return { metrics, model, trace_ids };
};

export const estimateRunTool = tool(
  {
    name: "estimate_run",
    description:
      "Estimates targets, judge calls and cost of an evaluation of traces, without starting it. Do this before start_run.",
    permission: "write",
    input: estimated,
  },
  async (input, { client }) => {
    const query = { dry_run: true } as const;
    const listed = listedBody(input);
    const estimate =
      listed === null
        ? await client.createTraceRun({ query, body: filteredBody(input) })
        : await client.createTraceBatchRun({ query, body: listed });
    return {
      note:
        "Nothing was started. As max_cost_usd of start_run take cost_usd plus set_aside_usd, so that no judgement has to wait. " +
        `In US dollars:\n${JSON.stringify(estimate)}`,
    };
  },
);

const runLink = ({ url }: Service, id: string, project: string): string =>
  `${url}/console#/runs/${id}?project=${project}`;

export const startRunTool = tool(
  {
    name: "start_run",
    description:
      "Starts an evaluation of traces. It spends money on judge models, at most max_cost_usd: ask the user for that amount, do not choose it. " +
      "It answers at once; find_traces and why_no_score show the scores.",
    permission: "write",
    input: v.strictObject({
      ...runEntries,
      name: v.optional(word),
      max_cost_usd: withDescription(ceiling, "Most that the run may spend, in US dollars."),
      idempotency_key: withDescription(
        v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
        "A word of yours for this run: a call that is repeated with it starts no second run.",
      ),
    }),
  },
  async ({ name, max_cost_usd, idempotency_key: idempotencyKey, ...input }, service) => {
    const { client } = service;
    const listed = listedBody(input);
    const limits = { name, max_cost_usd };
    const run =
      listed === null
        ? await client.createTraceRun({ body: { ...filteredBody(input), ...limits } }, { idempotencyKey })
        : await client.createTraceBatchRun({ body: { ...listed, ...limits } }, { idempotencyKey });
    return {
      note:
        `The run ${run.id} is ${run.status}: ${run.total_targets} traces, ${run.metric_names.length} metrics, judge ${run.resolved_model}, ` +
        `at most ${run.max_cost_usd} US dollars. GET /evaluations/trace-runs/${run.id} has its state.`,
      link: runLink(service, run.id, run.project_id),
    };
  },
);

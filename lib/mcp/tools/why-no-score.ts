import * as v from "valibot";
import type { EvalRun, TraceScore } from "../../client/interface.ts";
import { withDescription, runId, traceId, word } from "../inputs.ts";
import { clipped } from "../text-pages.ts";
import { type Service, tool } from "../tool.ts";
import { traceLink } from "./traces.ts";

/** Runs whose targets are searched for the trace, the newest first, and pages of 200 targets of each. */
const [maxRuns, maxPages] = [4, 3];

/** Returns the name of a metric, which runs have with its version. */
const withoutVersion = (metric: string): string => metric.replace(/@\d+$/u, "");

const scoreLine = (score: TraceScore): string => {
  const { name, status, value, reason, inapplicable_code: inapplicable, applicable, stale } = score;
  const code: unknown = score.metadata["code"];
  const outcome =
    status === "FAILED"
      ? `judging failed, code ${typeof code === "string" ? code : "unknown"}`
      : applicable === false
        ? `not applicable: ${inapplicable ?? "no reason stored"}`
        : `${status}, value ${value}`;
  const age = stale === true ? "; the trace has changed since" : "";
  return `- score ${name}: ${outcome}${age}; run ${score.eval_run_id ?? "none"}; reason: ${clipped(reason ?? "none", 600)}`;
};

const runLine = (run: EvalRun, target: string): string => {
  const { id, status, created_at: at, metric_names: metrics, sampling_rate, waiting_for, error_message, filters } = run;
  const counts = `${run.evaluated_count} of ${run.total_targets} targets finished, ${run.failed_count} pairs failed`;
  const rest = `waiting for: ${waiting_for ?? "nothing"}; error: ${clipped(error_message ?? "none", 400)}`;
  const scope = `sampling ${sampling_rate}, filters ${clipped(JSON.stringify(filters), 400)}`;
  return `- run ${id} ${status} ${at} [${metrics.join(", ")}]: ${counts}; ${rest}; ${scope}; this trace: ${target}`;
};

/** Says how far a run is with a trace. */
const targetState = async ({ client }: Service, run: EvalRun, trace: string): Promise<string> => {
  for (let page = 0; page < maxPages; page += 1) {
    const query = { limit: 200, offset: 200 * page };
    const { items, total } = await client.listTraceRunTargets({ path: { run_id: run.id }, query });
    const target = items.find(({ target_id: id }) => id === trace);
    if (target !== undefined) {
      const metrics = target.metrics.map(({ name, state, reason }) => `${name} ${state} ${reason ?? ""}`.trim());
      return `${target.state}, ${metrics.join(", ")}; ${target.attempts} attempts; waiting for: ${target.waiting_for ?? "nothing"}`;
    }
    if (total <= 200 * (page + 1))
      return "no target of this run: its filters or its sampling left it out, or it came later";
  }
  return `not among the first ${200 * maxPages} targets; the others were not searched`;
};

export const whyNoScore = tool(
  {
    name: "why_no_score",
    description:
      "Says why a trace has no score of a metric: failed judgements with their code, metrics that do not apply, runs that wait, have failed " +
      "or left the trace out, and monitors that would judge it.",
    permission: "read",
    input: v.strictObject({
      trace_id: traceId,
      metric: withDescription(v.optional(word), "Name of the metric; all if absent."),
      run_id: v.optional(runId),
    }),
  },
  async ({ trace_id, metric, run_id }, service) => {
    const { client } = service;
    const name = metric === undefined ? undefined : withoutVersion(metric);
    const isAsked = ({ metric_names: names }: Pick<EvalRun, "metric_names">) =>
      name === undefined || names.map(withoutVersion).includes(name);
    const [trace, scores, runs, monitors] = await Promise.all([
      client.getTrace({ path: { trace_id }, query: { fields: "skeleton" } }),
      client.listTraceScores({ query: { trace_id, name, limit: 20 } }),
      run_id === undefined
        ? client.listTraceRuns({ query: { limit: 50 } }).then(({ items }) => items.filter(isAsked).slice(0, maxRuns))
        : client.getTraceRun({ path: { run_id } }).then((run) => [run]),
      client.listMonitors({ query: { limit: 50 } }),
    ]);
    const states = await Promise.all(runs.map((run) => targetState(service, run, trace.trace_id)));
    const about = monitors.items.filter((monitor) => monitor.target_type === "TRACE" && isAsked(monitor));
    const monitorLines = about
      .slice(0, 10)
      .map(
        ({ name, status, paused_reason, cadence, sampling_rate, filters, next_run_at }) =>
          `- monitor ${JSON.stringify(name)} ${status} ${paused_reason ?? ""} ${cadence}, next ${next_run_at ?? "never"}, sampling ${sampling_rate}, ` +
          `filters ${clipped(JSON.stringify(filters), 400)}`,
      );
    const section = (title: string, lines: readonly string[]) => [
      `${title}:`,
      ...(lines.length === 0 ? ["- none"] : lines),
    ];
    const lines = [
      `trace ${trace.trace_id} ${trace.status}, started ${trace.started_at}, ended ${trace.ended_at ?? "not yet"}`,
      ...section("Scores, newest first", scores.items.map(scoreLine)),
      ...section(
        `Newest runs about traces${metric === undefined ? "" : " with this metric"}`,
        runs.map((run, at) => runLine(run, states[at] ?? "")),
      ),
      ...section("Monitors about traces", monitorLines),
    ];
    const note =
      scores.items.length === 0 && about.length === 0 && runs.length === 0
        ? "Nothing has asked for a score: no run and no monitor has this metric. start_run starts one."
        : "The documentation has what each code means: search_docs.";
    return { note, data: lines.join("\n"), link: traceLink(service, trace) };
  },
);

import { mean } from "simple-statistics";
import type { ExperimentItem } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import { previewText } from "../traces/input-preview.ts";
import { collect } from "../use-paged-list.ts";

/** Max items that are listed, and max experiments to compare with. */
export const maxListed = 1_000;

/** Max traces of them whose inputs are read: more repeats are linked all the same. */
const maxPreviews = 3_000;

/** Loads an experiment, its first items, and the id and the input that each item has in its traces. */
export const loadExperiment = async (experiment_id: string, signal: AbortSignal) => {
  const path = { experiment_id };
  const [experiment, items] = await Promise.all([
    client.value.getExperiment({ path }, { signal }),
    collect(client.value.each.listExperimentItems({ path, query: { limit: 200 } }, { signal }), maxListed),
  ]);
  const starts = items.flatMap(({ traces }) => traces.map(({ started_at: at }) => at)).toSorted();
  const [started_after = experiment.started_at] = starts;
  const started_before = new Date(Date.parse(starts.at(-1) ?? started_after) + 1).toISOString();
  const query = {
    experiment: experiment.name,
    started_after,
    started_before,
    include: ["preview"],
    limit: 200,
  } as const;
  const traces = await collect(client.value.each.listTraces({ query }, { signal }), maxPreviews);
  return { experiment, items, traces: new Map(traces.map((trace) => [trace.trace_id, trace])) };
};

export type LoadedExperiment = Awaited<ReturnType<typeof loadExperiment>>;

type Traces = ExperimentItem["traces"];

/** An item with its traces on both sides. */
export interface PairedItem {
  /** Id as the client has it. */
  readonly title: string;
  readonly input: string;
  /** Those of the candidate without a baseline. */
  readonly baseline: Traces;
  readonly candidate: Traces;
}

/** Returns the value of an item for a metric on one side, the mean of its repeats, or a text that says why it has none. */
export const valueOf = (traces: Traces, metric: string): number | string => {
  const scores = traces.flatMap((trace) => trace.scores.filter(({ name }) => name === metric));
  const valid = scores.filter(({ has_failed: hasFailed, applicable }) => !hasFailed && applicable !== false);
  const numbers = valid.flatMap(({ number }) => number ?? []);
  if (numbers.length > 0) return mean(numbers);
  if (scores.length === 0) return traces.length === 0 ? "no trace" : "not judged";
  return valid[0]?.value ?? (scores.some(({ has_failed: hasFailed }) => hasFailed) ? "failed" : "n/a");
};

/** Returns the candidate's value minus the baseline's; null where a side has no number. */
export const differenceOf = ({ baseline, candidate }: PairedItem, metric: string): number | null => {
  const [before, after] = [valueOf(baseline, metric), valueOf(candidate, metric)];
  return typeof before === "number" && typeof after === "number" ? after - before : null;
};

/**
 * Brings the items of an experiment together with those of a baseline, sorted by the difference of a metric, the worst first; without a
 * baseline by the value. Items without one come last.
 */
export const itemRows = (
  candidate: LoadedExperiment,
  baseline: LoadedExperiment | undefined,
  metric: string,
): readonly PairedItem[] => {
  const sides = [candidate, baseline].map((side) => new Map(side?.items.map((item) => [item.item_id, item.traces])));
  const rows = Array.from(new Set(sides.flatMap((side) => [...side.keys()])), (id): PairedItem => {
    const [after = [], before = baseline === undefined ? after : []] = sides.map((side) => side.get(id));
    const [trace] = [...after, ...before].flatMap(
      ({ trace_id: each }) => candidate.traces.get(each) ?? baseline?.traces.get(each) ?? [],
    );
    const title = trace?.experiment_item_id ?? id ?? "without an item";
    return { title, input: previewText(trace?.input_preview), baseline: before, candidate: after };
  });
  const keyOf = (row: PairedItem): number => {
    const value = baseline === undefined ? valueOf(row.candidate, metric) : differenceOf(row, metric);
    return typeof value === "number" ? value : Number.MAX_VALUE;
  };
  const keys = new Map(rows.map((row) => [row, keyOf(row)]));
  return rows.toSorted((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
};

import type { ListTracesQuery } from "../../client/interface.ts";
import { allTime } from "../parts/time-window.ts";
import { client } from "../sign-in.ts";
import { sideOf } from "../traces/trace-filters.ts";
import { olderFirst } from "./comparison-rules.ts";

/** Facts of traces whose values are the sides of a comparison, by the names of their filters in lists: title, and name of the filter in a side. */
export const sideFields = {
  release: { title: "release", filter: "release" },
  environment: { title: "environment", filter: "environment" },
  model: { title: "model", filter: "trace_model" },
  name: { title: "trace name", filter: "trace_name" },
  prompt_name: { title: "prompt", filter: "prompt_name" },
  user_id: { title: "user", filter: "user_id" },
} as const;

export type SideField = keyof typeof sideFields;

/** True if a side names one value of a fact, and nothing else. */
const isSide = ({ filter }: { readonly filter: string }, side: string): boolean =>
  side.startsWith(`${filter}:`) && !/(?<!\\),/u.test(side);

/** Returns the fact of which both sides name one value each; undefined without one. */
export const fieldOfSides = (baseline: string, candidate: string): string | undefined =>
  Object.entries(sideFields).find(([, field]) => isSide(field, baseline) && isSide(field, candidate))?.[0];

/** Max values that are offered. */
const maxValues = 50;

/** Value of a fact, as a side of a comparison, and its number of traces. */
interface SideValue {
  readonly value: string;
  readonly side: string;
  readonly traces: number;
}

/** Reads the most frequent values of a fact of the traces since an instant (ISO 8601), which may be missing. */
export const readSides = async (
  by: SideField,
  from: string | undefined,
  signal: AbortSignal,
): Promise<readonly SideValue[]> => {
  const query = { started_after: from ?? allTime, metric: "values", by } as const;
  const values = await client.value.getTraceAnalytics({ query }, { signal });
  return values
    .flatMap((each) => ("value" in each ? [each] : []))
    .slice(0, maxValues)
    .map(({ value, trace_count: traces }) => ({
      value,
      side: sideOf(sideFields[by].filter, value),
      traces,
    }));
};

/** Returns when the first trace with a value of a fact started; empty without one. */
const firstStart = async (by: SideField, value: string, signal: AbortSignal): Promise<string> => {
  const query: ListTracesQuery = { [by]: value, sort_by: "started_at", sort_order: "asc", limit: 1 };
  const { items } = await client.value.listTraces({ query }, { signal });
  return items[0]?.started_at ?? "";
};

/** Returns the two most frequent values as sides, the older one first; null with fewer. */
export const proposedSides = async (
  by: SideField,
  values: readonly SideValue[],
  signal: AbortSignal,
): Promise<readonly [baseline: string, candidate: string] | null> => {
  const [one, other] = values;
  if (one === undefined || other === undefined) return null;
  const [first, second] = await Promise.all([one, other].map(({ value }) => firstStart(by, value, signal)));
  return olderFirst([one.side, other.side], [first ?? "", second ?? ""]);
};

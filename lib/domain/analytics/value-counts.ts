import { unnumberedName, type NumberedNames } from "../traces/facts.ts";
import type { ListedTrace } from "../traces/row.ts";

/** Fields of traces whose values are counted, called like their filters. */
export const valueFields = [
  "name",
  "user_id",
  "session_id",
  "tags",
  "model",
  "tool",
  "release",
  "environment",
  "prompt_name",
  "experiment",
  "first_error",
] as const;
export type ValueField = (typeof valueFields)[number];

/** Number of traces that have a value, and of those with the status ERROR. */
export interface ValueCount {
  readonly value: string;
  readonly trace_count: number;
  readonly error_count: number;
}

/** Names of models and tools by their number in rows. */
export interface NamesByNumber {
  readonly models: ReadonlyMap<number, string>;
  readonly tools: ReadonlyMap<number, string>;
}

/** Number of values in a reply. */
const maxValues = 50;

const namesOf = (
  numbered: NumberedNames | undefined,
  names: ReadonlyMap<number, string>,
): readonly (string | undefined)[] =>
  (numbered?.numbers ?? []).map((number) => (number === unnumberedName ? undefined : names.get(number)));

type CountedTrace = Pick<
  ListedTrace,
  "name" | "userId" | "sessionId" | "tags" | "release" | "environment" | "facts" | "status"
>;

/** Returns the distinct values of a trace's field. */
const valuesOf = (
  { name, userId, sessionId, tags, release, environment, facts }: CountedTrace,
  field: ValueField,
  { models, tools }: NamesByNumber,
): readonly (string | null | undefined)[] => {
  switch (field) {
    case "name":
      return [name];
    case "user_id":
      return [userId];
    case "session_id":
      return [sessionId];
    case "tags":
      return tags;
    case "model":
      return namesOf(facts?.spans.models, models);
    case "tool":
      return namesOf(facts?.spans.tools, tools);
    case "release":
      return [release];
    case "environment":
      return [environment];
    case "prompt_name":
      return [...new Set(facts?.provenance.prompts.map((prompt) => prompt.name))];
    case "experiment":
      return [facts?.provenance.experiment];
    case "first_error":
      return [facts?.firstError?.text];
    default:
      return field satisfies never;
  }
};

/**
 * Counts the values of a field of traces.
 *
 * @param onValue called with each new value, before it is stored.
 */
export const valueTally = (field: ValueField, names: NamesByNumber, onValue: (value: string) => void) => {
  const counts = new Map<string, { traces: number; errors: number }>();
  const addCount = ({ value, trace_count, error_count }: ValueCount): void => {
    let entry = counts.get(value);
    if (entry === undefined) {
      onValue(value);
      entry = { traces: 0, errors: 0 };
      counts.set(value, entry);
    }
    entry.traces += trace_count;
    entry.errors += error_count;
  };
  return {
    /** Adds the traces that have a value: as adding these traces. */
    addCount,
    add: (trace: CountedTrace): void => {
      for (const value of valuesOf(trace, field, names)) {
        if (value === null || value === undefined || value === "") continue;
        addCount({ value, trace_count: 1, error_count: trace.status === "ERROR" ? 1 : 0 });
      }
    },
    /** Returns the values that most traces have, ties ordered by value. */
    top: (): ValueCount[] =>
      [...counts]
        .toSorted(([a, { traces: ofA }], [b, { traces: ofB }]) => ofB - ofA || (a < b ? -1 : 1))
        .slice(0, maxValues)
        .map(([value, { traces, errors }]) => ({ value, trace_count: traces, error_count: errors })),
  };
};

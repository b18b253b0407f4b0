import type { Operations } from "../../client/interface.ts";
import { plural } from "../format.ts";
import { allTime } from "../parts/time-window.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import type { FilterName } from "./trace-filters.ts";

type AnalyticsQuery = Operations["getTraceAnalytics"]["query"];
type ValueField = NonNullable<AnalyticsQuery["by"]>;

/** Filters whose values the API counts. */
const countedFields: ReadonlySet<string> = new Set<ValueField>([
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
]);

const isCounted = (name: FilterName): name is FilterName & ValueField => countedFields.has(name);

/** A value and the number of traces that have it. */
interface ValueCount {
  readonly value: string;
  readonly trace_count: number;
}

/** Reads the most frequent values of a field of the traces that match the other filters of a query. */
export const readValues = async (
  by: ValueField,
  query: AnalyticsQuery,
  signal: AbortSignal,
): Promise<readonly ValueCount[]> => {
  const reply = await client.value.getTraceAnalytics(
    { query: { started_after: allTime, ...query, [by]: undefined, metric: "values", by } },
    { signal },
  );
  return reply.flatMap((each) => ("value" in each ? [each] : []));
};

/** Values that a text field suggests for a filter, with the number of traces that match the other filters. */
export const Suggestions = ({
  id,
  name,
  filters,
}: {
  readonly id: string;
  readonly name: FilterName;
  readonly filters: AnalyticsQuery;
}) => {
  const { value } = useLoad(
    async (signal) => (isCounted(name) ? await readValues(name, filters, signal) : []),
    [name, JSON.stringify(filters)],
  );
  return (
    <datalist id={id}>
      {value?.map((each) => (
        <option value={each.value} label={plural(each.trace_count, "trace")} key={each.value} />
      ))}
    </datalist>
  );
};

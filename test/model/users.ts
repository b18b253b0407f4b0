import { computed } from "./differences.ts";
import { timestampOf } from "./instant.ts";
import { pageOf, type Paging } from "./list.ts";
import { bySize, sorted } from "./order.ts";
import { latenciesOf, spansOf, sumOrNull, tokensOf, usageOf } from "./totals.ts";
import type { ModelTrace } from "./trace.ts";

/** A page of the users of all traces, most recently seen first. */
export const userPage = (traces: readonly ModelTrace[], paging: Paging): object => {
  const groups = Map.groupBy(
    traces.filter(({ user }) => user !== null),
    ({ user }) => user ?? "",
  );
  const users = [...groups].map(([id, group]) => {
    const starts = group.map(({ startedAt }) => startedAt).toSorted(bySize);
    return { id, group, first: starts[0] ?? 0n, last: starts.at(-1) ?? 0n };
  });
  const ordered = sorted(
    users,
    "desc",
    ({ last }) => last,
    ({ id }) => id,
  );
  return pageOf(
    ordered.map(({ id, group, first, last }) => ({
      user_id: id,
      trace_count: group.length,
      first_seen: timestampOf(first),
      last_seen: timestampOf(last),
      error_count: group.filter(({ status }) => status === "ERROR").length,
      total_latency_ms: computed(sumOrNull(latenciesOf(group))),
      total_tokens: tokensOf(group),
      total_cost: computed(usageOf(spansOf(group)).cost),
      unpriced_tokens: usageOf(spansOf(group)).unpriced,
    })),
    paging,
  );
};

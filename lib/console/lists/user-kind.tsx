import type { Operations, UserSummary } from "../../client/interface.ts";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { filterNames } from "../traces/trace-filters.ts";
import { countColumn, instantColumn, ItemLink, nameColumn, namedById, totals } from "./cells.tsx";
import type { ListKind } from "./list-kind.ts";
import { traceBars } from "./trace-bars.ts";

/** List of users, whose totals cover their matching traces. */
export const userKind: ListKind<UserSummary> = {
  noun: "user",
  columns: {
    user: {
      title: "User",
      ...nameColumn,
      cell: ({ user_id: id }) => <ItemLink href={hrefTo("users", id)}>{id}</ItemLink>,
    },
    traces: { ...totals.traces, phoneWidth: "48px" },
    failed: {
      ...countColumn<UserSummary>("Failed", "errors", ({ error_count: failed }) => failed),
      tooltip: () => "Traces with the status ERROR",
    },
    ...totals.columns,
    first: { ...instantColumn("First trace", null, ({ first_seen: at }) => at), phoneWidth: undefined },
    last: { ...instantColumn("Last trace", "last_seen", ({ last_seen: at }) => at), phoneWidth: undefined },
  },
  filters: filterNames.filter((name) => name !== "q"),
  search: { parameter: "user_id", label: "User id, exact" },
  failed: { parameter: "status", value: "ERROR", meaning: "Users of traces with the status ERROR" },
  defaultOrder: ["last_seen", "Last seen first"],
  orders: totals.orders,
  list: (query, signal) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `columns` and `orders` have sort columns of this route.
    client.value.listUsers({ query: query as Operations["listUsers"]["query"] }, { signal }),
  bars: traceBars,
  barNoun: "trace",
  durationTitle: "p90 duration",
  ...namedById("users", ({ user_id: id }) => id),
  targets: null,
};

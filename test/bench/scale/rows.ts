import { sessionFilter } from "../../../lib/domain/sessions/filter.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import { sessionList } from "../../../lib/store/sessions/list.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { rowSource } from "../memory/row-source.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

const project = "00000000-0000-4000-8000-000000000001";
const page = { limit: 50, offset: 0, order: "desc" as const };
const bounds = [["query", "started_after"], "started_after and started_before"] as const;
const range = (from: string, to: string) => traceFilter({ status: "ERROR", date_from: from, date_to: to });

/** Measures lists over rows generated on request, for thirty days of October 2026. */
export const benchRows = async (rows: number): Promise<void> => {
  const database = rowSource(rows, "usual");
  const measure = scaleMeter(database, quantity(rows, "traces"));
  const [traces, sessions, forecast] = [traceList(database), sessionList(database), rowLimitCheck(database)];
  const none = { from: null, to: null };
  const filtered = async (filter: ReturnType<typeof traceFilter>): Promise<void> => {
    await forecast(project, filter, ...bounds);
    await traces.list(project, { ...page, filter, sortBy: "latency" });
  };
  const [allTraces, day, hour] = [
    traceFilter({ status: "ERROR" }),
    range("2026-10-05T00:00:00+00:00", "2026-10-06T00:00:00+00:00"),
    range("2026-10-05T10:00:00+00:00", "2026-10-05T11:00:00+00:00"),
  ];
  const paged = async (offset: number): Promise<void> => {
    await traces.list(project, { ...page, offset, filter: traceFilter({}), sortBy: "started_at" });
  };
  await measure("traces, default page", () => paged(0));
  await measure("traces, page at 100,000", () => paged(100_000));
  await measure("traces, filtered, one hour", () => filtered(hour));
  await measure("traces, filtered, one day", () => filtered(day));
  await measure("traces, filtered, all", () => filtered(allTraces));
  await measure("sessions by cost, all", async () => {
    await forecast(project, none, ...bounds);
    await sessions(project, { ...page, filter: sessionFilter({}), sortBy: "cost" });
  });
};

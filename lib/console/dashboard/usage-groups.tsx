import type { Operations, TraceBucket, UsageBucket } from "../../client/interface.ts";
import { count, dollars, duration, percent, plural } from "../format.ts";
import { Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import type { TimeWindow } from "../parts/time-window.ts";
import { DataTable } from "../parts/wide-table.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { isTraceBucket, isUsageBucket } from "./figures.ts";
import { useWindowLoad } from "./use-window-load.ts";

/** Facts that traces are grouped by, with their titles; a name is none, because its filter also finds longer names. */
const groupings = {
  release: "release",
  environment: "environment",
  model: "model",
  prompt_name: "prompt",
  user_id: "user",
} as const;

type Grouping = keyof typeof groupings;

const groupingOf = ({ group = "" }: Readonly<Record<string, string>>): Grouping => {
  const isGrouping = (name: string): name is Grouping => Object.hasOwn(groupings, name);
  return isGrouping(group) ? group : "release";
};

/** Max groups; each takes two requests, which read the rows of all traces in the window. */
const maxGroups = 5;

/** Max traces of a window that is grouped: each request reads a unit for every 27 of them. */
const maxTraces = 100_000;

/** Figures of the traces of a window with one value. */
interface UsageGroup {
  readonly value: string;
  readonly traces: TraceBucket;
  readonly usage: UsageBucket | undefined;
}

const loadGroups = async (
  { window, by }: { readonly window: TimeWindow; readonly by: Grouping },
  signal: AbortSignal,
): Promise<readonly UsageGroup[]> => {
  const { started_after, started_before } = window;
  const ask = (query: Operations["getTraceAnalytics"]["query"]): Promise<readonly object[]> =>
    client.value.getTraceAnalytics({ query: { ...query, started_after, started_before } }, { signal });
  const values = (await ask({ metric: "values", by }))
    .flatMap((item) => ("value" in item && typeof item.value === "string" ? [item.value] : []))
    .slice(0, maxGroups);
  const groups = await Promise.all(
    values.map(async (value) => {
      const whole = { [by]: value, granularity: "all" } as const;
      const [[traces], [usage]] = await Promise.all([
        ask({ ...whole, metric: "latency" }).then((items) => items.filter(isTraceBucket)),
        ask({ ...whole, metric: "cost" }).then((items) => items.filter(isUsageBucket)),
      ]);
      return traces === undefined ? [] : [{ value, traces, usage }];
    }),
  );
  return groups.flat();
};

const failureRate = ({ traces }: UsageGroup): number => traces.error_count / traces.trace_count;
const costOf = ({ usage }: UsageGroup): number => usage?.total_cost ?? 0;
const costOfTrace = (group: UsageGroup): number => costOf(group) / group.traces.trace_count;

/** Figures that groups are ranked by, the largest first: what is said of the first one, the figure, and its format. */
const rankings = [
  ["fails most often", failureRate, (rate: number) => percent(rate, 1)],
  ["costs most a trace", costOfTrace, dollars],
  ["is slowest by the median", ({ traces }: UsageGroup) => traces.p50_latency_ms ?? 0, duration],
] as const;

/** Says which group is the worst in each figure, beside the next one, in one sentence. */
const answerOf = (groups: readonly UsageGroup[], title: string): string => {
  const clauses = rankings.map(([words, figureOf, format]) => {
    const [first, second] = groups.toSorted((a, b) => figureOf(b) - figureOf(a));
    const [largest, next] = [first, second].map((group) => (group === undefined ? "" : format(figureOf(group))));
    return first === undefined || largest === next
      ? `no ${title} ${words}`
      : `${first.value} ${words} (${largest}, the next ${next})`;
  });
  return `${clauses.join("; ")}.`.replace(/^no/u, "No");
};

/** Failures, cost and latency of a window's traces by release or another fact, the most frequent values first. */
export const UsageGroups = ({ window, traceCount }: { readonly window: TimeWindow; readonly traceCount: number }) => {
  const by = groupingOf(route.value.query);
  const isTooLarge = traceCount > maxTraces;
  const {
    value: result,
    isStale,
    error,
    reload,
  } = useWindowLoad(
    async (request: { readonly window: TimeWindow; readonly by: Grouping }, signal) =>
      isTooLarge ? null : await loadGroups(request, signal),
    { window, by },
    [by, window.started_after, window.started_before, isTooLarge],
  );
  const { value: groups = null, dependencies: shown = { window, by } } = result ?? {};
  const bounds = { started_after: shown.window.started_after, started_before: shown.window.started_before };
  const title = groupings[shown.by];
  return (
    <article class="multiple full" aria-busy={isStale}>
      <header>
        <h2>Failures, cost and latency by {title}</h2>
        <Select
          label="Group traces by"
          value={by}
          options={groupings}
          onSelect={(name) => updateQuery({ group: name })}
        />
      </header>
      <ErrorAlert error={error} reload={reload} />
      {result === null && error === null && <LoadingNote>Loading groups</LoadingNote>}
      {isTooLarge && (
        <p class="faint">Traces of a window are grouped up to {count(maxTraces)}: choose a shorter one.</p>
      )}
      {groups?.length === 0 && <p class="faint">No trace of this window has a {title}.</p>}
      {groups !== null && groups.length > 0 && (
        <>
          {groups.length > 1 && (
            <p class="answer" role="status" dir="auto">
              {answerOf(groups, title)}
            </p>
          )}
          <DataTable
            label={`Failures, cost and latency by ${title}`}
            rows={groups}
            columns={[
              [
                title,
                ({ value }) => (
                  <a dir="auto" href={hrefTo("traces", null, { [shown.by]: value, ...bounds })}>
                    {value}
                  </a>
                ),
              ],
              ["traces", ({ traces: { trace_count: all } }) => <span title={String(all)}>{count(all)}</span>],
              [
                "failed",
                ({ traces: { trace_count: all, error_count: failed } }) => (
                  <span class={failed > 0 ? "bad" : ""} title={String(failed)}>
                    {count(failed)} ({percent(failed, all)})
                  </span>
                ),
              ],
              ["cost", (group) => <span title={String(costOf(group))}>{dollars(costOf(group))}</span>],
              [
                "cost of a trace",
                (group) => <span title={String(costOfTrace(group))}>{dollars(costOfTrace(group))}</span>,
              ],
              [
                "latency, median",
                ({ traces: { p50_latency_ms: p50 } }) => <span title={String(p50)}>{duration(p50)}</span>,
              ],
              [
                "latency, p95",
                ({ traces: { p95_latency_ms: p95 } }) => <span title={String(p95)}>{duration(p95)}</span>,
              ],
            ]}
          />
          <p class="faint">
            {groups.length === maxGroups && `The ${plural(maxGroups, "value")} with the most traces. `}
            {groups.length > 1 && (
              <>
                A difference may be chance:{" "}
                <a href={hrefTo("compare", null, { by: shown.by, from: bounds.started_after })}>compare two</a> with
                intervals.
              </>
            )}
          </p>
        </>
      )}
    </article>
  );
};

import { useSignal } from "@preact/signals";
import type { EvalRun, MonitorResponse } from "../../client/interface.ts";
import { dollars } from "../format.ts";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { isFinished } from "../runs/run-kind.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { monthlyFirings, monthlySpend, monthStart } from "./cadence.ts";
import { FiringList } from "./firings.tsx";
import { LastRun } from "./last-run.tsx";
import { MonitorTargets } from "./monitor-facts.tsx";
import { RunMonitor } from "./run-monitor.tsx";

/** Heads of the table of monitors. */
export const monitorHeads = ["Name", "Metrics", "Filters", "Schedule", "Last run", "Next run", "Cost this month"];

/** Number of last firings that are loaded. */
const maxFirings = 30;

/** Max runs of a month that are read for its cost. */
const maxRuns = 500;

/** Milliseconds between reloads of firings and runs. */
const pollInterval = 30_000;

/** Reads the runs of this month, and at least the last thirty for the estimate of a month. */
const readRuns = async (monitor_id: string, signal: AbortSignal): Promise<readonly EvalRun[]> => {
  const from = monthStart(new Date());
  const runs: EvalRun[] = [];
  for await (const run of client.value.each.listMonitorRuns({ path: { monitor_id } }, { signal })) {
    if (runs.length === maxRuns || (runs.length >= maxFirings && Date.parse(run.created_at) < from)) break;
    runs.push(run);
  }
  return runs;
};

/** What the runs of this month have cost, and about what a month costs at the monitor's cadence. */
const Cost = ({
  runs,
  share,
  firings,
}: {
  readonly runs: readonly EvalRun[];
  /** Share of the firings that started a run. */
  readonly share: number;
  /** Firings in a month; null if unknown. */
  readonly firings: number | null;
}) => {
  const costOf = ({ judge_usage: { cost_usd: cost } }: EvalRun) => cost;
  const costs = runs.filter(({ created_at: at }) => Date.parse(at) >= monthStart(new Date())).map(costOf);
  const amounts = costs.flatMap((cost) => cost ?? []);
  const spend = monthlySpend(
    firings,
    runs.filter(isFinished).map((run) => ({ cost: costOf(run) })),
    share,
  );
  return (
    <>
      {(amounts.length < costs.length || runs.length === maxRuns) && "at least "}
      <b>{dollars(amounts.reduce((sum, cost) => sum + cost, 0))}</b>
      {spend !== null && <div class="faint">about {dollars(spend)} a month</div>}
    </>
  );
};

interface MonitorProps {
  readonly monitor: MonitorResponse;
  readonly onChange: () => void;
  readonly onEdit: (isCopy: boolean) => void;
}

/** Buttons that pause, run, edit, copy and delete a monitor. */
const MonitorActions = ({ monitor, onChange, onEdit }: MonitorProps) => {
  const { perform, isBusy, outcome } = useAction();
  const isOpen = useSignal(false);
  const path = { monitor_id: monitor.id };
  const isActive = monitor.status === "ACTIVE";
  const change = (work: () => Promise<unknown>, note: string) =>
    perform(async () => {
      await work();
      onChange();
      return note;
    });
  return (
    <>
      <p class="buttons writes">
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            void change(
              () => (isActive ? client.value.pauseMonitor({ path }) : client.value.resumeMonitor({ path })),
              isActive ? "Paused." : "Resumed.",
            )
          }
        >
          {isActive ? "Pause" : "Resume"}
        </button>
        <button type="button" onClick={() => (isOpen.value = true)}>
          Run now …
        </button>
        <button type="button" onClick={() => onEdit(false)}>
          Edit …
        </button>
        <button type="button" onClick={() => onEdit(true)}>
          Duplicate …
        </button>
        <ConfirmButton
          label="Delete"
          question={`Delete the monitor ${monitor.name}? Its runs and scores stay.`}
          onConfirm={() => void change(() => client.value.deleteMonitor({ path }), "Deleted.")}
        />
      </p>
      {outcome}
      {isOpen.value && <RunMonitor monitor={monitor} onStart={onChange} onClose={() => (isOpen.value = false)} />}
    </>
  );
};

/** Rows of a monitor: what it judges and what that cost, and below its last firings and its actions. */
export const MonitorRows = ({ monitor, onChange, onEdit }: MonitorProps) => {
  const path = { monitor_id: monitor.id };
  const history = useLoad(
    (signal) =>
      Promise.all([
        client.value.listFirings({ path, query: { limit: maxFirings } }, { signal }),
        readRuns(monitor.id, signal),
      ]),
    [monitor.id, monitor.last_run_id],
    pollInterval,
  );
  const [{ items: firings }, runs] = history.value ?? [{ items: [] }, []];
  const isActive = monitor.status === "ACTIVE";
  const next = monitor.next_run_at === null ? [] : [monitor.next_run_at];
  const share =
    firings.length === 0 ? 1 : firings.filter(({ outcome: each }) => each === "RUN").length / firings.length;
  return (
    <tbody class="monitor">
      <tr>
        <th scope="row" dir="auto">
          <span class={`status ${isActive ? "good" : "plain"}`} aria-hidden="true">
            {isActive ? "●" : "‖"}
          </span>{" "}
          {monitor.name}
        </th>
        <td>{monitor.metric_names.join(", ").replaceAll("_", " ")}</td>
        <td>
          <p class="facts">
            <MonitorTargets monitor={monitor} />
          </p>
        </td>
        <td dir="auto">{monitor.cadence.replaceAll("_", " ")}</td>
        <td>
          <LastRun monitor={monitor} />
        </td>
        <td>{isActive ? next.map((at) => <LocalTime at={at} />) : "paused"}</td>
        <td>
          {history.value !== null && (
            <Cost
              runs={runs}
              share={share}
              firings={monthlyFirings(monitor.cadence, [...firings.map(({ scheduled_at: at }) => at), ...next])}
            />
          )}
          <div class="faint">
            {monitor.max_cost_usd === null ? "no ceiling" : `at most ${dollars(monitor.max_cost_usd)} a run`}
          </div>
        </td>
      </tr>
      <tr>
        <td colSpan={monitorHeads.length}>
          {monitor.paused_reason !== null && (
            <p class="reason bad" dir="auto">
              ✕ Paused by the service: {monitor.paused_reason}
            </p>
          )}
          <ErrorAlert {...history} />
          {history.value !== null && <FiringList monitor={monitor} firings={firings} />}
          <MonitorActions monitor={monitor} onChange={onChange} onEdit={onEdit} />
        </td>
      </tr>
    </tbody>
  );
};

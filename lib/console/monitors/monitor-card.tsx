import { useSignal } from "@preact/signals";
import type { MonitorResponse } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { monthlyFirings, monthlySpend } from "./cadence.ts";
import { client } from "../sign-in.ts";
import { dollars } from "../format.ts";
import { isFinished } from "../runs/run-kind.ts";
import { MonitorFacts } from "./monitor-facts.tsx";
import { RunMonitor } from "./run-monitor.tsx";
import { FiringList } from "./firings.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";

/** Number of last firings and runs that are loaded. */
const maxFirings = 30;

/** Milliseconds between reloads of firings and runs. */
const pollInterval = 30_000;

const Spend = ({
  monitor,
  firings,
  spend,
}: {
  readonly monitor: MonitorResponse;
  readonly firings: number | null;
  readonly spend: number | null;
}) => {
  const maxSpend = monitor.max_cost_usd === null || firings === null ? null : monitor.max_cost_usd * firings;
  if (spend === null && maxSpend === null) return null;
  return (
    <span>
      {spend !== null && (
        <>
          about <b>{dollars(spend)}</b> a month at this cadence
        </>
      )}
      {maxSpend !== null && `${spend === null ? "" : ", "}at most ${dollars(maxSpend)} a month`}
    </span>
  );
};

/** Card of a monitor: status, next firing, last firings, estimated monthly cost, and buttons to pause and run it. */
export const MonitorCard = ({
  monitor,
  onChange,
}: {
  readonly monitor: MonitorResponse;
  readonly onChange: () => void;
}) => {
  const { perform, isBusy, outcome } = useAction();
  const isOpen = useSignal(false);
  const path = { monitor_id: monitor.id };
  const query = { limit: maxFirings };
  const history = useLoad(
    (signal) =>
      Promise.all([
        client.value.listFirings({ path, query }, { signal }),
        client.value.listMonitorRuns({ path, query }, { signal }),
      ]),
    [monitor.id, monitor.last_run_id],
    pollInterval,
  );
  const isActive = monitor.status === "ACTIVE";
  const { items: firings } = history.value?.[0] ?? { items: [] };
  const { items: runs } = history.value?.[1] ?? { items: [] };
  const next = monitor.next_run_at === null ? [] : [monitor.next_run_at];
  const firingsPerMonth = monthlyFirings(monitor.cadence, [...firings.map(({ scheduled_at: at }) => at), ...next]);
  const share = firings.length === 0 ? 1 : firings.filter(({ outcome }) => outcome === "RUN").length / firings.length;
  const finishedRuns = runs.filter(isFinished);
  const spend = monthlySpend(
    firingsPerMonth,
    finishedRuns.map(({ judge_usage: { cost_usd: cost } }) => ({ cost })),
    share,
  );
  return (
    <article class="verdict monitor">
      <header>
        <h2 dir="auto">
          <span class={`status ${isActive ? "good" : "plain"}`} aria-hidden="true">
            {isActive ? "●" : "‖"}
          </span>{" "}
          {monitor.name}
        </h2>
        <b>
          {isActive ? "" : "paused"}
          {isActive && monitor.next_run_at !== null && (
            <>
              next <LocalTime at={monitor.next_run_at} />
            </>
          )}
        </b>
      </header>
      <p class="facts">
        <span dir="auto">{monitor.cadence.replaceAll("_", " ")}</span>
        <MonitorFacts monitor={monitor} />
        {monitor.only_if_changed && <span>only after changes</span>}
        {monitor.max_cost_usd !== null && <span>at most {dollars(monitor.max_cost_usd)} a run</span>}
        <Spend monitor={monitor} firings={firingsPerMonth} spend={spend} />
      </p>
      {monitor.paused_reason !== null && (
        <p class="reason bad" dir="auto">
          ✕ Paused by the service: {monitor.paused_reason}
        </p>
      )}
      <ErrorAlert {...history} />
      {history.value !== null && <FiringList monitor={monitor} firings={firings} />}
      <p class="buttons writes">
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            void perform(async () => {
              await (isActive ? client.value.pauseMonitor({ path }) : client.value.resumeMonitor({ path }));
              onChange();
              return isActive ? "Paused." : "Resumed.";
            })
          }
        >
          {isActive ? "Pause" : "Resume"}
        </button>
        <button type="button" onClick={() => (isOpen.value = true)}>
          Run now …
        </button>
      </p>
      {outcome}
      {isOpen.value && <RunMonitor monitor={monitor} onStart={onChange} onClose={() => (isOpen.value = false)} />}
    </article>
  );
};

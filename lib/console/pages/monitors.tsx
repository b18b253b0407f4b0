import { useSignal } from "@preact/signals";
import type { MonitorResponse } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { Instant } from "../parts/instant.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { hrefTo } from "../place.ts";
import { client, notice } from "../sign-in.ts";
import { dollars, plural } from "../words.ts";

/** Firings shown of each. */
const newest = 30;

const signs = { RUN: ["✓", "good"], SKIPPED_UNCHANGED: ["–", "plain"], FAILED: ["✕", "bad"] } as const;

const Firings = ({ monitor }: { readonly monitor: MonitorResponse }) => {
  const { value, error, again } = useLoad(
    (signal) => client.value.listFirings({ path: { monitor_id: monitor.id }, query: { limit: newest } }, { signal }),
    [monitor.id, monitor.last_run_id],
    30_000,
  );
  if (error !== null) return <Trouble error={error} again={again} />;
  const firings = value?.items ?? [];
  const last = firings.find(({ reason }) => reason !== null);
  return (
    <>
      <ol class="firings" aria-label={`The last ${newest} firings, newest first`}>
        {firings.map(({ scheduled_at: at, outcome, reason, run_id: run }) => {
          const [sign, tone] = signs[outcome];
          const title = `${new Date(at).toLocaleString("en")}: ${reason ?? "made a run"}`;
          return (
            <li class={tone} title={title}>
              {run === null ? (
                <span>
                  <span aria-hidden="true">{sign}</span>
                  <span class="unseen">{title}</span>
                </span>
              ) : (
                <a href={hrefTo(monitor.target_type === "TRACE" ? "runs" : "session-runs", run)} aria-label={title}>
                  {sign}
                </a>
              )}
            </li>
          );
        })}
      </ol>
      {last?.reason !== null && last !== undefined && (
        <p class="faint" dir="auto">
          <Instant at={last.scheduled_at} />: {last.reason}
        </p>
      )}
    </>
  );
};

const MonitorCard = ({ monitor, changed }: { readonly monitor: MonitorResponse; readonly changed: () => void }) => {
  const [trouble, said] = [useSignal<unknown>(null), useSignal<string | null>(null)];
  const path = { monitor_id: monitor.id };
  const act = async (work: () => Promise<string>): Promise<void> => {
    [trouble.value, said.value] = [null, null];
    try {
      said.value = await work();
      changed();
    } catch (thrown) {
      notice(thrown);
      trouble.value = thrown;
    }
  };
  const isActive = monitor.status === "ACTIVE";
  return (
    <article class="verdict">
      <header>
        <h2 dir="auto">{monitor.name}</h2>
        <b>{isActive ? "active" : "paused"}</b>
      </header>
      <p class="facts">
        <span dir="auto">{monitor.cadence}</span>
        <span>{monitor.metric_names.join(", ").replaceAll("_", " ")}</span>
        <span>{monitor.target_type === "TRACE" ? "traces" : "sessions"}</span>
        {monitor.only_if_changed && <span>only when something is new</span>}
        {monitor.max_cost_usd !== null && <span>at most {dollars(monitor.max_cost_usd)} a run</span>}
        {isActive && monitor.next_run_at !== null && (
          <span>
            next <Instant at={monitor.next_run_at} />
          </span>
        )}
      </p>
      <Firings monitor={monitor} />
      <p class="buttons">
        <button
          type="button"
          onClick={() =>
            void act(async () => {
              await (isActive ? client.value.pauseMonitor({ path }) : client.value.resumeMonitor({ path }));
              return isActive ? "Paused." : "Goes on.";
            })
          }
        >
          {isActive ? "Pause" : "Resume"}
        </button>
        <button
          type="button"
          onClick={() =>
            void act(async () => {
              const run = await client.value.triggerMonitor({ path });
              return `Run ${run.id} has begun with ${plural(run.total_targets, "target")}.`;
            })
          }
        >
          Run now
        </button>
        <span aria-live="polite">{said}</span>
      </p>
      {trouble.value !== null && <Trouble error={trouble.value} again={() => (trouble.value = null)} />}
    </article>
  );
};

/** Do they run, when next, and why not? */
export const MonitorsPage = () => {
  const { value, error, again } = useLoad(
    (signal) => client.value.listMonitors({ query: { limit: 100 } }, { signal }),
    [],
    30_000,
  );
  return (
    <main>
      <h1 class="unseen">Monitors</h1>
      {error !== null && <Trouble error={error} again={again} />}
      {value === null && error === null && <p class="faint">Loading …</p>}
      {value?.items.length === 0 && (
        <div class="empty">
          <p>No monitor watches this project. One evaluates on a schedule, and skips when nothing new has arrived:</p>
          <pre class="data">
            POST /evaluations/monitors {`{"name": "nightly", "metrics": ["task_completion"], "cadence": "daily"}`}
          </pre>
        </div>
      )}
      {(value?.items ?? []).map((monitor) => (
        <MonitorCard key={monitor.id} monitor={monitor} changed={again} />
      ))}
    </main>
  );
};

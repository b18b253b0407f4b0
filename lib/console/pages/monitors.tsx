import { useSignal } from "@preact/signals";
import { useShortcuts } from "../shortcuts.ts";
import { useLoad } from "../use-load.ts";
import { MonitorCard } from "../monitors/monitor-card.tsx";
import { NewMonitor } from "../monitors/new-monitor.tsx";
import { EmptyNote } from "../parts/curl.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { ListActions } from "../parts/list-actions.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { client } from "../sign-in.ts";
import { plural } from "../format.ts";

const command = `POST /evaluations/monitors {"name": "nightly", "target_type": "TRACE", "metrics": ["task_completion"], "cadence": "daily"}`;

/** Page with the project's monitors. */
export const MonitorsPage = () => {
  const { value, error, reload } = useLoad(
    (signal) => client.value.listMonitors({ query: { limit: 100 } }, { signal }),
    [],
    30_000,
  );
  const isOpen = useSignal(false);
  useShortcuts({ n: [() => (isOpen.value = true), "new monitor", true] });
  return (
    <main>
      <h1 class="unseen">Monitors</h1>
      <ListActions count={value !== null && <b>{plural(value.total, "monitor")}</b>}>
        <button type="button" class="main writes" onClick={() => (isOpen.value = true)}>
          New monitor …
        </button>
      </ListActions>
      <ErrorAlert error={error} reload={reload} />
      {value === null && error === null && <LoadingNote>Loading the monitors</LoadingNote>}
      {value?.items.length === 0 && (
        <EmptyNote command={command}>
          No monitors yet. A monitor evaluates on a schedule and skips when nothing is new. To create one with the API:
        </EmptyNote>
      )}
      {(value?.items ?? []).map((monitor) => (
        <MonitorCard key={monitor.id} monitor={monitor} onChange={reload} />
      ))}
      {isOpen.value && <NewMonitor onClose={() => (isOpen.value = false)} onCreate={reload} />}
    </main>
  );
};

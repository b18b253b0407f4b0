import { useSignal } from "@preact/signals";
import { useShortcuts } from "../shortcuts.ts";
import { useLoad } from "../use-load.ts";
import type { MonitorResponse } from "../../client/interface.ts";
import { MonitorEditor } from "../monitors/monitor-editor.tsx";
import { monitorHeads, MonitorRows } from "../monitors/monitor-rows.tsx";
import { EmptyNote } from "../parts/curl.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { ListActions } from "../parts/list-actions.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { WideTable } from "../parts/wide-table.tsx";
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
  const edited = useSignal<{ readonly base: MonitorResponse | null; readonly isCopy: boolean } | null>(null);
  const openNew = (): unknown => (edited.value = { base: null, isCopy: false });
  useShortcuts({ n: [openNew, "new monitor", true] });
  return (
    <main>
      <h1 class="unseen">Monitors</h1>
      <ListActions count={value !== null && <b>{plural(value.total, "monitor")}</b>}>
        <button type="button" class="main writes" onClick={openNew}>
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
      {value !== null && value.items.length > 0 && (
        <WideTable label="Monitors">
          <thead>
            <tr>
              {monitorHeads.map((head) => (
                <th scope="col">{head}</th>
              ))}
            </tr>
          </thead>
          {value.items.map((monitor) => (
            <MonitorRows
              key={monitor.id}
              monitor={monitor}
              onChange={reload}
              onEdit={(isCopy) => (edited.value = { base: monitor, isCopy })}
            />
          ))}
        </WideTable>
      )}
      {edited.value !== null && (
        <MonitorEditor {...edited.value} onClose={() => (edited.value = null)} onSave={reload} />
      )}
    </main>
  );
};

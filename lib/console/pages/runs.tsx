import { useSignal } from "@preact/signals";
import type { EvalRun } from "../../client/interface.ts";
import { useShortcuts } from "../shortcuts.ts";
import { usePolling } from "../use-polling.ts";
import { EvaluateDialog } from "../runs/lazy-evaluate-dialog.ts";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { PagedRows } from "../parts/paged-rows.tsx";
import { RunCeilings } from "../parts/ceilings.tsx";
import { RunProgress } from "../runs/run-progress.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { Export } from "../parts/files/export.tsx";
import { ListActions } from "../parts/list-actions.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { usePagedList } from "../use-paged-list.ts";
import { hrefTo, route } from "../route.ts";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { plural } from "../format.ts";

const rowHeight = 44;

/** Number of newest runs that are checked; if one is unfinished, the list is reloaded periodically. */
const checkedRuns = 50;

/** Milliseconds between reloads of the list while a run is unfinished. */
const pollInterval = 5_000;

const Row = ({ run, kind }: { readonly run: EvalRun; readonly kind: "runs" | "session-runs" }) => (
  <div class="row run-row" role="row">
    <span role="gridcell">
      <StatusLabel status={run.status} isShort />
    </span>
    <span role="gridcell" class="name">
      <a href={hrefTo(kind, run.id)} dir="auto">
        {run.name ?? run.metric_names.join(", ").replaceAll("_", " ")}
      </a>
      {run.name !== null && (
        <span class="why-not" dir="auto">
          {run.metric_names.join(", ").replaceAll("_", " ")}
        </span>
      )}
      {run.monitor_id !== null && <span class="tag">monitor</span>}
      {run.retry_of !== null && <span class="tag">retry</span>}
    </span>
    <span role="gridcell" class="wide">
      <RunProgress run={run} />
    </span>
    <span role="gridcell" class="number when">
      <LocalTime at={run.created_at} />
    </span>
  </div>
);

/** Page with the list of runs, for traces or for sessions. */
export const RunsPage = () => {
  const kind = route.value.page === "session-runs" ? "session-runs" : "runs";
  const list = usePagedList<EvalRun>(
    (paging, signal) =>
      kind === "runs"
        ? client.value.listTraceRuns({ query: paging }, { signal })
        : client.value.listSessionRuns({ query: paging }, { signal }),
    kind,
    signOutIfUnauthorized,
  );
  const { total, at, error, reload } = list;
  const isOpen = useSignal(false);
  const hasActiveRun = Array.from({ length: Math.min(total ?? 0, checkedRuns) }, (_, index) => at(index)).some(
    (run) => run !== undefined && (run.status === "PENDING" || run.status === "RUNNING"),
  );
  usePolling(reload, hasActiveRun, pollInterval);
  useShortcuts({ n: [() => (isOpen.value = true), "new run", true] });
  return (
    <main class="runs">
      <h1 class="unseen">Runs</h1>
      <nav class="switch" aria-label="Targets">
        <a href={hrefTo("runs")} aria-current={kind === "runs" ? "page" : undefined}>
          Of traces
        </a>
        <a href={hrefTo("session-runs")} aria-current={kind === "session-runs" ? "page" : undefined}>
          Of sessions
        </a>
      </nav>
      <ListActions
        count={
          <>
            {total === null ? (
              error === null && <LoadingNote>Loading runs</LoadingNote>
            ) : (
              <span aria-live="polite">
                <b>{plural(total, "run")}</b>
              </span>
            )}
            {hasActiveRun && <span class="faint">live</span>}
          </>
        }
      >
        <button type="button" class="main writes" onClick={() => (isOpen.value = true)}>
          New run …
        </button>
      </ListActions>
      {total !== null && total > 0 && <Export name={kind} read={list.read} />}
      <RunCeilings interval={hasActiveRun ? pollInterval : null} />
      <ErrorAlert error={error} reload={reload} />
      {total === 0 && (
        <div class="empty">
          <p>No runs yet: choose traces to evaluate, and see the estimated cost before a run starts.</p>
          <a class="button" href={hrefTo("traces")}>
            Choose traces
          </a>
        </div>
      )}
      <PagedRows
        list={list}
        height={rowHeight}
        label="Runs"
        row={(run) => <Row key={run.id} run={run} kind={kind} />}
      />
      {isOpen.value && (
        <EvaluateDialog
          targets={{ kind: "matching" }}
          onClose={() => {
            isOpen.value = false;
            reload();
          }}
        />
      )}
    </main>
  );
};

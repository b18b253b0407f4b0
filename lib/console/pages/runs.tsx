import type { EvalRun } from "../../client/interface.ts";
import { Instant } from "../parts/instant.tsx";
import { Rows } from "../parts/rows.tsx";
import { RunProgress } from "../parts/run-progress.tsx";
import { Status } from "../parts/status.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { usePages } from "../pages-of-list.ts";
import { hrefTo, place } from "../place.ts";
import { client, notice } from "../sign-in.ts";
import { plural } from "../words.ts";

const height = 44;

const Row = ({ run, kind }: { readonly run: EvalRun; readonly kind: "runs" | "session-runs" }) => (
  <div class="row run-row" role="row">
    <span role="gridcell">
      <Status of={run.status} isShort />
    </span>
    <span role="gridcell" class="name">
      <a href={hrefTo(kind, run.id)} dir="auto">
        {run.name ?? run.metric_names.join(", ").replaceAll("_", " ")}
      </a>
      {run.monitor_id !== null && <span class="tag">monitor</span>}
      {run.retry_of !== null && <span class="tag">retry</span>}
    </span>
    <span role="gridcell" class="wide">
      <RunProgress run={run} />
    </span>
    <span role="gridcell" class="number when">
      <Instant at={run.created_at} />
    </span>
  </div>
);

/** What did evaluation cost, and what of it failed? */
export const RunsPage = () => {
  const kind = place.value.page === "session-runs" ? "session-runs" : "runs";
  const { total, at, error, need, again } = usePages<EvalRun>(
    (limit, offset, signal) =>
      kind === "runs"
        ? client.value.listTraceRuns({ query: { limit, offset } }, { signal })
        : client.value.listSessionRuns({ query: { limit, offset } }, { signal }),
    kind,
    notice,
  );
  return (
    <main class="runs">
      <h1 class="unseen">Runs</h1>
      <nav class="switch" aria-label="What was evaluated">
        <a href={hrefTo("runs")} aria-current={kind === "runs" ? "page" : undefined}>
          Of traces
        </a>
        <a href={hrefTo("session-runs")} aria-current={kind === "session-runs" ? "page" : undefined}>
          Of sessions
        </a>
      </nav>
      <p class="said">
        <span aria-live="polite">{total === null ? "Looking for runs …" : plural(total, "run")}</span>{" "}
        <button type="button" class="quiet" onClick={again}>
          Look again
        </button>
      </p>
      {error !== null && <Trouble error={error} again={again} />}
      {total === 0 && (
        <div class="empty">
          <p>Nothing was evaluated yet.</p>
          <p>
            Select <a href={hrefTo("traces")}>traces</a> and choose Evaluate: what it costs is said before it begins.
          </p>
        </div>
      )}
      {total !== null && total > 0 && (
        <Rows
          count={total}
          height={height}
          label="Runs"
          role="grid"
          row={(index) => {
            need(index);
            const run = at(index);
            return run === undefined ? (
              <div class="row waiting" key={index} role="row" />
            ) : (
              <Row key={run.id} run={run} kind={kind} />
            );
          }}
        />
      )}
    </main>
  );
};

import type { EvalRun, RunTarget } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { CeilingsLink, ErrorAlert } from "../parts/error-alert.tsx";
import { Export } from "../parts/files/export.tsx";
import { Switch } from "../parts/controls.tsx";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { PagedRows } from "../parts/paged-rows.tsx";
import { DeleteRun } from "../runs/delete-run.tsx";
import { isFinished, type RunKind } from "../runs/run-kind.ts";
import { RunProgress } from "../runs/run-progress.tsx";
import { ScoreList } from "../runs/score-list.tsx";
import { useAction } from "../parts/action.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { usePagedList } from "../use-paged-list.ts";
import { hrefTo, route, updateQuery, useDeletion, useNavigate } from "../route.ts";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { dollars, plural } from "../format.ts";

/** Milliseconds between reloads of an unfinished run. */
const pollInterval = 3_000;

/** Status that is displayed for each state of a run's target. */
const states = {
  waiting: "PENDING",
  judging: "RUNNING",
  settled: "SUCCESS",
  failed: "FAILED",
  not_found: "FAILED",
} as const;

const TargetRow = ({ target, kind }: { readonly target: RunTarget; readonly kind: RunKind }) => {
  const reasons = target.metrics.flatMap(({ name, reason }) =>
    reason === null ? [] : [`${name.replaceAll("_", " ")}: ${reason}`],
  );
  return (
    <div class="row target-row" role="row">
      <span role="gridcell">
        <StatusLabel status={states[target.state]} isShort />
      </span>
      <span role="gridcell" class="name">
        <a href={hrefTo(kind === "runs" ? "traces" : "sessions", target.target_id)} dir="auto">
          {target.target_id}
        </a>
      </span>
      <span role="gridcell" class="why-not" title={reasons.join("\n")} dir="auto">
        {target.state === "not_found" ? "No longer exists." : reasons.join(" · ")}
        {target.waiting_for !== null && `waiting: ${target.waiting_for}`}
        {target.attempts > 1 && <span class="faint"> · {target.attempts} attempts</span>}
      </span>
    </div>
  );
};

const getRun = {
  runs: (id: string, signal: AbortSignal) => client.value.getTraceRun({ path: { run_id: id } }, { signal }),
  "session-runs": (id: string, signal: AbortSignal) => client.value.getSessionRun({ path: { run_id: id } }, { signal }),
} as const;

/** Page of a run: progress, cost, scores, and targets with the reasons of missing scores. */
export const RunPage = ({ id, kind }: { readonly id: string; readonly kind: RunKind }) => {
  const { perform, isBusy, errorAlert } = useAction();
  const {
    value: run,
    error,
    reload,
  } = useLoad<EvalRun>(
    (signal) => getRun[kind](id, signal),
    [id, kind],
    pollInterval,
    (loadedRun) => loadedRun === null || !isFinished(loadedRun),
  );
  // A change of progress reloads the visible list.
  const progressKey = run === null ? null : `${run.status} ${run.evaluated_count} ${run.failed_count}`;
  const targets = usePagedList<RunTarget>(
    (paging, signal) => {
      const input = { path: { run_id: id }, query: paging };
      return kind === "runs"
        ? client.value.listTraceRunTargets(input, { signal })
        : client.value.listSessionRunTargets(input, { signal });
    },
    `${kind} ${id}`,
    signOutIfUnauthorized,
    progressKey,
  );
  const [navigate, deleteAndLeave] = [useNavigate(), useDeletion()];
  const isScoresView = route.value.query["view"] !== "targets";
  const retry = (): Promise<void> =>
    perform(async () => {
      const input = { path: { run_id: id } };
      const newRun =
        kind === "runs" ? await client.value.retryTraceRun(input) : await client.value.retrySessionRun(input);
      navigate(hrefTo(kind, newRun.id));
    });
  const remove = (withScores: boolean): Promise<void> => {
    const input = { path: { run_id: id }, query: { delete_scores: withScores } };
    return perform(() =>
      deleteAndLeave(
        () => (kind === "runs" ? client.value.deleteTraceRun(input) : client.value.deleteSessionRun(input)),
        hrefTo(kind),
      ),
    );
  };
  const back = (
    <p>
      <a href={hrefTo(kind)}>← Runs</a>
    </p>
  );
  if (run === null)
    return (
      <main aria-busy={error === null}>
        {back}
        {error === null ? <LoadingNote>Loading the run</LoadingNote> : <ErrorAlert error={error} reload={reload} />}
      </main>
    );
  return (
    <main class="runs">
      {back}
      <h1 dir="auto">
        <StatusLabel status={run.status} isShort /> {run.name ?? "Run"}
      </h1>
      <p class="facts">
        <span>{run.metric_names.join(", ").replaceAll("_", " ")}</span>
        <span dir="auto">by {run.resolved_model}</span>
        {run.judge !== null && (
          <span dir="auto">
            then {run.judge.escalate.to} below a confidence of {run.judge.escalate.when.confidence_below}:{" "}
            {plural(run.escalated_count, "pair")} asked again
          </span>
        )}
        <LocalTime at={run.created_at} />
        {run.monitor_id !== null && <a href={hrefTo("monitors")}>by a monitor</a>}
        {run.retry_of !== null && <a href={hrefTo(kind, run.retry_of)}>retry of another run</a>}
        {run.sampling_rate < 1 && <span>{run.sampling_rate * 100} % at random</span>}
        {kind === "runs" && (
          <a href={hrefTo("compare", null, { by: "run", candidate: run.id })}>compare with another run</a>
        )}
        <code>{run.id}</code>
      </p>
      <RunProgress run={run} isLarge />
      <p class="facts">
        <span>{plural(run.judge_usage.calls, "judge call")}</span>
        <span>{plural(run.judge_usage.prompt_tokens + run.judge_usage.completion_tokens, "token")}</span>
        {(run.judge_usage.cost_usd ?? 0) > 0 &&
          Object.entries(run.cost_by_metric ?? {}).map(([metric, cost]) => (
            <span key={metric}>
              {metric.replaceAll("_", " ")} {dollars(cost)}
            </span>
          ))}
        {run.waiting_for !== null && (
          <span role="status">
            waiting: {run.waiting_for} <CeilingsLink message={run.waiting_for} />
          </span>
        )}
      </p>
      {run.error_message !== null && (
        <p class="trouble">
          {run.error_message} <CeilingsLink message={run.error_message} />
        </p>
      )}
      <div class="buttons writes">
        {kind === "runs" && <a href={hrefTo("review", null, { eval_run_id: run.id })}>Review the lowest</a>}
        <DeleteRun run={run} kind={kind} remove={(withScores) => void remove(withScores)} />
        {isFinished(run) && run.failed_count > 0 && (
          <button type="button" class="main" disabled={isBusy} onClick={() => void retry()}>
            Retry failed ({run.failed_count})
          </button>
        )}
      </div>
      {errorAlert}
      <ErrorAlert error={error} reload={reload} />
      <Switch
        label="View"
        value={isScoresView ? "scores" : "targets"}
        options={{ scores: "Scores", targets: targets.total === null ? "Targets" : plural(targets.total, "target") }}
        onSelect={(view) => updateQuery({ view: view === "scores" ? null : view })}
      />
      {isScoresView && (
        <ScoreList
          version={progressKey}
          filters={{ eval_run_id: run.id }}
          targetKind={kind === "runs" ? "traces" : "sessions"}
        />
      )}
      {!isScoresView && targets.error !== null && <ErrorAlert error={targets.error} reload={targets.reload} />}
      {!isScoresView && <Export name="targets" read={targets.read} />}
      {!isScoresView && (
        <PagedRows
          list={targets}
          height={36}
          label="Targets"
          row={(target) => <TargetRow key={target.target_id} target={target} kind={kind} />}
        />
      )}
    </main>
  );
};

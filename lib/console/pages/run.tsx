import { useSignal } from "@preact/signals";
import type { EvalRun, RunTarget } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { Instant } from "../parts/instant.tsx";
import { Rows } from "../parts/rows.tsx";
import { RunProgress } from "../parts/run-progress.tsx";
import { Status } from "../parts/status.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { usePages } from "../pages-of-list.ts";
import { goTo, hrefTo } from "../place.ts";
import { client, notice } from "../sign-in.ts";
import { plural } from "../words.ts";

type Kind = "runs" | "session-runs";

/** Milliseconds between two looks at a run that goes on. */
const pace = 3_000;

const isOver = ({ status }: EvalRun): boolean => status === "COMPLETED" || status === "FAILED";

const states = {
  waiting: "PENDING",
  judging: "RUNNING",
  settled: "SUCCESS",
  failed: "FAILED",
  not_found: "FAILED",
} as const;

const TargetRow = ({ target, kind }: { readonly target: RunTarget; readonly kind: Kind }) => {
  const why = target.metrics.flatMap(({ name, reason }) =>
    reason === null ? [] : [`${name.replaceAll("_", " ")}: ${reason}`],
  );
  return (
    <div class="row target-row" role="row">
      <span role="gridcell">
        <Status of={states[target.state]} isShort />
      </span>
      <span role="gridcell" class="name">
        <a href={hrefTo(kind === "runs" ? "traces" : "sessions", target.target_id)} dir="auto">
          {target.target_id}
        </a>
      </span>
      <span role="gridcell" class="why-not" title={why.join("\n")} dir="auto">
        {target.state === "not_found" ? "It is not there any more." : why.join(" · ")}
        {target.waiting_for !== null && `waits: ${target.waiting_for}`}
      </span>
    </div>
  );
};

const ask = {
  runs: (id: string, signal: AbortSignal) => client.value.getTraceRun({ path: { run_id: id } }, { signal }),
  "session-runs": (id: string, signal: AbortSignal) => client.value.getSessionRun({ path: { run_id: id } }, { signal }),
} as const;

/** One run: how far it is, what it cost, and why there is no score where there is none. */
export const RunPage = ({ id, kind }: { readonly id: string; readonly kind: Kind }) => {
  const isDone = useSignal(false);
  const {
    value: run,
    error,
    again,
  } = useLoad(
    async (signal) => {
      const answer = await ask[kind](id, signal);
      isDone.value = isOver(answer);
      return answer;
    },
    [id, kind],
    isDone.value ? null : pace,
  );
  const targets = usePages<RunTarget>(
    (limit, offset, signal) => {
      const input = { path: { run_id: id }, query: { limit, offset } };
      return kind === "runs"
        ? client.value.listTraceRunTargets(input, { signal })
        : client.value.listSessionRunTargets(input, { signal });
    },
    `${kind} ${id} ${isDone.value}`,
    notice,
  );
  const trouble = useSignal<unknown>(null);
  const retry = async (): Promise<void> => {
    trouble.value = null;
    try {
      const input = { path: { run_id: id } };
      const made =
        kind === "runs" ? await client.value.retryTraceRun(input) : await client.value.retrySessionRun(input);
      goTo(hrefTo(kind, made.id));
    } catch (thrown) {
      notice(thrown);
      trouble.value = thrown;
    }
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
        {error === null ? <p class="faint">Loading the run …</p> : <Trouble error={error} again={again} />}
      </main>
    );
  return (
    <main class="runs">
      {back}
      <h1 dir="auto">
        <Status of={run.status} isShort /> {run.name ?? "Run"}
      </h1>
      <p class="facts">
        <span>{run.metric_names.join(", ").replaceAll("_", " ")}</span>
        <span dir="auto">by {run.resolved_model}</span>
        <Instant at={run.created_at} />
        <code>{run.id}</code>
      </p>
      <RunProgress run={run} />
      <p class="facts">
        <span>{plural(run.judge_usage.calls, "call")} of the judge</span>
        <span>{plural(run.judge_usage.prompt_tokens + run.judge_usage.completion_tokens, "token")}</span>
        {run.waiting_for !== null && <span role="status">waits: {run.waiting_for}</span>}
      </p>
      {run.error_message !== null && <p class="trouble">{run.error_message}</p>}
      {isOver(run) && run.failed_count > 0 && (
        <p>
          <button type="button" class="main" onClick={() => void retry()}>
            Judge again what failed
          </button>
        </p>
      )}
      {trouble.value !== null && <Trouble error={trouble.value} again={() => void retry()} />}
      {error !== null && <Trouble error={error} again={again} />}
      <h2>{targets.total === null ? "Targets" : plural(targets.total, "target")}</h2>
      {targets.error !== null && <Trouble error={targets.error} again={targets.again} />}
      {(targets.total ?? 0) > 0 && (
        <Rows
          count={targets.total ?? 0}
          height={36}
          label="Targets"
          role="grid"
          row={(index) => {
            targets.need(index);
            const target = targets.at(index);
            return target === undefined ? (
              <div class="row waiting" key={index} role="row" />
            ) : (
              <TargetRow key={target.target_id} target={target} kind={kind} />
            );
          }}
        />
      )}
    </main>
  );
};

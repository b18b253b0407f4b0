import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLoad } from "../use-load.ts";
import { hrefTo, route } from "../route.ts";
import {
  parseCeiling,
  estimateRun,
  metricsFor,
  defaultRunOptions,
  startRun,
  type RunOptions,
  type RunTargets,
} from "./run-options.ts";
import { plural } from "../format.ts";
import { FilterChips } from "../traces/filter-chips.tsx";
import { Estimate } from "./estimate.tsx";
import { RunOptionFields } from "./run-option-fields.tsx";
import { useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";

const titleOf = (targets: RunTargets): string => {
  if (targets.kind === "matching") return "Evaluate matching traces";
  return `Evaluate ${plural(targets.ids.length, targets.kind === "traces" ? "trace" : "session")}`;
};

/** Dialog that starts a run: metrics, judge and ceiling, with the estimated cost before the start. */
export const EvaluateDialog = ({
  targets,
  onClose,
}: {
  readonly targets: RunTargets;
  readonly onClose: () => void;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [options, runId] = [useSignal<RunOptions>(defaultRunOptions), useSignal<string | null>(null)];
  const { perform, isBusy, errorAlert } = useAction();
  useEffect(() => dialog.current?.showModal(), []);
  const metrics = useLoad((signal) => metricsFor(targets, signal), []);
  const names = metrics.value;
  // Selects the first metric if the default one does not exist for these targets.
  useEffect(() => {
    const first = names?.[0]?.name;
    if (first !== undefined && !names?.some(({ name }) => options.value.metrics.includes(name)))
      options.value = { ...options.value, metrics: [first] };
  }, [names]);
  const { query } = route.value;
  const isReady = names !== null && options.value.metrics.length > 0;
  const estimate = useLoad(
    async (signal) => (isReady ? await estimateRun(targets, options.value, query, signal) : null),
    [isReady, JSON.stringify([targets, options.value, targets.kind === "matching" ? query : null])],
  );
  const start = (): Promise<void> =>
    perform(async () => {
      runId.value = (await startRun(targets, options.value, route.value.query)).id;
    });
  const isStarted = runId.value !== null;
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="evaluate-title">
      <h2 id="evaluate-title">{titleOf(targets)}</h2>
      {targets.kind === "matching" && !isStarted && (
        <div class="filters">
          <FilterChips fixed={targets.fixed} />
        </div>
      )}
      {!isStarted && (
        <RunOptionFields
          metrics={names ?? []}
          options={options}
          isSampled={targets.kind === "matching"}
          takesSecondJudge={targets.kind !== "sessions"}
        />
      )}
      <ErrorAlert {...metrics} />
      <ErrorAlert {...estimate} />
      {errorAlert}
      {isStarted && (
        <p role="status">
          Run started: <code>{runId.value}</code>
        </p>
      )}
      <div class="buttons">
        {!isStarted && (
          <button
            type="button"
            class="main"
            disabled={isBusy || estimate.value === null || estimate.isLoading}
            onClick={() => void start()}
          >
            Evaluate now
          </button>
        )}
        {!isStarted && (
          <Estimate
            estimate={estimate.value}
            targetName={targets.kind === "sessions" ? "session" : "trace"}
            isLoading={estimate.isLoading}
            ceiling={parseCeiling(options.value)}
            hasMetric={options.value.metrics.length > 0}
          />
        )}
        {runId.value !== null && (
          <a class="button main" href={hrefTo(targets.kind === "sessions" ? "session-runs" : "runs", runId.value)}>
            View run
          </a>
        )}
        <button type="button" class={isStarted ? "" : "quiet"} onClick={() => dialog.current?.close()}>
          {isStarted ? "Close" : "Cancel"}
        </button>
      </div>
    </dialog>
  );
};

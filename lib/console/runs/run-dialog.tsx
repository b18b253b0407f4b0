import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { EvalRun, RunEstimate } from "../../client/interface.ts";
import { useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { hrefTo } from "../route.ts";
import type { LoadState } from "../use-load.ts";
import { Estimate } from "./estimate.tsx";

/** Dialog that starts a run after its estimate is shown, and then links to the run. */
export const RunDialog = ({
  title,
  startLabel,
  target,
  estimate,
  ceiling,
  hasMetric,
  start,
  onClose,
  children,
}: {
  readonly title: string;
  readonly startLabel: string;
  readonly target: "trace" | "session";
  readonly estimate: LoadState<RunEstimate | null>;
  /** Max cost in US dollars; null for none, NaN if it is no number. */
  readonly ceiling: number | null;
  readonly hasMetric: boolean;
  readonly start: () => Promise<EvalRun>;
  readonly onClose: () => void;
  /** Fields of the run, shown until it is started. */
  readonly children: ComponentChildren;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const runId = useSignal<string | null>(null);
  const { perform, isBusy, errorAlert } = useAction();
  useEffect(() => dialog.current?.showModal(), []);
  const isReady = estimate.value !== null && !estimate.isLoading && !Number.isNaN(ceiling);
  const started = runId.value !== null;
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="run-dialog-title">
      <h2 id="run-dialog-title" dir="auto">
        {title}
      </h2>
      {!started && children}
      <ErrorAlert {...estimate} />
      {errorAlert}
      {started && (
        <p role="status">
          Run started: <code>{runId.value}</code>
        </p>
      )}
      <div class="buttons">
        {runId.value === null ? (
          <button
            type="button"
            class="main"
            disabled={isBusy || !isReady}
            onClick={() => void perform(async () => void (runId.value = (await start()).id))}
          >
            {startLabel}
          </button>
        ) : (
          <a class="button main" href={hrefTo(target === "trace" ? "runs" : "session-runs", runId.value)}>
            View run
          </a>
        )}
        <button type="button" class={started ? "" : "quiet"} onClick={() => dialog.current?.close()}>
          {started ? "Close" : "Cancel"}
        </button>
        {!started && (
          <Estimate
            estimate={estimate.value}
            targetName={target}
            isLoading={estimate.isLoading}
            ceiling={ceiling}
            hasMetric={hasMetric}
          />
        )}
      </div>
    </dialog>
  );
};

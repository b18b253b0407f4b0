import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { hrefTo } from "../route.ts";
import { EvaluateDialog } from "../runs/lazy-evaluate-dialog.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";

/** Milliseconds between requests: at first, and after the first five minutes. */
const [pollInterval, slowPollInterval, slowAfter] = [3_000, 15_000, 300_000];

/** Status of the project's newest trace: waits for the first one, then offers to evaluate it. */
export const FirstTrace = () => {
  const [interval, isOpen] = [useSignal(pollInterval), useSignal(false)];
  useEffect(() => {
    const timer = setTimeout(() => (interval.value = slowPollInterval), slowAfter);
    return () => clearTimeout(timer);
  }, []);
  const { value, error, reload } = useLoad(
    (signal) => client.value.listTraces({ query: { limit: 1 } }, { signal }),
    [],
    interval.value,
    (page) => page === null || page.total === 0,
  );
  const trace = value?.items[0];
  if (value === null || trace === undefined)
    return (
      <>
        <ErrorAlert error={error} reload={reload} />
        <p role="status" class="waiting">
          {value !== null && "This project has no traces yet. Waiting for the first …"}
        </p>
      </>
    );
  return (
    <div class="empty" role="status">
      <p>
        <b class="good">✓ {value.total === 1 ? "The first trace has arrived:" : "Traces have arrived. The newest:"}</b>{" "}
        <a dir="auto" href={hrefTo("traces", trace.trace_id)}>
          {trace.name}
        </a>
      </p>
      <div class="buttons">
        <button type="button" class="main writes" onClick={() => (isOpen.value = true)}>
          Evaluate this trace …
        </button>
        <a class="button" href={hrefTo("traces")}>
          All traces
        </a>
      </div>
      {isOpen.value && (
        <EvaluateDialog targets={{ kind: "traces", ids: [trace.trace_id] }} onClose={() => (isOpen.value = false)} />
      )}
    </div>
  );
};

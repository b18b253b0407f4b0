import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLoad } from "../load.ts";
import { client, notice } from "../sign-in.ts";
import { count, dollars, plural } from "../words.ts";
import { Trouble } from "./trouble.tsx";

/** A run of listed traces: which metrics, and what it would cost, before anything is spent. */
export const Evaluate = ({ ids, close }: { readonly ids: readonly string[]; readonly close: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [chosen, error, made] = [
    useSignal<readonly string[]>(["task_completion"]),
    useSignal<unknown>(null),
    useSignal<string | null>(null),
  ];
  useEffect(() => dialog.current?.showModal(), []);
  const metrics = useLoad((signal) => client.value.listTraceMetrics(undefined, { signal }), []);
  const body = { trace_ids: ids, metrics: chosen.value };
  const estimate = useLoad(
    async (signal) =>
      chosen.value.length === 0
        ? null
        : await client.value.createTraceBatchRun({ query: { dry_run: true }, body }, { signal }),
    [chosen.value.join(" "), ids.join(" ")],
  );
  const start = async (): Promise<void> => {
    error.value = null;
    try {
      made.value = (await client.value.createTraceBatchRun({ body })).id;
    } catch (thrown) {
      notice(thrown);
      error.value = thrown;
    }
  };
  const told = estimate.value;
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="evaluate-title">
      <h2 id="evaluate-title">Evaluate {plural(ids.length, "trace")}</h2>
      <fieldset>
        <legend>Metrics</legend>
        {(metrics.value ?? []).map(({ name, description }) => (
          <label class="choice" title={description}>
            <input
              type="checkbox"
              checked={chosen.value.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                (chosen.value = checked ? [...chosen.value, name] : chosen.value.filter((each) => each !== name))
              }
            />
            {name.replaceAll("_", " ")}
          </label>
        ))}
      </fieldset>
      {metrics.error !== null && <Trouble error={metrics.error} again={metrics.again} />}
      <p aria-live="polite" class="estimate">
        {chosen.value.length === 0 && "Choose a metric."}
        {chosen.value.length > 0 && estimate.isLoading && "Reckoning …"}
        {told !== null &&
          !estimate.isLoading &&
          `${plural(told.targets, "trace")}, ${plural(told.judge_calls, "call")} of the judge, ${told.cost_usd === null ? "at a price that is not known" : `about ${dollars(told.cost_usd)}`} (${count(told.prompt_tokens + told.completion_tokens)} tokens).`}
      </p>
      {estimate.error !== null && <Trouble error={estimate.error} again={estimate.again} />}
      {error.value !== null && <Trouble error={error.value} again={() => void start()} />}
      {made.value !== null && <p role="status">The run has begun: {made.value}. Its scores appear at each trace.</p>}
      <div class="buttons">
        {made.value === null && (
          <button
            type="button"
            class="main"
            disabled={told === null || estimate.isLoading}
            onClick={() => void start()}
          >
            Evaluate now
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {made.value === null ? "Cancel" : "Close"}
        </button>
      </div>
    </dialog>
  );
};

import { useSignal } from "@preact/signals";
import { handleSubmit, bindText } from "../parts/form-bindings.ts";
import { useEffect, useRef } from "preact/hooks";
import { isText, useDraft } from "../draft.ts";
import { useLoad } from "../use-load.ts";
import { monthlyFirings } from "./cadence.ts";
import { route } from "../route.ts";
import {
  parseCeiling,
  estimateRun,
  judgesOf,
  metricsFor,
  defaultRunOptions,
  type RunOptions,
} from "../runs/run-options.ts";
import { client } from "../sign-in.ts";
import { parseRunFilters } from "../traces/trace-filters.ts";
import { dollars } from "../format.ts";
import { FilterChips } from "../traces/filter-chips.tsx";
import { Estimate } from "../runs/estimate.tsx";
import { RunOptionFields } from "../runs/run-option-fields.tsx";
import { Checkbox, Select } from "../parts/controls.tsx";
import { useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";

const cadences = { daily: "daily", every_6h: "every 6 hours", weekly: "weekly", cron: "cron …" } as const;

const matchingTargets = { kind: "matching" } as const;

/** Dialog that creates a trace monitor, with the estimated cost per firing and month from the current traces. */
export const NewMonitor = ({ onClose, onCreate }: { readonly onClose: () => void; readonly onCreate: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const options = useSignal<RunOptions>(defaultRunOptions);
  const { perform, isBusy, errorAlert } = useAction();
  const { value: name, discard } = useDraft("monitor", "", isText);
  const [cadence, cron, isOnlyNew] = [
    useSignal<keyof typeof cadences>("daily"),
    useSignal("0 6 * * 1-5"),
    useSignal(true),
  ];
  useEffect(() => dialog.current?.showModal(), []);
  const metrics = useLoad((signal) => metricsFor(matchingTargets, signal), []);
  const { query } = route.value;
  const hasMetric = options.value.metrics.length > 0;
  const estimate = useLoad(
    async (signal) => (hasMetric ? await estimateRun(matchingTargets, options.value, query, signal) : null),
    [JSON.stringify([options.value, query])],
  );
  // A firing judges what arrives until then, so that no ceiling follows from what is there now.
  const { ceiling: typedCeiling } = options.value;
  const ceiling = parseCeiling(typedCeiling ?? "");
  const firingsPerMonth = monthlyFirings(cadence.value, []);
  const cost = estimate.value?.cost_usd ?? null;
  const create = (): Promise<void> =>
    perform(async () => {
      const { metrics: metricNames, sampling } = options.value;
      await client.value.createMonitor({
        body: {
          name: name.value.trim(),
          target_type: "TRACE",
          metrics: metricNames,
          filters: parseRunFilters(route.value.query),
          cadence: cadence.value === "cron" ? `cron:${cron.value.trim()}` : cadence.value,
          sampling_rate: sampling,
          ...judgesOf(options.value),
          max_cost_usd: ceiling,
          only_if_changed: true,
          scope: isOnlyNew.value ? "changed" : "all",
        },
      });
      discard();
      onCreate();
      dialog.current?.close();
    });
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="monitor-title">
      <h2 id="monitor-title">Evaluate on a schedule</h2>
      <form id="new-monitor" class="fields" onSubmit={handleSubmit(create)}>
        <label>
          Name
          <input required {...bindText(name)} />
        </label>
        <label>
          Schedule
          <Select value={cadence.value} options={cadences} onSelect={(key) => (cadence.value = key)} />
        </label>
        {cadence.value === "cron" && (
          <label>
            Minute, hour, day, month, weekday, in UTC
            <input required {...bindText(cron)} />
          </label>
        )}
      </form>
      <div class="filters">
        Filters <FilterChips excluded={["started_after", "started_before"]} />
      </div>
      <RunOptionFields
        metrics={metrics.value ?? []}
        options={options}
        ceiling={typedCeiling ?? ""}
        isSampled
        takesSecondJudge
      />
      <Checkbox isChecked={isOnlyNew.value} onChange={(isChecked) => (isOnlyNew.value = isChecked)}>
        only traces that are new or changed since the last run
      </Checkbox>
      <ErrorAlert {...metrics} />
      <ErrorAlert {...estimate} />
      {errorAlert}
      <div class="buttons">
        <button type="submit" form="new-monitor" class="main" disabled={isBusy || !hasMetric || Number.isNaN(ceiling)}>
          Create monitor
        </button>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <span class="estimate">
          <Estimate
            estimate={estimate.value}
            targetName="trace"
            isLoading={estimate.isLoading}
            ceiling={ceiling}
            hasMetric={hasMetric}
          />
          {cost !== null && firingsPerMonth !== null && !estimate.isLoading && (
            <span class="faint"> if all are judged each time, {dollars(cost * firingsPerMonth)} a month</span>
          )}
        </span>
      </div>
    </dialog>
  );
};

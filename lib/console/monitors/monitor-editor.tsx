import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { MonitorInput, MonitorResponse } from "../../client/interface.ts";
import { isText, useDraft } from "../draft.ts";
import { dollars } from "../format.ts";
import { useAction } from "../parts/action.tsx";
import { Checkbox, Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { bindText, handleSubmit } from "../parts/form-bindings.ts";
import { route } from "../route.ts";
import { Estimate } from "../runs/estimate.tsx";
import { RunOptionFields } from "../runs/run-option-fields.tsx";
import { ceilingText, estimateRun, judgesOf, metricsFor, parseCeiling } from "../runs/run-options.ts";
import { client } from "../sign-in.ts";
import { FilterChips } from "../traces/filter-chips.tsx";
import { otherFilters } from "../traces/filter-query.ts";
import { showFilters } from "../traces/show-filters.ts";
import { filterNames, parseRunFilters, sessionFilterNames } from "../traces/trace-filters.ts";
import { useLoad } from "../use-load.ts";
import { monthlyFirings } from "./cadence.ts";
import {
  cadences,
  monitorBody,
  monitorChanges,
  monitorConflicts,
  monitorFormOf,
  type MonitorForm,
} from "./monitor-form.ts";

const targets = { TRACE: "traces", SESSION: "sessions" } as const;

/** Ceiling of a new monitor's run in US dollars where no cost can be estimated: nothing matches yet, or the judge is free. */
const defaultCeiling = "10.00";

/** Dialog that makes, changes or copies a monitor, with the estimated cost per firing and month from what is there now. */
export const MonitorEditor = ({
  base,
  isCopy = false,
  onClose,
  onSave,
}: {
  /** Monitor to change or to copy; null for a new one. */
  readonly base: MonitorResponse | null;
  readonly isCopy?: boolean;
  readonly onClose: () => void;
  readonly onSave: () => void;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useSignal<MonitorForm>(monitorFormOf(base));
  const { perform, isBusy, errorAlert } = useAction();
  const isNew = base === null || isCopy;
  const initialName = base === null ? "" : isCopy ? `${base.name} copy` : base.name;
  const { value: name, discard } = useDraft(`monitor${base?.id ?? ""}${isCopy ? " copy" : ""}`, initialName, isText);
  const change = (part: Partial<MonitorForm>): unknown => (form.value = { ...form.value, ...part });
  const { target, cadence, cron } = form.value;
  const isOfSessions = target === "SESSION";
  // The filters lie in the address, as those of the list of traces.
  useEffect(() => {
    dialog.current?.showModal();
    if (base !== null) showFilters(base.filters);
  }, []);
  const close = (): void => {
    showFilters({});
    onClose();
  };
  const metrics = useLoad(
    (signal) => metricsFor(isOfSessions ? { kind: "sessions", ids: [] } : { kind: "matching" }, signal),
    [target],
  );
  const names = metrics.value?.map((metric) => metric.name);
  // The metrics of traces are none of sessions.
  useEffect(() => {
    if (isNew && names?.[0] !== undefined && !form.value.metrics.some((each) => names.includes(each)))
      change({ metrics: names.slice(0, 1) });
  }, [metrics.value]);
  const { query } = route.value;
  const hidden = otherFilters(base?.filters ?? {});
  const hasMetric = form.value.metrics.length > 0;
  const isReady = hasMetric && names !== undefined;
  const estimate = useLoad(
    async (signal) => {
      const { metrics: chosen, sampling: sampling_rate } = form.value;
      if (!isReady) return null;
      if (!isOfSessions)
        return await estimateRun({ kind: "matching" }, { ...form.value, ceiling: null }, query, signal);
      const body = { metrics: chosen, filters: parseRunFilters(query), sampling_rate, ...judgesOf(form.value) };
      return await client.value.createSessionRun({ query: { dry_run: true }, body }, { signal });
    },
    [isReady, JSON.stringify([form.value, query])],
  );
  const proposed = ceilingText(form.value.ceiling, estimate.value);
  const ceiling = form.value.ceiling === null && proposed === "" ? defaultCeiling : proposed;
  const firingsPerMonth = monthlyFirings(cadence, []);
  const cost = estimate.value?.cost_usd ?? null;
  // What the service had when the user last saw it, and the fields that somebody has changed since the dialog was opened.
  const latest = useSignal(base);
  const conflicts = useSignal<ReturnType<typeof monitorConflicts>>([]);
  /** True if nobody has changed what the form changes since the user last saw it. */
  const isUpToDate = async (monitor: MonitorResponse, body: MonitorInput): Promise<boolean> => {
    const current = await client.value.getMonitor({ path: { monitor_id: monitor.id } });
    const isSeen = monitorConflicts(latest.value ?? monitor, current, body).length === 0;
    conflicts.value = monitorConflicts(monitor, current, body);
    latest.value = current;
    return isSeen;
  };
  const save = (): Promise<void> =>
    perform(async () => {
      const body = monitorBody(name.value, { ...form.value, ceiling }, route.value.query, hidden);
      if (!isNew && !(await isUpToDate(base, body))) return;
      // A copy has what the form does not show.
      const { judge, tier } = base ?? { judge: null, tier: null };
      const isSameJudge =
        judge !== null && JSON.stringify(judgesOf(monitorFormOf(base))) === JSON.stringify(judgesOf(form.value));
      await (isNew
        ? client.value.createMonitor({ body: { ...body, ...(isSameJudge && { judge }), tier } })
        : client.value.updateMonitor({ path: { monitor_id: base.id }, body: monitorChanges(base, body) }));
      discard();
      onSave();
      dialog.current?.close();
    });
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="monitor-title">
      <h2 id="monitor-title" dir="auto">
        {base === null ? "Evaluate on a schedule" : `${isCopy ? "Copy" : "Edit"} ${base.name}`}
      </h2>
      <form id="monitor-form" class="fields" onSubmit={handleSubmit(save)}>
        <label>
          Name
          <input required {...bindText(name)} />
        </label>
        {base === null && (
          <label>
            Of
            <Select value={target} options={targets} onSelect={(next) => change({ target: next })} />
          </label>
        )}
        <label>
          Schedule
          <Select value={cadence} options={cadences} onSelect={(key) => change({ cadence: key })} />
        </label>
        {cadence === "cron" && (
          <label>
            Minute, hour, day, month, weekday, in UTC
            <input required value={cron} onInput={({ currentTarget }) => change({ cron: currentTarget.value })} />
          </label>
        )}
      </form>
      <div class="filters">
        Filters{" "}
        <FilterChips
          names={isOfSessions ? sessionFilterNames : filterNames}
          excluded={["started_after", "started_before"]}
        />
        {Object.entries(hidden).map(([key, value]) => (
          <span class="tag" dir="auto">
            {key.replaceAll("_", " ")} {String(value)}
          </span>
        ))}
      </div>
      <RunOptionFields
        metrics={metrics.value ?? []}
        options={form.value}
        onChange={change}
        ceiling={ceiling}
        isSampled
        takesSecondJudge={!isOfSessions}
      />
      <Checkbox isChecked={form.value.isOnlyNew} onChange={(isOnlyNew) => change({ isOnlyNew })}>
        only {targets[target]} that are new or changed since the last run
      </Checkbox>
      <Checkbox isChecked={form.value.isOnlyIfChanged} onChange={(isOnlyIfChanged) => change({ isOnlyIfChanged })}>
        no run where nothing has changed
      </Checkbox>
      <Checkbox isChecked={form.value.hasAlert} onChange={(hasAlert) => change({ hasAlert })}>
        an alert if its runs score nothing
      </Checkbox>
      <ErrorAlert {...metrics} />
      <ErrorAlert {...estimate} />
      {errorAlert}
      {conflicts.value.length > 0 && (
        <div class="trouble" role="alert">
          <p>Changed since you opened it. Yours is not saved yet:</p>
          <ul class="quotes">
            {conflicts.value.map(({ name: field, current, mine }) => (
              <li key={field} dir="auto">
                {field.replaceAll("_", " ")} is now {JSON.stringify(current)}, yours {JSON.stringify(mine)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="buttons">
        <button
          type="submit"
          form="monitor-form"
          class="main"
          disabled={isBusy || !hasMetric || Number.isNaN(parseCeiling(ceiling))}
        >
          {isNew ? "Create monitor" : conflicts.value.length > 0 ? "Save mine" : "Save changes"}
        </button>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <span class="estimate">
          <Estimate
            estimate={estimate.value}
            targetName={isOfSessions ? "session" : "trace"}
            isLoading={estimate.isLoading}
            ceiling={parseCeiling(ceiling)}
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

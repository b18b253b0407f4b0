import type { MonitorInput, MonitorResponse } from "../../client/interface.ts";
import { defaultRunOptions, judgesOf, parseCeiling, type RunOptions } from "../runs/run-options.ts";
import { filterQuery, otherFilters } from "../traces/filter-query.ts";
import { parseRunFilters } from "../traces/trace-filters.ts";

type Query = Readonly<Record<string, string>>;

export const cadences = { daily: "daily", every_6h: "every 6 hours", weekly: "weekly", cron: "cron …" } as const;

/** Form state of a monitor, beside its name, which is a draft, and its filters, which lie in the address. */
export interface MonitorForm extends RunOptions {
  readonly target: MonitorResponse["target_type"];
  readonly cadence: keyof typeof cadences;
  /** Fields of a cron expression, for that cadence. */
  readonly cron: string;
  readonly isOnlyNew: boolean;
  readonly isOnlyIfChanged: boolean;
  readonly hasAlert: boolean;
}

const cronPrefix = "cron:";

const isCadence = (text: string): text is keyof typeof cadences => Object.hasOwn(cadences, text);

/** Returns the form of a monitor. @param base null for a new one. */
export const monitorFormOf = (base: MonitorResponse | null): MonitorForm => {
  const isCron = base?.cadence.startsWith(cronPrefix) ?? false;
  const cadence = base?.cadence ?? "daily";
  return {
    ...defaultRunOptions,
    ...(base !== null && {
      metrics: base.metric_names,
      sampling: base.sampling_rate,
      ceiling: base.max_cost_usd === null ? "" : String(base.max_cost_usd),
      model: base.judge?.first ?? base.model ?? "",
      secondModel: base.judge?.escalate.to ?? "",
    }),
    target: base?.target_type ?? "TRACE",
    cadence: isCron || !isCadence(cadence) ? "cron" : cadence,
    cron: isCron ? cadence.slice(cronPrefix.length) : "0 6 * * 1-5",
    isOnlyNew: base === null || base.scope === "changed",
    isOnlyIfChanged: base?.only_if_changed ?? true,
    hasAlert: base?.alert_if_stopped ?? true,
  };
};

/** Returns the body that creates a monitor. @param hidden filters that the console cannot show. */
export const monitorBody = (
  name: string,
  form: MonitorForm,
  query: Query,
  hidden: MonitorResponse["filters"],
): MonitorInput => ({
  name: name.trim(),
  target_type: form.target,
  metrics: form.metrics,
  filters: { ...hidden, ...parseRunFilters(query) },
  cadence: form.cadence === "cron" ? cronPrefix + form.cron.trim() : form.cadence,
  sampling_rate: form.sampling,
  ...judgesOf(form),
  max_cost_usd: parseCeiling(form.ceiling ?? ""),
  only_if_changed: form.isOnlyIfChanged,
  scope: form.isOnlyNew ? "changed" : "all",
  alert_if_stopped: form.hasAlert,
});

const bodyOf = (monitor: MonitorResponse): MonitorInput =>
  monitorBody(monitor.name, monitorFormOf(monitor), filterQuery(monitor.filters), otherFilters(monitor.filters));

/**
 * Returns the fields of a body that differ from those of a monitor: a cadence that is sent begins anew, and so does what a changed filter
 * or metric has judged. A judge that was removed is null.
 */
export const monitorChanges = (base: MonitorResponse, body: MonitorInput): Partial<MonitorInput> => {
  const before: Readonly<Record<string, unknown>> = bodyOf(base);
  const { target_type: _, ...after }: MonitorInput = {
    model: base.model === null ? undefined : null,
    judge: base.judge === null ? undefined : null,
    ...body,
  };
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
};

/** Field that two people have changed: its value in the service and the one in the form. */
interface FieldConflict {
  readonly name: string;
  readonly current: unknown;
  readonly mine: unknown;
}

/** Returns the changed fields of a form that somebody has changed otherwise since the monitor was read. */
export const monitorConflicts = (
  base: MonitorResponse,
  current: MonitorResponse,
  body: MonitorInput,
): readonly FieldConflict[] => {
  const theirs: Readonly<Record<string, unknown>> = monitorChanges(base, bodyOf(current));
  return Object.entries(monitorChanges(base, body)).flatMap(([name, mine]) =>
    Object.hasOwn(theirs, name) && JSON.stringify(theirs[name]) !== JSON.stringify(mine)
      ? [{ name, current: theirs[name], mine }]
      : [],
  );
};

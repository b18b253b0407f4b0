import * as v from "valibot";
import { firingOutcomes, type Firing } from "../../domain/monitors/firing.ts";
import { parseLossless } from "../../domain/json.ts";
import { monitorFields } from "../../domain/monitors/fields.ts";
import { monitorStatuses, type Monitor } from "../../domain/monitors/monitor.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { storedForm } from "../../dynamo/stored-form.ts";
import type { SweepCheck } from "./sweep-checks.ts";

const text = v.nullable(v.string());
const watermark = v.nullable(
  v.object({
    at: v.number(),
    seen: v.array(v.tuple([v.string(), v.number()])),
    marks: v.optional(v.string()),
    since: v.optional(v.number()),
  }),
);

const attempts = v.object({
  trials: v.array(v.object({ instant: v.number(), made: v.number(), by: v.string(), until: v.number() })),
  unproven: v.number(),
  last: v.number(),
});

const settingsForm = storedForm(monitorFields);

/** Loose schema: properties that a later version of the service added stay with the monitor when it is changed. */
const monitor = v.looseObject({
  id: v.string(),
  projectId: v.string(),
  targetType: v.picklist(targetTypes),
  settings: settingsForm.schema,
  status: v.picklist(monitorStatuses),
  pausedReason: v.optional(v.string()),
  generation: v.number(),
  anchor: v.number(),
  nextRunAt: v.nullable(v.number()),
  lastRunAt: text,
  lastRunId: text,
  watermark,
  attempts: v.optional(attempts),
  createdAt: v.string(),
  updatedAt: v.string(),
  bodyHash: v.exactOptional(v.string()),
});

const firing = v.object({
  scheduledAt: v.number(),
  decidedAt: v.string(),
  outcome: v.picklist(firingOutcomes),
  runId: text,
  reason: text,
  watermark,
});

const item = v.object({
  d: v.string(),
  rev: v.number(),
  scheduled: v.number(),
  due_at: v.optional(v.string()),
  looks: v.optional(v.number()),
});

/** A monitor as stored. */
export interface StoredMonitor {
  readonly monitor: Monitor;
  /** Increases with every change of the item: the optimistic lock. */
  readonly revision: number;
  /** Latest generation (number of schedule changes) of the monitor for which schedules are known to exist. */
  readonly scheduled: number;
  /**
   * Checks by the sweeper (the scheduled maintenance function) since the monitor last fired or changed; null before the
   * first check.
   */
  readonly check: SweepCheck | null;
}

/** Packs a monitor; with two judges its model is the first one, which a build that knows one judge asks. */
export const packMonitor = (value: Monitor): string => {
  const { judge, model } = value.settings;
  const settings = settingsForm.write({ ...value.settings, model: judge?.first ?? model });
  return JSON.stringify({ ...value, settings });
};

/** Parses the item of a monitor. @throws ValiError when it is not a monitor. */
export const unpackMonitor = (value: unknown): StoredMonitor => {
  const { d, rev, scheduled, due_at: next, looks: count } = v.parse(item, value);
  const check = count === undefined || next === undefined ? null : { count, next };
  const { settings, ...fields } = v.parse(monitor, parseLossless(d));
  const model = settings.judge ? null : settings.model;
  return { monitor: { ...fields, settings: { ...settings, model } }, revision: rev, scheduled, check };
};

export const packFiring = (value: Firing): string => JSON.stringify(value);

/** Parses a packed firing. @throws ValiError when it is not a firing. */
export const unpackFiring = (value: unknown): Firing =>
  v.parse(firing, JSON.parse(v.parse(v.object({ d: v.string() }), value).d));

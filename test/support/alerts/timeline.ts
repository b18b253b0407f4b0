import { randomUUID } from "node:crypto";
import type { AlertSettings } from "../../../lib/domain/alerts/fields.ts";
import { windowLength } from "../../../lib/domain/alerts/rule.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { alertEvent } from "../../../lib/monitors/alert-event.ts";
import { windowGraceMilliseconds, type StoredState } from "../../../lib/store/alerts/states.ts";
import { unpackEvent } from "../../../lib/store/events/outbox.ts";
import { seeded } from "../random.ts";
import { alertRuleOf, alertWorkers, referenceRow, rowRecord } from "./workers.ts";

const begin = Date.parse("2026-11-09T10:20:30Z");
const plain = { window: "5m", significance: false, minimum_count: 1 } as const;

/** A trace that starts milliseconds after the first window's begin and lasts for others. */
export interface LongTrace {
  readonly start: number;
  readonly length: number;
  readonly failed: boolean;
}

/** A rule whose workers see traces begin and end at the time of a clock. */
export const alertTimeline = async (
  database: Database,
  changes: Partial<AlertSettings>,
  traces: readonly LongTrace[],
) => {
  const [project, clock] = [randomUUID(), { at: begin }];
  const workers = alertWorkers(database, () => clock.at);
  const rule = await workers.rules.create(alertRuleOf(project, { ...plain, ...changes }, begin));
  clock.at = rule.anchor;
  const rows = traces.map(({ start, length, failed }, index) => {
    const reference = { start: rule.anchor + start, session: `session ${index}`, failed, latency: length, cost: 1 };
    const ended = { ...referenceRow(seeded(index), reference), traceId: randomUUID() };
    return { ended, begun: { ...ended, status: "RUNNING" as const, endedAt: null, totalCost: 0 } };
  });
  let folded = 0;
  /** Lets time pass, folds what began and ended in it, and evaluates the rule when that has been noted. */
  const pass = async (time: number): Promise<void> => {
    clock.at += time;
    const [from, to] = [folded, clock.at - rule.anchor];
    folded = to;
    const isPassed = (at: number): boolean => at >= from && at < to;
    const records = traces.flatMap(({ start, length }, index) => {
      const row = rows[index];
      if (row === undefined) return [];
      const { ended, begun } = row;
      return [
        ...(isPassed(start) ? [rowRecord(project, ended.traceId, null, begun)] : []),
        ...(isPassed(start + length) ? [rowRecord(project, ended.traceId, begun, ended)] : []),
      ];
    });
    await workers.fold("shard", records);
    clock.at += windowGraceMilliseconds;
    await workers.sweep();
  };
  const stored = async (): Promise<StoredState> => {
    const state = await workers.states.get(project, rule.id);
    if (state === null) throw new Error("The rule has no state.");
    return state;
  };
  /** Changes of the state, oldest window first, with their events. */
  const announced = async () => {
    const history = (await workers.states.history(project, rule.id)).toReversed();
    return await Promise.all(
      history.map(async (change) => {
        const { id } = alertEvent(rule, change, clock.at);
        const item = await itemsOf(database, "runs").get({ pk: `${project}#event#${id}`, sk: "event" });
        return { change, event: unpackEvent(String(item?.["d"])) };
      }),
    );
  };
  /** Changes with the number of their window, and what their events say of it. */
  const changesOf = async () =>
    (await announced()).map(({ change, event }) => {
      const window = (change.end - rule.anchor) / windowLength(rule.settings.window);
      return [change.transition, window, event.fields["late"]];
    });
  /** Numbers of the windows that were alerts when they were evaluated. */
  const alertWindows = async (): Promise<readonly number[]> => {
    const { state, alertWindows: windows } = await stored();
    const last = (state.windowEnd - rule.anchor) / windowLength(rule.settings.window);
    const digits = windows.toString(2).split("").toReversed();
    return digits.flatMap((digit, age) => (digit === "1" ? [last - age] : [])).toReversed();
  };
  return { project, clock, workers, rule, pass, stored, announced, changesOf, alertWindows };
};

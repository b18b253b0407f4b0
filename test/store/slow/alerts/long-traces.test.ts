import { expect, test } from "vitest";
import type { AlertSettings } from "../../../../lib/domain/alerts/fields.ts";
import { windowLength } from "../../../../lib/domain/alerts/rule.ts";
import { windowGraceMilliseconds } from "../../../../lib/store/alerts/states.ts";
import { alertTimeline, type LongTrace } from "../../../support/alerts/timeline.ts";
import { quietDatabase } from "../../../support/database/quiet-database.ts";
import { seeded } from "../../../support/random.ts";

const seed = Number(process.env["ALERTS_SEED"] ?? 20_269);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const database = quietDatabase();

/** Traces one after the other, of which every second one fails. */
const steadily = (count: number, pause: number, length: number): readonly LongTrace[] =>
  Array.from({ length: count }, (_, index) => ({ start: index * pause, length, failed: index % 2 === 1 }));

test.each([
  ["failures of 12 minutes", { threshold: 0.3 }, steadily(120, 30_000, 12 * minute)],
  ["failures of 130 minutes", { window: "1h", threshold: 0.3 }, steadily(120, 6 * minute, 130 * minute)],
  ["latencies of 12 minutes", { signal: "latency_p50", threshold: 600_000 }, steadily(120, 30_000, 12 * minute)],
  ["costs after 26 hours", { window: "1h", signal: "cost", threshold: 9 }, steadily(60, 6 * minute, 1_560 * minute)],
] as const)("%s raise one alert, late, that lasts until they end", async (_, changes, traces) => {
  const { pass, stored, changesOf, alertWindows, rule } = await alertTimeline(database(), changes, traces);
  const length = windowLength(rule.settings.window);
  const last = Math.max(...traces.map((trace) => trace.start + trace.length));
  for (let at = 0; at < last + 4 * length; at += length / 5) await pass(length / 5);

  expect(await changesOf()).toEqual([
    ["raised", 1, true],
    ["cleared", expect.any(Number), undefined],
  ]);
  const windows = new Set(traces.map(({ start }) => Math.floor(start / length) + 1));
  expect(await alertWindows()).toEqual([...windows]);
  expect((await stored()).late.size).toBe(0);
});

/** Traces of a window at a time, of which failures and costs are known once they have ended. */
type Recount = (window: readonly LongTrace[], before: readonly LongTrace[], at: number) => boolean;

const failuresAt = (traces: readonly LongTrace[], at: number): number =>
  traces.filter(({ start, length, failed }) => failed && start + length < at).length;

const recounts = {
  failures: [{ threshold: 0.3 }, (window, _, at) => window.length > 0 && failuresAt(window, at) / window.length > 0.3],
  "failures beside the window before": [
    { threshold: 0.3, compare_with: "previous_window" },
    (window, before, at) =>
      window.length > 0 &&
      before.length > 0 &&
      failuresAt(window, at) / window.length - failuresAt(before, at) / before.length > 0.3,
  ],
  costs: [
    { signal: "cost", threshold: 2 },
    (window, _, at) => window.filter(({ start, length }) => start + length < at).length > 2,
  ],
} satisfies Record<string, readonly [Partial<AlertSettings>, Recount]>;

test.each(Object.entries(recounts))(
  `%s of traces of any length give the same windows as a recount after each evaluation (seed ${seed})`,
  { timeout: 120_000 },
  async (name, [changes, recount]) => {
    const random = seeded(seed).fork(name);
    const traces = Array.from({ length: 150 }, () => ({
      start: random.below(3 * hour),
      // From a second to three days, each magnitude as often.
      length: Math.round(1_000 * 259_200 ** random.next()),
      failed: random.chance(0.4),
    }));
    const { rule, clock, pass, stored, changesOf, alertWindows } = await alertTimeline(database(), changes, traces);
    const length = windowLength(rule.settings.window);
    const ofWindow = (number: number, at: number) =>
      traces.filter(({ start }) => start < at && Math.floor(start / length) + 1 === number);
    const counted = new Set<number>();
    let raised = 0;
    for (let at = 0; at < 3 * day;) {
      const wasAlert = counted.size > 0 && (await stored()).state.name === "ALERT";
      await pass(1_000 + random.below((at < 4 * hour ? 0.2 : 8) * hour));
      const before = counted.size;
      at = clock.at - rule.anchor - windowGraceMilliseconds;
      for (let number = 1; number * length <= at && number <= 36; number += 1)
        if (recount(ofWindow(number, at), ofWindow(number - 1, at), at)) counted.add(number);

      expect(await alertWindows()).toEqual([...counted].toSorted((a, b) => a - b));
      const events = (await changesOf()).filter(([transition]) => transition === "raised");
      // A new alert is told, unless the state is an alert already; and nothing else is.
      const isTold = wasAlert || (await stored()).state.name === "ALERT" || events.length > raised;
      expect(isTold || counted.size === before).toBe(true);
      expect(events.length - raised).toBeLessThanOrEqual(counted.size - before);
      raised = events.length;
    }
    expect(raised).toBeGreaterThan(1);
    for (let windows = 0; windows < 4; windows += 1) await pass(length);
    expect((await stored()).state.name).not.toBe("ALERT");
  },
);

import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { windowLength, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { referenceTests, referenceTransitions, type ReferenceTrace } from "../../support/alerts/reference.ts";
import { alertRuleOf, alertWorkers, referenceRow, rowRecord } from "../../support/alerts/workers.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { type FaultRates, seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seeded } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";

/** Result of a schedule of alert rules. */
export interface AlertsReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  /** Changes of rules that a recount of the traces expects. */
  readonly transitions: number;
}

const begin = Date.parse("2026-11-09T10:20:30Z");
const minute = 60_000;
const maxAttempts = 400;

const cases = {
  costly: { window: "5m", signal: "cost", threshold: 1, minimum_count: 0 },
  silent: { window: "5m", signal: "error_rate", threshold: 1, minimum_count: 1, no_data: "alert" },
  slowMedian: { window: "5m", signal: "latency_p50", threshold: 3_000, significance: false },
} as const satisfies Partial<Record<keyof typeof referenceTests, Parameters<typeof alertRuleOf>[1]>>;

/**
 * Folds and evaluates the traces of some windows in workers that fail, die and are repeated. Afterwards each rule has changed as a
 * recount of the traces says, once each time.
 */
export const runAlerts = async (database: Database, seed: number): Promise<AlertsReport> => {
  const random = seeded(seed);
  const [invariants, tally]: [ReturnType<typeof violations>, Tally] = [violations(), new Map()];
  const weather = storm(random.fork("weather"));
  const [project, clock] = [randomUUID(), { at: begin }];
  const now = (): number => clock.at;
  // A fold that fails notes a gap in a rule's data, of which these traces are no rows to read again: its processes only die.
  const deaths = { "crash-before": 0.03, "crash-after": 0.03 };
  let [rates, slow, processes] = [weather.database, weather.slow, 0];

  /** Runs work in a process that may die. @param kinds rates of its faults. @returns true if it has ended well. */
  const process = async (
    work: (workers: ReturnType<typeof alertWorkers>) => Promise<unknown>,
    kinds: FaultRates = rates,
  ): Promise<boolean> => {
    processes += 1;
    const chance = random.fork(`process ${processes}`);
    const faults = seededFaults(chance, kinds, tally);
    const connection = faultyDatabase(
      database,
      slowRequests(chance.fork("slow"), () => slow, faults),
    );
    try {
      await work(alertWorkers(connection, now));
      return !connection.crashed;
    } catch {
      return false;
    } finally {
      connection.crash();
    }
  };

  const { rules, states, sweep } = alertWorkers(database, now);
  const ruleByTest = new Map<keyof typeof cases, AlertRule>();
  for (const name of Object.keys(cases) as (keyof typeof cases)[])
    ruleByTest.set(name, await rules.create(alertRuleOf(project, cases[name], begin)));

  const traces: ReferenceTrace[] = [];
  const order = random.fork("traces");
  const windows = order.between(4, 12);
  const first = Math.min(...Array.from(ruleByTest.values(), ({ anchor }) => anchor));
  const end = first + windows * windowLength("5m");
  let previous: readonly DynamoDBRecord[] = [];
  for (clock.at = first; clock.at < end;) {
    const [isDear, isSlow, isSilent] = [order.chance(0.4), order.chance(0.4), order.chance(0.3)];
    const batch = Array.from({ length: isSilent ? 0 : order.between(1, 14) }, (): ReferenceTrace => ({
      start: clock.at + order.below(minute),
      session: `session ${order.below(9)}`,
      failed: order.chance(0.2),
      latency: isSlow ? 6_000 : 1_000,
      cost: isDear ? 0.3 : 0.01,
    }));
    traces.push(...batch);
    clock.at += minute - 1;
    const records = batch.map((trace) => {
      const row = referenceRow(order, trace);
      return rowRecord(project, row.traceId, null, row);
    });
    // A stream delivers a batch until it is processed, and records of the batch before again.
    let attempts = 0;
    while (
      records.length > 0 &&
      attempts < maxAttempts &&
      !(await process(({ fold }) => fold("shard", [...previous, ...records]), deaths))
    )
      attempts += 1;
    invariants.expect(attempts < maxAttempts, "A batch was never processed");
    if (records.length > 0) previous = records;
    clock.at += 1;
    for (let sweeps = order.below(3); sweeps > 0; sweeps -= 1) await process((workers) => workers.sweep());
    if (order.chance(0.2)) await Promise.all([1, 2, 3].map(() => process((workers) => workers.sweep())));
  }

  [rates, slow] = [{}, 0];
  for (const until = clock.at + 10 * minute; clock.at < until; clock.at += minute) await sweep();
  let transitions = 0;
  for (const [name, { id, anchor }] of ruleByTest) {
    const [length, test] = [windowLength("5m"), referenceTests[name]];
    const count = Math.floor((end - anchor) / length);
    const counted = traces.filter(({ start }) => start >= anchor);
    // The window before the rule was made is evaluated too: it has no rows.
    const expected = referenceTransitions(counted, { first: anchor - length, length, count: count + 1, test });
    const history = (await states.history(project, id)).toReversed();
    const actual = history.flatMap(({ transition, end: at }) =>
      at > anchor + count * length ? [] : [{ transition, end: at }],
    );
    const texts = [actual, expected].map((list) =>
      list.map((each) => `${each.transition} ${(each.end - anchor) / minute}`).join(),
    );
    invariants.expect(
      texts[0] === texts[1],
      `I34: the rule ${name} changed at ${texts[0]} where the traces say ${texts[1]}`,
    );
    transitions += expected.length;
  }
  return { seed, violations: invariants.messages, tally, transitions };
};

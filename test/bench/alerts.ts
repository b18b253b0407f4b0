import { randomUUID } from "node:crypto";
import { mapConcurrently } from "../../lib/async/concurrency.ts";
import { windowLength } from "../../lib/domain/alerts/rule.ts";
import { sumsOf } from "../../lib/domain/alerts/sums.ts";
import { startDatabase } from "../support/database/database.ts";
import { alertRuleOf, alertWorkers } from "../support/alerts/workers.ts";
import { countCapacity } from "./capacity.ts";

const begin = Date.parse("2026-11-09T10:20:30Z");
const minute = 60_000;
const rulesOfProject = 20;

/** Evaluates rules of five minutes that are all due at once, each with one trace in every window. */
export const benchAlerts = async (projects: number): Promise<void> => {
  const database = await startDatabase();
  const clock = { at: begin };
  const workers = alertWorkers(database, () => clock.at);
  const ids = Array.from({ length: projects }, () => randomUUID());
  const rules = ids.flatMap((project) =>
    Array.from({ length: rulesOfProject }, () => alertRuleOf(project, { window: "5m", minimum_count: 1 }, begin)),
  );
  await mapConcurrently(rules, 32, (rule) => workers.rules.create(rule));
  const spent = countCapacity(database);
  for (const window of [1, 2, 3]) {
    const changes = rules.map((rule) => ({
      rule,
      end: rule.anchor + window * windowLength("5m"),
      sums: sumsOf(rule.settings, { cluster: "session", value: 0 }),
      sequence: BigInt(window),
    }));
    await workers.sums.fold("shard", changes);
    clock.at = begin + (window * 5 + 3) * minute;
    spent();
    const [from, before] = [performance.now(), process.cpuUsage()];
    await workers.sweep();
    const seconds = (performance.now() - from) / 1000;
    const { user, system } = process.cpuUsage(before);
    const { read, write, calls } = spent();
    const perRule = (number: number): string => (number / rules.length).toFixed(2);
    console.log(
      `window ${window}: ${rules.length} rules in ${seconds.toFixed(1)} s, ${Math.round((rules.length / seconds) * 60)} a minute; ` +
        `each ${perRule(calls)} requests, ${perRule(read)} read and ${perRule(write)} write units, ${perRule((user + system) / 1000)} ms of CPU`,
    );
  }
  await database.close();
};

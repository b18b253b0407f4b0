/**
 * Runs long waits and long runs at full size on a simulated clock: a month's wait for a ceiling, and a strictly
 * sequential run.
 *     npm run faults:waits -- [--judgements 80000] [--seconds 10]
 */
import { parseArgs } from "node:util";
import type { RunOrder } from "../../../lib/domain/runs/run.ts";
import { startDatabase } from "../../support/database/database.ts";
import { costOfOne, judged, simulatedService, type SimulatedService } from "./simulated-service.ts";

const { values } = parseArgs({
  options: { judgements: { type: "string", default: "80000" }, seconds: { type: "string", default: "10" } },
});
const [judgements, seconds] = [Number(values.judgements), Number(values.seconds)];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// Workers log every delivery.
console.log = () => undefined;

const day = 86_400_000;
const start = Date.parse("2026-10-01T00:00:30Z");

/** Metrics per target; many metrics need fewer stored traces. */
const metrics = Array.from({ length: 50 }, (_, index) => `metric ${index}`);

/** Runs a scenario to its end and prints its figures. @returns true if the run was healthy. */
const runsHealthily = async (
  scenario: string,
  service: SimulatedService,
  order: RunOrder,
  days: number,
): Promise<boolean> => {
  const hasEnded = async (): Promise<boolean> => (await service.readRun(order)).completedAt !== null;
  await service.until(hasEnded, start + days * day);
  const { scored, failed } = await service.readRun(order);
  const twice = [...service.judgedPairs.values()].filter((count) => count !== 1).length;
  const { dead, expired, maxReceives: mostReceives } = service.queue;
  const pairs = order.total * order.metrics.length;
  print(
    `${scenario}: ${((service.clock.now() - start) / day).toFixed(2)} days, ${service.deliveries()} deliveries, ` +
      `${service.sentMessages()} sent again, ${mostReceives()} receives at most, ${scored} of ${pairs} pairs scored, ${failed} failed, ` +
      `${twice} asked for twice, ${dead.length} dead letters, ${expired.length} expired, ` +
      `woken ${Math.round(Math.max(0, ...service.lateness) / 1000)} s late at most`,
  );
  return scored === pairs && failed + twice + dead.length + expired.length === 0;
};

const month = async (): Promise<boolean> => {
  const database = await startDatabase();
  const service = simulatedService(database, { start, answer: async () => judged, monthly: () => 2 * costOfOne });
  const healthy = await runsHealthily("a month's wait", service, await service.startRun(3, ["a"]), 32);
  await database.close();
  return healthy;
};

const sequential = async (): Promise<boolean> => {
  const database = await startDatabase();
  const service: SimulatedService = simulatedService(database, {
    start,
    stepsBetweenChecks: 50,
    answer: async () => {
      service.clock.advance(seconds * 1_000);
      return judged;
    },
  });
  const order = await service.startRun(Math.ceil(judgements / metrics.length), metrics, { sequential: true });
  const healthy = await runsHealthily("a sequential run", service, order, 30);
  await database.close();
  return healthy;
};

const healthy = [await month(), await sequential()];
process.exit(healthy.every(Boolean) ? 0 : 1);

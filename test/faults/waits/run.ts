/**
 * Waits and long runs at their full size, on a moved clock: a month's wait for a ceiling, and a strictly sequential run.
 *
 *     npm run faults:waits -- [--judgements 80000] [--seconds 10]
 */
import { parseArgs } from "node:util";
import type { RunOrder } from "../../../lib/domain/runs/run.ts";
import { startDatabase } from "../../support/database/database.ts";
import { costOfOne, judged, movedService, type MovedService } from "./moved-service.ts";

const { values } = parseArgs({
  options: { judgements: { type: "string", default: "80000" }, seconds: { type: "string", default: "10" } },
});
const [judgements, seconds] = [Number(values.judgements), Number(values.seconds)];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// The workers log every delivery.
console.log = () => undefined;

const day = 86_400_000;
const start = Date.parse("2026-10-01T00:00:30Z");

/** Pairs of one target: the fewer traces have to be stored. */
const metrics = Array.from({ length: 50 }, (_, index) => `metric ${index}`);

/** Lives through a run and tells of it. @returns whether it is as a healthy run is. */
const lived = async (what: string, service: MovedService, order: RunOrder, days: number): Promise<boolean> => {
  const ended = async (): Promise<boolean> => (await service.look(order)).completedAt !== null;
  await service.until(ended, start + days * day);
  const { scored, failed } = await service.look(order);
  const twice = [...service.asked.values()].filter((count) => count !== 1).length;
  const { dead, expired, mostReceives } = service.queue;
  const pairs = order.total * order.metrics.length;
  print(
    `${what}: ${((service.clock.now() - start) / day).toFixed(2)} days, ${service.deliveries()} deliveries, ` +
      `${service.sent()} sent again, ${mostReceives()} receives at most, ${scored} of ${pairs} pairs scored, ${failed} failed, ` +
      `${twice} asked for twice, ${dead.length} dead letters, ${expired.length} expired, ` +
      `woken ${Math.round(Math.max(0, ...service.lateness) / 1000)} s late at most`,
  );
  return scored === pairs && failed + twice + dead.length + expired.length === 0;
};

const month = async (): Promise<boolean> => {
  const database = await startDatabase();
  const service = movedService(database, { start, answer: async () => judged, monthly: () => 2 * costOfOne });
  const healthy = await lived("a month's wait", service, await service.begin(3, ["a"]), 32);
  await database.close();
  return healthy;
};

const sequential = async (): Promise<boolean> => {
  const database = await startDatabase();
  const service: MovedService = movedService(database, {
    start,
    stepsBetweenLooks: 50,
    answer: async () => {
      service.clock.advance(seconds * 1_000);
      return judged;
    },
  });
  const order = await service.begin(Math.ceil(judgements / metrics.length), metrics, { sequential: true });
  const healthy = await lived("a sequential run", service, order, 30);
  await database.close();
  return healthy;
};

const healthy = [await month(), await sequential()];
process.exit(healthy.every(Boolean) ? 0 : 1);

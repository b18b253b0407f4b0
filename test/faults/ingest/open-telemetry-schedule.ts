import { randomUUID } from "node:crypto";
import type { Database } from "../../../lib/store/database.ts";
import { objectOf } from "../../model/fields.ts";
import { parseExact } from "../../model/exact-json.ts";
import { somePools } from "../../model/generator/pools.ts";
import { someUuid } from "../../model/generator/values.ts";
import { shown } from "../../model/instant.ts";
import { modelProject } from "../../model/project.ts";
import { seeded } from "../../support/random.ts";
import type { Tally } from "../../support/faults/seeded-faults.ts";
import type { TableStream } from "../../support/database/table-stream.ts";
import { drain, lookAtAll, type AggregateReport } from "../aggregates/schedule.ts";
import { aggregateWorld } from "../aggregates/world.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";

const writers = 20;
const second = 1_000_000n;
const root = 1_791_154_800n * second;

/**
 * What exporters of OpenTelemetry do: each of twenty sends the spans of some traces as they end, one a request, so that
 * a trace's start moves backwards and its root comes last.
 *
 * @param spans how many spans each writer sends.
 */
export const runOpenTelemetry = async (
  database: Database,
  rows: TableStream,
  seed: number,
  spans: number,
): Promise<AggregateReport> => {
  const random = seeded(seed);
  const [broken, tally]: [ReturnType<typeof violations>, Tally] = [violations(), new Map()];
  const world = aggregateWorld(database, rows, randomUUID(), random, storm(random.fork("weather")), tally);
  const pools = somePools(random.fork("pools"), 3);
  const model = modelProject();

  const send = async (trace: string, index: number, fields: object): Promise<void> => {
    // Every fourth span starts in the hour before.
    const start = root + BigInt(index) * second - (index % 4 === 3 ? 3_600n * second : 0n);
    const span = {
      span_id: someUuid(random.fork(`${trace} ${index}`)),
      name: "step",
      started_at: shown(start),
      ended_at: shown(start + second / 2n),
      model: `model-${index % 3}`,
      token_usage: { prompt_tokens: index, completion_tokens: 1 },
      cost: { total: index / 1024 },
    };
    const body = JSON.stringify({ trace_id: trace, name: "step", started_at: shown(start), spans: [span], ...fields });
    const from = Date.now();
    const { status } = await world.change("POST", "/traces", { body });
    broken.expect(status === 202, `a span was answered ${status}`);
    model.ingest(objectOf(parseExact(body)), { from, to: Date.now() });
  };

  const done = new AbortController();
  const write = async (writer: number): Promise<void> => {
    const order = random.fork(`writer ${writer}`);
    for (let left = spans; left > 0; left -= 1) {
      await send(order.pick(pools.traces), 1 + writer * spans + left, {});
    }
  };
  const follow = async (): Promise<void> => {
    while (!done.signal.aborted) {
      await world.deliver();
      world.pass(300);
    }
  };
  const following = follow();
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  done.abort();
  await following;
  for (const trace of pools.traces) {
    await send(trace, 0, { name: "root", ended_at: shown(root + 7n * second), session_id: "chat", user_id: "user" });
  }

  world.calm();
  await drain(world);
  const questions = random.fork("questions");
  await lookAtAll(world, broken, model, () => [{ call: world.look, model, pools, random: questions }, 6]);
  return { seed, violations: broken.found, tally };
};

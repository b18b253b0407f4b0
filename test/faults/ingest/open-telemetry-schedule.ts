import { randomUUID } from "node:crypto";
import type { Database } from "../../../lib/dynamo/database.ts";
import { objectOf } from "../../model/fields.ts";
import { parseExact } from "../../model/exact-json.ts";
import { somePools } from "../../model/generator/pools.ts";
import { someUuid } from "../../model/generator/values.ts";
import { timestampOf } from "../../model/instant.ts";
import { modelProject } from "../../model/project.ts";
import { seeded } from "../../support/random.ts";
import type { Tally } from "../../support/faults/seeded-faults.ts";
import type { TableStream } from "../../support/database/table-stream.ts";
import { drain, compareEverything, type AggregateReport } from "../aggregates/schedule.ts";
import { aggregateWorld } from "../aggregates/world.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";

const writers = 20;
const second = 1_000_000n;
const root = 1_791_154_800n * second;

/**
 * Imitates OpenTelemetry exporters: twenty writers send the spans of shared traces as they end, one per request, so
 * that a trace's start moves backwards and its root span arrives last.
 * @param spans number of spans that each writer sends.
 */
export const runOpenTelemetry = async (
  database: Database,
  rows: TableStream,
  seed: number,
  spans: number,
): Promise<AggregateReport> => {
  const random = seeded(seed);
  const [invariants, tally]: [ReturnType<typeof violations>, Tally] = [violations(), new Map()];
  const world = aggregateWorld(database, rows, randomUUID(), random, storm(random.fork("weather")), tally);
  const pools = somePools(random.fork("pools"), 3);
  const model = modelProject();

  const send = async (trace: string, index: number, fields: object): Promise<void> => {
    // Every fourth span starts one hour earlier.
    const start = root + BigInt(index) * second - (index % 4 === 3 ? 3_600n * second : 0n);
    const span = {
      span_id: someUuid(random.fork(`${trace} ${index}`)),
      name: "step",
      started_at: timestampOf(start),
      ended_at: timestampOf(start + second / 2n),
      model: `model-${index % 3}`,
      token_usage: { prompt_tokens: index, completion_tokens: 1 },
      cost: { total: index / 1024 },
    };
    const body = JSON.stringify({
      trace_id: trace,
      name: "step",
      started_at: timestampOf(start),
      spans: [span],
      ...fields,
    });
    const from = Date.now();
    const { status } = await world.change("POST", "/traces", { body });
    invariants.expect(status === 202, `a span was answered ${status}`);
    model.ingest(objectOf(parseExact(body)), { from, to: Date.now() });
  };

  const finished = new AbortController();
  const write = async (writer: number): Promise<void> => {
    const order = random.fork(`writer ${writer}`);
    for (let remaining = spans; remaining > 0; remaining -= 1) {
      await send(order.pick(pools.traces), 1 + writer * spans + remaining, {});
    }
  };
  const follow = async (): Promise<void> => {
    while (!finished.signal.aborted) {
      await world.deliver();
      world.pass(300);
    }
  };
  const following = follow();
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  finished.abort();
  await following;
  for (const trace of pools.traces) {
    await send(trace, 0, {
      name: "root",
      ended_at: timestampOf(root + 7n * second),
      session_id: "chat",
      user_id: "user",
    });
  }

  world.calm();
  await drain(world);
  const questions = random.fork("questions");
  await compareEverything(world, invariants, model, () => [{ call: world.read, model, pools, random: questions }, 6]);
  return { seed, violations: invariants.messages, tally };
};

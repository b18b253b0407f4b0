import { setTimeout as wait } from "node:timers/promises";
import { boundedRetries } from "../../../lib/aws/aws-client.ts";
import { defaultBounds } from "../../../lib/aws/call-bounds.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { dynamoDbLimits } from "../../support/faults/partitions.ts";
import { rowSource } from "../memory/row-source.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

const [pageMilliseconds, refusalMilliseconds] = [80, 3];
const project = "00000000-0000-4000-8000-000000000001";
const page = { limit: 50, offset: 0, order: "desc", sortBy: "latency" } as const;

/** Model of a partition's read units, which are refilled each second. */
const partition = (limit: number) => {
  let [unitsLeft, at, throttled] = [limit, performance.now(), 0];
  return {
    throttled: () => throttled,
    admit: async (units: number): Promise<boolean> => {
      const now = performance.now();
      unitsLeft = Math.min(limit, unitsLeft + ((now - at) / 1000) * limit);
      at = now;
      const isAdmitted = unitsLeft > 0;
      if (isAdmitted) unitsLeft -= units;
      else throttled += 1;
      await wait(isAdmitted ? pageMilliseconds : refusalMilliseconds);
      return isAdmitted;
    },
  };
};

/**
 * Models filtered lists over one busy day, whose rows share a partition of 3,000 read units per second, as in DynamoDB,
 * without burst capacity; a page of a megabyte takes 80 ms.
 */
export const benchHotDay = async (rows: number): Promise<void> => {
  for (const lists of [1, 3]) {
    const { admit, throttled } = partition(dynamoDbLimits.read);
    const database = rowSource(rows, "usual", { days: 1, admit, retryStrategy: boundedRetries(defaultBounds) });
    const list = traceList(database);
    await scaleMeter(database, quantity(rows, "traces"))(`one day, filtered, ${lists} at a time`, async () => {
      const query = { ...page, filter: traceFilter({ status: "ERROR" }) };
      const results = await Promise.allSettled(Array.from({ length: lists }, () => list.list(project, query)));
      const failed = results.filter(({ status }) => status === "rejected").length;
      return `${failed} failed, ${throttled()} throttled`;
    });
  }
};

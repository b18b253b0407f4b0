import { setTimeout as wait } from "node:timers/promises";
import { boundedRetries } from "../../../lib/aws/bounded-retries.ts";
import { usualBounds } from "../../../lib/aws/call-bounds.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { dynamoDbLimits } from "../../support/faults/partitions.ts";
import { rowSource } from "../memory/row-source.ts";
import { counted, scaleMeter } from "./scale-meter.ts";

const [pageMilliseconds, refusalMilliseconds] = [80, 3];
const project = "00000000-0000-4000-8000-000000000001";
const page = { limit: 50, offset: 0, order: "desc", sortBy: "latency" } as const;

/** Read units of one partition: those of a second at once, and then as they come. */
const partition = (limit: number) => {
  let [left, at, throttled] = [limit, performance.now(), 0];
  return {
    throttled: () => throttled,
    admit: async (units: number): Promise<boolean> => {
      const now = performance.now();
      left = Math.min(limit, left + ((now - at) / 1000) * limit);
      at = now;
      const isAdmitted = left > 0;
      if (isAdmitted) left -= units;
      else throttled += 1;
      await wait(isAdmitted ? pageMilliseconds : refusalMilliseconds);
      return isAdmitted;
    },
  };
};

/**
 * Filtered lists over one busy day, whose rows lie in one partition: it gives 3,000 read units a second, as DynamoDB's does,
 * with nothing saved up; a page of a megabyte takes 80 ms. Modelled.
 */
export const benchHotDay = async (rows: number): Promise<void> => {
  for (const lists of [1, 3]) {
    const { admit, throttled } = partition(dynamoDbLimits.read);
    const database = rowSource(rows, "usual", { days: 1, admit, retryStrategy: boundedRetries(usualBounds) });
    const list = traceList(database);
    await scaleMeter(database, counted(rows, "traces"))(`one day, filtered, ${lists} at a time`, async () => {
      const query = { ...page, filter: traceFilter({ status: "ERROR" }) };
      const ended = await Promise.allSettled(Array.from({ length: lists }, () => list.list(project, query)));
      const failed = ended.filter(({ status }) => status === "rejected").length;
      return `${failed} failed, ${throttled()} throttled`;
    });
  }
};

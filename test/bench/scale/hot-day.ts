/**
 * What a filtered list over one busy day does where a partition gives 3,000 read units a second, as DynamoDB's does: the rows
 * of a day lie in one. Modelled: a page of a megabyte takes 80 ms; nothing of the partition's units has been saved up.
 */
import { setTimeout as wait } from "node:timers/promises";
import Table from "cli-table3";
import { boundedRetries } from "../../../lib/aws/bounded-retries.ts";
import { usualBounds } from "../../../lib/aws/call-bounds.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { traceList } from "../../../lib/store/traces/list.ts";
import { dynamoDbLimits } from "../../support/faults/partitions.ts";
import { rowSource } from "../memory/row-source.ts";

const pageMilliseconds = 80;
const project = "00000000-0000-4000-8000-000000000001";

/** Read units of one partition: those of a second at once, and then as they come. */
const partition = (limit: number) => {
  let [left, at, read, throttled] = [limit, performance.now(), 0, 0];
  return {
    spent: () => ({ read, throttled }),
    admit: async (units: number): Promise<boolean> => {
      const now = performance.now();
      left = Math.min(limit, left + ((now - at) / 1000) * limit);
      at = now;
      const isAdmitted = left > 0;
      if (isAdmitted) {
        left -= units;
        read += units;
      } else throttled += 1;
      await wait(isAdmitted ? pageMilliseconds : 3);
      return isAdmitted;
    },
  };
};

/** Reads a day of so many rows, by `readers` at the same time, and prints what became of them. */
export const benchHotDay = async (rows: number, readers: readonly number[]): Promise<void> => {
  const head = ["rows of the day", "lists at a time", "read units", "throttled", "seconds", "ended"];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const count of readers) {
    const { admit, spent } = partition(dynamoDbLimits.read);
    const database = rowSource(rows, "usual", { days: 1, admit, retryStrategy: boundedRetries(usualBounds) });
    const page = { limit: 50, offset: 0, order: "desc" as const, sortBy: "latency" as const };
    const query = { ...page, filter: traceFilter({ status: "ERROR" }) };
    const begun = performance.now();
    const ended = await Promise.allSettled(
      Array.from({ length: count }, () => traceList(database).list(project, query)),
    );
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const failures = ended.flatMap((each) => (each.status === "rejected" ? [String(each.reason).split(":")[0]] : []));
    const outcome = failures.length === 0 ? "done" : `${failures.length} failed: ${[...new Set(failures)].join(", ")}`;
    table.push([rows, count, Math.round(spent().read), spent().throttled, seconds, outcome]);
  }
  console.log(table.toString());
};

if (import.meta.main) await benchHotDay(Number(process.argv[2] ?? 500_000), [1, 3]);

import type { Database } from "../../../lib/dynamo/database.ts";
import { countCapacity } from "../capacity.ts";

const number = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en"));

const line = (cells: readonly string[]): void => console.log(`| ${cells.join(" | ")} |`);

const head = ["path", "size", "read units", "write units", "requests", "seconds", "MB at most", "ended"];

/** Prints the header of the table of measurements. */
export const printHead = (): void => {
  line(head);
  line(head.map(() => "---"));
};

/** A quantity with its noun, such as `100,000 runs`. */
export const quantity = (count: number, noun: string): string => `${count.toLocaleString("en")} ${noun}`;

/**
 * Measures operations on a database and prints a line for each: units, requests, duration, and peak memory of this
 * process so far. A failure is printed as a result.
 * @param size description of the data's size.
 */
export const scaleMeter = (database: Database, size: string) => {
  const spent = countCapacity(database);
  return async (path: string, work: () => Promise<string | void>): Promise<void> => {
    spent();
    const startedAt = performance.now();
    const outcome = await work().then(
      (summary) => summary ?? "done",
      (error: unknown) => (error instanceof Error ? error.message : "failed"),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const { read, write, calls } = spent();
    const megabytes = process.resourceUsage().maxRSS / 1024;
    line([path, size, number(read), number(write), String(calls), seconds.toFixed(2), number(megabytes), outcome]);
  };
};

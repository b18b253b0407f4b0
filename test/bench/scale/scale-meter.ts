import type { Database } from "../../../lib/store/database.ts";
import { countCapacity } from "../capacity.ts";

const number = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en"));

const line = (cells: readonly string[]): void => console.log(`| ${cells.join(" | ")} |`);

const head = ["path", "size", "read units", "write units", "requests", "seconds", "MB at most", "ended"];

/** Begins the table that meters print. */
export const printHead = (): void => {
  line(head);
  line(head.map(() => "---"));
};

/** A number of things: `100,000 runs`. */
export const counted = (count: number, what: string): string => `${count.toLocaleString("en")} ${what}`;

/**
 * Measures paths on a database and prints a line for each: units and requests, time, and what this process has taken of
 * memory so far. What fails is a figure too.
 *
 * @param size of what is worked on, in words.
 */
export const scaleMeter = (database: Database, size: string) => {
  const spent = countCapacity(database);
  return async (path: string, work: () => Promise<string | void>): Promise<void> => {
    spent();
    const begun = performance.now();
    const ended = await work().then(
      (said) => said ?? "done",
      (error: unknown) => (error instanceof Error ? error.message : "failed"),
    );
    const seconds = (performance.now() - begun) / 1000;
    const { read, write, calls } = spent();
    const megabytes = process.resourceUsage().maxRSS / 1024;
    line([path, size, number(read), number(write), String(calls), seconds.toFixed(2), number(megabytes), ended]);
  };
};

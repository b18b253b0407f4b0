import { type rowScan, type StartRange, tooManyRows } from "../row-scan.ts";
import type { FileDays } from "./file-days.ts";

type RowScan = ReturnType<typeof rowScan>;

/** What a request asks files of closed days. */
export interface FileQuestion<Part> {
  /** Days that are read from files instead of rows; null for none. */
  readonly files: FileDays | null;
  /** Asks the files, while other rows are read or after that; null if the files cannot be read. */
  readonly ask: (files: FileDays, rows: Promise<unknown>) => Promise<Part | null>;
}

/** Rows that a request reads: how, what visits them, how many there may be, and what narrows them. @see tooManyRows */
interface RowsBeside {
  readonly reading: Parameters<RowScan["all"]>[2];
  readonly visit: Parameters<RowScan["all"]>[3];
  readonly limit: readonly [max: number, loc: readonly string[], bounds: string];
}

/**
 * Asks files of closed days, and visits the rows of all other days and those that have changed since the files were written; all rows if
 * there are no files, or these cannot be read.
 *
 * @returns what the files have; null if all rows were visited.
 * @throws Refusal `invalid` if the files cannot be read and have more traces than rows may be read.
 */
export const scanWithFiles = async <Part>(
  scan: RowScan,
  project: string,
  range: StartRange,
  { reading, visit, limit }: RowsBeside,
  { files, ask }: FileQuestion<Part>,
): Promise<Part | null> => {
  const isInFiles = (day: string): boolean => files?.days.has(day) === true;
  const rows = Promise.all([
    scan.all(project, range, reading, visit, (day) => !isInFiles(day)),
    scan.at(project, files?.changed ?? [], reading, visit),
  ]);
  const [part] = await Promise.all([files === null ? null : ask(files, rows), rows]);
  if (files === null || part !== null) return part;
  if (files.traces > limit[0]) throw tooManyRows(...limit);
  const changed = new Set(files.changed);
  const visitOthers: typeof visit = (trace, expiresAt) => {
    if (!changed.has(trace.startedAt)) visit(trace, expiresAt);
  };
  await scan.all(project, range, reading, visitOthers, isInFiles);
  return null;
};

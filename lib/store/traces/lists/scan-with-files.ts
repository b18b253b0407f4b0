import type { Refusal } from "../../../domain/refusal.ts";
import type { rowScan, StartRange } from "../row-scan.ts";
import type { FileDays } from "./file-days.ts";

type RowScan = ReturnType<typeof rowScan>;

/** What files have of the traces that a request reads; absent for one that reads rows alone. */
export interface FileQuestion<Part> {
  /** Days that are read from files instead of rows; null for none. */
  readonly files: FileDays | null;
  /** Asks the files; null if they cannot be read. */
  readonly ask: (files: FileDays) => Promise<Part | null>;
}

/** Max rows of days in files that are read instead when the files cannot be, and the refusal of more. */
interface RowsInstead {
  readonly max: number;
  readonly refusal: () => Refusal;
}

/**
 * Asks files of closed days, and visits the rows of all other days and those that have changed since the files were written; all rows if
 * there are no files, or these cannot be read.
 *
 * @returns what the files have; null if all rows were visited.
 * @throws Refusal `instead.refusal` if the files cannot be read and have too many traces.
 */
export const scanWithFiles = async <Part>(
  scan: RowScan,
  project: string,
  range: StartRange,
  [reading, visit]: readonly [Parameters<RowScan["all"]>[2], Parameters<RowScan["all"]>[3]],
  { files, ask }: FileQuestion<Part>,
  instead: RowsInstead,
): Promise<Part | null> => {
  const isInFiles = (day: string): boolean => files?.days.has(day) === true;
  const [part] = await Promise.all([
    files === null ? null : ask(files),
    scan.all(project, range, reading, visit, (day) => !isInFiles(day)),
  ]);
  if (files === null) return null;
  if (part === null) {
    if (files.traces > instead.max) throw instead.refusal();
    await scan.all(project, range, reading, visit, isInFiles);
  } else await scan.at(project, files.changed, reading, visit);
  return part;
};

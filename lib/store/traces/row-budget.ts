import { invalid } from "../../domain/refusal.ts";

/** Rows that a list may read: a longer list is refused, never truncated. */
export const maxRows = 2_000_000;

/**
 * Returns the refusal of a list that would have to read more than `max` rows.
 *
 * @param loc path of the request field that can narrow the list.
 * @param bounds names of the parameters that narrow the list.
 */
export const tooManyRows = (max: number, loc: readonly string[], bounds: string) =>
  invalid(
    loc,
    `More than ${max.toLocaleString("en")} traces would have to be read. Narrow ${bounds}.`,
    "too_many_rows",
  );

/**
 * Returns a function that counts the rows read by a list, one per call. It throws a Refusal `invalid` above `max`
 * rows.
 *
 * @param loc path of the request field that can narrow the list.
 * @param bounds names of the parameters that narrow the list.
 */
export const rowBudget = (max: number, loc: readonly string[], bounds: string): (() => void) => {
  let rows = 0;
  return () => {
    rows += 1;
    if (rows > max) throw tooManyRows(max, loc, bounds);
  };
};

/** Bytes of read data that a list may hold, beside pages in transfer, by the megabytes of its function. */
export const memoryLimits = { 1024: 600_000_000, 1769: 1_050_000_000 } as const;

/** Bytes of memory that a row takes beside its packed bytes. */
export const rowBytes = 900;

/**
 * Returns a function that counts the bytes of memory that a list holds. It throws a Refusal `invalid` above `max`
 * bytes.
 *
 * @param noun plural noun for the data, such as `sessions`.
 * @param loc path of the request field that can narrow the list.
 * @param bounds names of the parameters that narrow the list.
 */
export const memoryBudget = (
  max: number,
  noun: string,
  loc: readonly string[],
  bounds: string,
): ((bytes: number) => void) => {
  let bytesInMemory = 0;
  return (bytes) => {
    bytesInMemory += bytes;
    if (bytesInMemory <= max) return;
    const msg = `There are too many ${noun} to keep them in memory, or their texts are too long. Narrow ${bounds}.`;
    throw invalid(loc, msg, "too_many_rows");
  };
};

const hourMilliseconds = 3_600_000;

/**
 * Hours after which the writer of a part has certainly ended: a day, and the hour by which the stamp is rounded down.
 */
const writerHours = 25;

/**
 * Returns the hour in which a part is written, stored with it: whole hours since 1970.
 *
 * @param now epoch milliseconds.
 */
export const writeHour = (now: number): number => Math.floor(now / hourMilliseconds);

/**
 * True if the function that wrote a part has certainly ended.
 *
 * @param hour hour of the write, as returned by `writeHour`.
 * @param now epoch milliseconds.
 */
export const hasWriterEnded = (hour: number, now: number): boolean => writeHour(now) - hour >= writerHours;

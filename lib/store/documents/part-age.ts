const hourMilliseconds = 3_600_000;

/** A day and the hour that the stamp leaves open: no function lives that could still name what it wrote. */
const abandonedHours = 25;

/** When a part was written, as it is stored with it: whole hours since 1970. */
export const writeStamp = (now: number): number => Math.floor(now / hourMilliseconds);

/** Whether the writer of a part is long gone. @param now epoch milliseconds. */
export const isSettled = (stamp: number, now: number): boolean => writeStamp(now) - stamp >= abandonedHours;

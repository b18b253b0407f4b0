import type { CheckContext } from "./check.ts";

/** Reads a value repeatedly until a condition is satisfied or the time is up. @returns the last value and the elapsed seconds */
export const pollUntil = async <Value>(
  { wait, timeouts }: Pick<CheckContext, "wait" | "timeouts">,
  milliseconds: number,
  read: () => Promise<Value>,
  isSatisfied: (value: Value) => boolean,
): Promise<{ readonly value: Value; readonly isSatisfied: boolean; readonly seconds: number }> => {
  const startedAt = performance.now();
  for (;;) {
    const value = await read();
    const elapsed = performance.now() - startedAt;
    if (isSatisfied(value)) return { value, isSatisfied: true, seconds: elapsed / 1000 };
    if (elapsed > milliseconds) return { value, isSatisfied: false, seconds: elapsed / 1000 };
    await wait(timeouts.pollInterval);
  }
};

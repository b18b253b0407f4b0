import { setTimeout as wait } from "node:timers/promises";
import { Refusal } from "../../domain/refusal.ts";

/** Writers that meet on one trace take turns; far more turns than ever seen. */
const maxAttempts = 80;

/** Milliseconds to wait at most. It grows while others may be few, and shrinks for those who have lost often: they are next. */
const longest = (tries: number): number => (tries < 5 ? 10 * 2 ** tries : Math.max(10, 160 - 12 * (tries - 5)));

/**
 * Tries a change of a trace until no other writer is in its way.
 *
 * @param attempt null when another writer was.
 * @throws Refusal `unavailable` when there was one every time.
 */
export const untilFree = async <Result extends object | boolean>(
  attempt: () => Promise<Result | null>,
): Promise<Result> => {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const done = await attempt();
    if (done !== null) return done;
    await wait(Math.random() * longest(tries));
  }
  throw new Refusal({ kind: "unavailable", detail: "The trace is being changed by many requests. Try again." });
};

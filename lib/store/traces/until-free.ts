import { attempts, unavailable, type again } from "../attempts.ts";
import * as patience from "../patience.ts";

/**
 * Tries a change of a trace until no other writer is in its way.
 *
 * @param change gives `again` when another writer was.
 * @throws Refusal `unavailable` when there was one every time.
 */
export const untilFree = <Result>(change: () => Promise<Result | typeof again>): Promise<Result> =>
  attempts(patience.crowd, unavailable("The trace is being changed by many requests. Try again."), change);

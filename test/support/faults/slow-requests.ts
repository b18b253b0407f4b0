import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Decide } from "./fault-kind.ts";

/** Maximum delay of a slow request and of a stalled one, in milliseconds. */
const [maxDelay, maxStall] = [12, 300];

/**
 * Shares of slow requests that stall while others finish whole operations; larger for writes, which depend on earlier
 * reads.
 */
const [stalls, stallsOfWrites] = [0.05, 0.3];
const write = /^(?:Put|Update|Delete|Transact)/u;

/**
 * Delays random requests before their fault is decided.
 * @param rate probability per request, read for every request.
 */
export const slowRequests =
  (random: Random, rate: () => number, decide: Decide): Decide =>
  async (call) => {
    if (random.chance(rate())) {
      const share = write.test(call.operation) ? stallsOfWrites : stalls;
      const longest = random.chance(share) ? maxStall : maxDelay;
      await wait(random.below(longest));
    }
    return decide(call);
  };

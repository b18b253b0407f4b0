import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Decide } from "./fault-kind.ts";

/** Milliseconds that a slow request takes longer. */
const [most, mostOfStall] = [12, 300];

/**
 * Shares of the slow requests that stall, while others finish whole pieces of work: of writes more, which rest on what was
 * read before.
 */
const [stalls, stallsOfWrites] = [0.05, 0.3];
const write = /^(?:Put|Update|Delete|Transact)/u;

/** Makes requests slow now and then, before it is decided what goes wrong with them. @param rate probability per request, read at every one. */
export const slowRequests =
  (random: Random, rate: () => number, decide: Decide): Decide =>
  async (call) => {
    if (random.chance(rate())) {
      const share = write.test(call.operation) ? stallsOfWrites : stalls;
      const longest = random.chance(share) ? mostOfStall : most;
      await wait(random.below(longest));
    }
    return decide(call);
  };

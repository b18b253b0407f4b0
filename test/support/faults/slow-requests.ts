import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Decide } from "./fault-kind.ts";

/** Milliseconds that a slow request takes longer: what rests on an earlier read most, since others come in between. */
const [most, mostOfTransaction, mostOfStall] = [12, 40, 250];

/** One slow request in so many stalls, while others finish whole pieces of work. */
const stalls = 0.05;

/** Makes requests slow now and then, before it is decided what goes wrong with them. @param rate probability per request, read at every one. */
export const slowRequests =
  (random: Random, rate: () => number, decide: Decide): Decide =>
  async (call) => {
    if (random.chance(rate())) {
      const longest = random.chance(stalls)
        ? mostOfStall
        : call.operation.startsWith("Transact")
          ? mostOfTransaction
          : most;
      await wait(random.below(longest));
    }
    return decide(call);
  };

import { faultFields, logLine } from "../../log.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { leaseMilliseconds, type Slices } from "../../store/runs/slices.ts";

/** How long calls may still begin after their run was deleted. A look costs a read, which is little beside a call. */
export const lookMilliseconds = 1_000;

/** Does a piece of work while the lease on its slice is kept. @param work is told whether the lease was lost. */
export const whileRenewed = async <Result>(
  slices: Pick<Slices, "renew" | "holds">,
  claimed: StoredSlice,
  work: (lost: () => boolean) => Promise<Result>,
): Promise<Result> => {
  let lost = false;

  /** Asks again and again, one question at a time, whether the lease is still there. */
  const every = (milliseconds: number, ask: (held: StoredSlice) => Promise<boolean>, failure: string) => {
    let asking = false;
    const once = async (): Promise<void> => {
      asking = true;
      try {
        if (!(await ask(claimed))) lost = true;
      } catch (error) {
        // The lease runs on for two more beats; a commit that comes too late fails by its epoch.
        logLine(failure, faultFields(error));
      } finally {
        asking = false;
      }
    };
    return setInterval(() => {
      if (!asking) void once();
    }, milliseconds);
  };

  const beats = [
    every(leaseMilliseconds / 3, slices.renew, "lease_not_renewed"),
    every(lookMilliseconds, slices.holds, "lease_not_seen"),
  ];
  try {
    return await work(() => lost);
  } finally {
    for (const beat of beats) clearInterval(beat);
  }
};

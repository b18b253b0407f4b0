import { faultFields, logLine } from "../log.ts";
import type { StoredSlice } from "../store/slice-codec.ts";
import { leaseMilliseconds, type Slices } from "../store/slices.ts";

/** Does a piece of work while the lease on its slice is kept. @param work is told whether the lease was lost. */
export const whileRenewed = async <Result>(
  slices: Pick<Slices, "renew">,
  claimed: StoredSlice,
  work: (lost: () => boolean) => Promise<Result>,
): Promise<Result> => {
  let lost = false;
  const keep = async (): Promise<void> => {
    try {
      lost ||= !(await slices.renew(claimed));
    } catch (error) {
      // The lease runs on for two more beats; a commit that comes too late fails by its epoch.
      logLine("lease_not_renewed", faultFields(error));
    }
  };
  const heartbeat = setInterval(() => {
    void keep();
  }, leaseMilliseconds / 3);
  try {
    return await work(() => lost);
  } finally {
    clearInterval(heartbeat);
  }
};

import { faultFields, logLine } from "../../log.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { leaseMilliseconds, type Slices } from "../../store/runs/slices.ts";

/** Milliseconds between two lease checks, and so the time in which judge calls may still start after their run is deleted. */
export const leaseCheckMilliseconds = 1_000;

/** Milliseconds between two checks of the slice's project, and so the time in which judge calls may still start after its deletion. */
export const projectCheckMilliseconds = 5_000;

/** Returns true if the slice's project exists, and neither it nor its organization is being deleted. */
export type ProjectCheck = (slice: Pick<StoredSlice, "slice">) => Promise<boolean>;

/** Runs `work` while the lease of its slice is renewed. @param work callback; its argument returns true once the lease or the project is lost. */
export const withLeaseRenewal = async <Result>(
  slices: Pick<Slices, "renew" | "hasLease"> & { readonly hasProject: ProjectCheck },
  claimed: StoredSlice,
  work: (isLost: () => boolean) => Promise<Result>,
): Promise<Result> => {
  let isLost = false;

  /** Checks the lease periodically; a check starts only after the previous one has ended. */
  const repeatCheck = (milliseconds: number, check: (slice: StoredSlice) => Promise<boolean>, failure: string) => {
    let isChecking = false;
    const runCheck = async (): Promise<void> => {
      isChecking = true;
      try {
        if (!(await check(claimed))) isLost = true;
      } catch (error) {
        // The lease outlives two missed renewals, and a commit after its end fails because of the epoch.
        logLine(failure, faultFields(error));
      } finally {
        isChecking = false;
      }
    };
    return setInterval(() => {
      if (!isChecking) void runCheck();
    }, milliseconds);
  };

  const timers = [
    repeatCheck(leaseMilliseconds / 3, slices.renew, "lease_not_renewed"),
    repeatCheck(leaseCheckMilliseconds, slices.hasLease, "lease_not_seen"),
    repeatCheck(projectCheckMilliseconds, slices.hasProject, "project_not_seen"),
  ];
  try {
    return await work(() => isLost);
  } finally {
    for (const timer of timers) clearInterval(timer);
  }
};

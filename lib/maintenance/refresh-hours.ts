import { faultFields, logLine } from "../log.ts";
import { hourName, type HourKey } from "../store/hours/keys.ts";
import type { HourRollups } from "../store/hours/rollups.ts";
import type { PendingMarkers } from "../store/hours/pending-markers.ts";

/** Hours computed concurrently. */
const concurrency = 8;

/** Milliseconds for a stream batch, after which its remaining hours are marked as pending: the stream waits meanwhile. */
const batchMilliseconds = 1_500;

/**
 * Computes the rollups of hours whose traces have changed. Hours that are too recent, fail or take too long are marked as
 * pending: queries read their rows until the sweeper has computed them.
 *
 * @throws when an hour could not be marked.
 */
export const hourRefresh =
  (rollups: HourRollups, pending: PendingMarkers, now: () => number = Date.now) =>
  async (keys: readonly HourKey[]): Promise<void> => {
    const deadline = now() + batchMilliseconds;
    const refresh = async (key: HourKey): Promise<boolean> => {
      if (now() >= deadline) return false;
      try {
        return await rollups.refresh(key, deadline);
      } catch (error) {
        logLine("hour_not_computed", { project_id: key.project, hour: key.hour, ...faultFields(error) });
        return false;
      }
    };
    const remainingKeys = keys.values();
    const work = async (): Promise<void> => {
      for (const key of remainingKeys) if (!(await refresh(key))) await pending.mark(key.project, hourName(key));
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  };

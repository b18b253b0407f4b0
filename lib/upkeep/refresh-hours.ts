import { faultFields, logLine } from "../log.ts";
import { hourName, type HourKey } from "../store/hours/keys.ts";
import type { HourRollups } from "../store/hours/rollups.ts";
import type { PendingMarks } from "../store/hours/pending-marks.ts";

/** Hours computed at the same time. */
const parallel = 8;

/** Milliseconds after which what is left is marked instead: the stream waits meanwhile. */
const patience = 1_500;

/**
 * Computes hours whose traces have changed; marks as pending what is too early, what fails and what takes too long, so that
 * readers go to the rows until the sweeper has computed it.
 *
 * @throws when an hour could not even be marked.
 */
export const hourRefresh =
  (rollups: HourRollups, pending: PendingMarks, now: () => number = Date.now) =>
  async (keys: readonly HourKey[]): Promise<void> => {
    const deadline = now() + patience;
    const refreshed = async (key: HourKey): Promise<boolean> => {
      if (now() >= deadline) return false;
      try {
        return await rollups.refresh(key, deadline);
      } catch (error) {
        logLine("hour_not_computed", { project_id: key.project, hour: key.hour, ...faultFields(error) });
        return false;
      }
    };
    const left = keys.values();
    const work = async (): Promise<void> => {
      for (const key of left) if (!(await refreshed(key))) await pending.mark(key.project, hourName(key));
    };
    await Promise.all(Array.from({ length: parallel }, work));
  };

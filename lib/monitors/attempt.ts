import { randomId } from "../domain/access/identity.ts";
import { instantAt } from "../domain/instant.ts";
import { claimOf, failed, givenUp, mostAttempts, type Claim } from "../domain/monitors/attempts.ts";
import type { Monitor } from "../domain/monitors/monitor.ts";
import { faultFields, logLine } from "../log.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import { isOutage } from "../store/failure.ts";
import type { Monitors } from "../store/monitors/monitors.ts";

/** For how long an instant is tried as often as its message comes while DynamoDB is away. */
const outageMilliseconds = 3_600_000;

/** Instants of a monitor at a time: of one that judges what has changed, one, since the next rests on what it saw. */
const widths = { all: 3, changed: 1 } as const satisfies Record<Monitor["settings"]["scope"], number>;

/** How an attempt at a firing ended. */
type Attempt<Result> =
  | { readonly kind: "done"; readonly result: Result }
  /** Nothing is to be done: whoever is at it does it. */
  | { readonly kind: "another's" }
  /** It is not tried any more; why, in words for a user. `failure`: what the last attempt threw, where it was made just now; null: nothing. */
  | { readonly kind: "given up"; readonly reason: string; readonly failure: unknown };

const exhausted =
  `Given up: ${mostAttempts} attempts at this firing failed or did not end in time. ` +
  "If others fail, too, narrow the monitor's filters.";

const resting = ({ failed: times, until }: Extract<Claim, { kind: "resting" }>): string =>
  `Not tried: the last ${times} attempts at firing this monitor failed or did not end in time. ` +
  `It is tried again after ${instantAt(until)}.`;

/**
 * Attempts at firing monitors. Each is noted before it is made, so that one that its worker dies of is counted, too: after
 * three the instant is given up, and the monitor rests, each time twice as long, so that it leaves the workers to others.
 */
export const firingAttempts = (monitors: Pick<Monitors, "change">, now: () => number) => {
  const claimed = async ({ project, monitor: id, scheduledAt }: FiringMessage) => {
    let claim: Claim | undefined;
    const by = randomId();
    const stored = await monitors.change(project, id, (current) => {
      const width = widths[current.settings.scope];
      claim = claimOf(current.attempts, { instant: scheduledAt, by, now: now(), width });
      if (claim.kind !== "begun" || claim.attempts === current.attempts) return current;
      return { ...current, attempts: claim.attempts };
    });
    return stored === null || claim === undefined ? null : { monitor: stored.monitor, claim };
  };

  return {
    /**
     * Does the work of a firing, if it may be tried. @param work gets the monitor as it is now.
     *
     * @throws what the work throws unless it was the last attempt, and Error when too many others are under way: the message
     * is to come again.
     */
    make: async <Result>(
      message: FiringMessage,
      work: (monitor: Monitor) => Promise<Result>,
    ): Promise<Attempt<Result>> => {
      const { project, monitor: id, scheduledAt } = message;
      const made = await claimed(message);
      if (made === null) return { kind: "another's" };
      const { monitor, claim } = made;
      if (claim.kind === "under way") return { kind: "another's" };
      if (claim.kind === "crowded") throw new Error("Other firings of the monitor are under way.");
      if (claim.kind === "exhausted") return { kind: "given up", reason: exhausted, failure: null };
      if (claim.kind === "resting") return { kind: "given up", reason: resting(claim), failure: null };
      try {
        return { kind: "done", result: await work(monitor) };
      } catch (error) {
        const counts = !isOutage(error) || now() > scheduledAt + outageMilliseconds;
        const noted = (current: Monitor): Monitor => ({
          ...current,
          attempts: failed(current.attempts, scheduledAt, now(), counts),
        });
        // What cannot be noted now counts, and its time runs out by itself.
        await monitors
          .change(project, id, noted)
          .catch((second: unknown) => logLine("attempt_not_noted", { monitor_id: id, ...faultFields(second) }));
        if (!counts || !claim.isLast) throw error;
        return { kind: "given up", reason: exhausted, failure: error };
      }
    },
  };
};

/** A monitor of which an instant was given up. */
export const withoutInstant = (monitor: Monitor, instant: number): Monitor => ({
  ...monitor,
  attempts: givenUp(monitor.attempts, instant),
});

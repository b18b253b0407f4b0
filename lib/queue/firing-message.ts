import * as v from "valibot";

/** Queue message: a monitor must fire for a scheduled instant. */
export interface FiringMessage {
  readonly project: string;
  readonly monitor: string;
  /** Generation of the schedule that fired. A message with an older generation than the monitor's is ignored. */
  readonly generation: number;
  /** Scheduled instant, epoch milliseconds, a whole minute. */
  readonly scheduledAt: number;
}

const minute = 60_000;

const message = v.object({
  project: v.string(),
  monitor: v.string(),
  generation: v.number(),
  /** Scheduled instant: `2026-11-21T09:00:00Z`. EventBridge Scheduler may add seconds within the scheduled minute. */
  at: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.transform((text) => Math.floor(Date.parse(text) / minute) * minute),
  ),
});

/** Serializes a firing message. @param at scheduled instant, ISO 8601, or the placeholder that EventBridge Scheduler replaces with it. */
export const writeFiringMessage = ({ project, monitor, generation }: Omit<FiringMessage, "scheduledAt">, at: string) =>
  JSON.stringify({ project, monitor, generation, at });

/** Parses a firing message. @throws Error if the text is not a firing message. */
export const readFiringMessage = (body: string): FiringMessage => {
  const { at, ...fields } = v.parse(message, JSON.parse(body));
  return { ...fields, scheduledAt: at };
};

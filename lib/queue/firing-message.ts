import * as v from "valibot";

/** That a monitor is to fire for a scheduled instant. */
export interface FiringMessage {
  readonly project: string;
  readonly monitor: string;
  /** Of the schedule that fired; an older one than the monitor's is dropped. */
  readonly generation: number;
  /** Epoch milliseconds, a whole minute. */
  readonly scheduledAt: number;
}

const minute = 60_000;

const message = v.object({
  project: v.string(),
  monitor: v.string(),
  generation: v.number(),
  /** `2026-11-21T09:00:00Z`; the Scheduler may name seconds within the minute it was asked for. */
  at: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.transform((text) => Math.floor(Date.parse(text) / minute) * minute),
  ),
});

/** Writes a message; `at` as text, or what the Scheduler replaces by it. */
export const writeFiringMessage = ({ project, monitor, generation }: Omit<FiringMessage, "scheduledAt">, at: string) =>
  JSON.stringify({ project, monitor, generation, at });

/** Reads a message. @throws when it is none. */
export const readFiringMessage = (body: string): FiringMessage => {
  const { at, ...rest } = v.parse(message, JSON.parse(body));
  return { ...rest, scheduledAt: at };
};

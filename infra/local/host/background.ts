import { setTimeout as sleep } from "node:timers/promises";

/** Work that goes on until it is stopped. */
export interface Background {
  stop(): Promise<void>;
}

/** Waits, or returns early when the signal fires. */
export const pause = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
};

/**
 * Runs a step over and over; the step says how long to wait before the next one, in milliseconds.
 *
 * A step that throws is tried again after a second: pollers outlive what they poll.
 *
 * @param failed told about what a step threw, unless it was stopped
 */
export const repeat = (
  step: (signal: AbortSignal) => Promise<number>,
  failed: (error: unknown) => void = () => undefined,
): Background => {
  const controller = new AbortController();
  const { signal } = controller;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const wait = await step(signal).catch((error: unknown) => {
        if (!signal.aborted) failed(error);
        return 1_000;
      });
      if (wait > 0) await pause(wait, signal);
    }
  };
  const running = run();
  return {
    stop: async () => {
      controller.abort();
      await running;
    },
  };
};

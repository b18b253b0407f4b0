/** A point at which work waits until the test resumes it. */
export interface PausePoint {
  /** Called by the work: waits, at the first call only. */
  pass(): Promise<void>;
  /** Resolves when the work has reached the pause point. */
  readonly reached: Promise<void>;
  open(): void;
}

export const pausePoint = (): PausePoint => {
  const [here, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    pass: async () => {
      here.resolve();
      await free.promise;
    },
    reached: here.promise,
    open: () => free.resolve(),
  };
};

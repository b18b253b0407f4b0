/** A place where a piece of work waits until a test lets it go on. */
export interface Gate {
  /** Called by the work: waits, the first time only. */
  pass(): Promise<void>;
  /** Ends when the work has come to the gate. */
  readonly reached: Promise<void>;
  open(): void;
}

export const gate = (): Gate => {
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

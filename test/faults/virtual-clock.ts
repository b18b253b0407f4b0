interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that moves only when advanced. */
export interface VirtualClock {
  now(): number;
  /** Resolves when the clock has advanced by that many milliseconds. */
  sleep(milliseconds: number): Promise<void>;
  advance(milliseconds: number): void;
}

export const virtualClock = (start: number): VirtualClock => {
  let at = start;
  let sleepers: Sleeper[] = [];
  return {
    now: () => at,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        sleepers.push({ at: at + milliseconds, wake });
      }),
    advance: (milliseconds) => {
      at += Math.max(0, milliseconds);
      const due = sleepers.filter((sleeper) => sleeper.at <= at);
      sleepers = sleepers.filter((sleeper) => sleeper.at > at);
      for (const { wake } of due) wake();
    },
  };
};

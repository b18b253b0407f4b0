import type { Sandbox } from "./sandbox.ts";

/** The sandboxes of one function. */
export interface Pool {
  /** Runs work in a sandbox that is free, started for it, or waited for. */
  use<T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T>;
  sandboxes(): readonly Sandbox[];
}

/** Decides which idle sandboxes go when there are too many. */
export interface WarmSet {
  started(sandbox: Sandbox): void;
  busy(sandbox: Sandbox): void;
  idle(sandbox: Sandbox): void;
  ended(sandbox: Sandbox): void;
}

/** Keeps at most so many sandboxes: beyond, the one idle for longest is ended. */
export const warmSet = (limit: number): WarmSet => {
  const all = new Set<Sandbox>();
  const idle = new Set<Sandbox>();
  const endOldest = (): void => {
    for (const sandbox of idle) {
      if (all.size <= limit) return;
      all.delete(sandbox);
      idle.delete(sandbox);
      sandbox.kill();
    }
  };
  return {
    started: (sandbox) => {
      all.add(sandbox);
      endOldest();
    },
    busy: (sandbox) => void idle.delete(sandbox),
    idle: (sandbox) => {
      idle.add(sandbox);
      endOldest();
    },
    ended: (sandbox) => {
      all.delete(sandbox);
      idle.delete(sandbox);
    },
  };
};

/**
 * Makes the pool of a function.
 *
 * Does not do: throttling. Where Lambda answers 429 beyond the concurrency, calls wait here.
 */
export const sandboxPool = (concurrency: number, warm: WarmSet, start: () => Sandbox): Pool => {
  const all = new Set<Sandbox>();
  const idle: Sandbox[] = [];
  const waiting: (() => void)[] = [];

  const forget = async (sandbox: Sandbox): Promise<void> => {
    await sandbox.gone;
    all.delete(sandbox);
    warm.ended(sandbox);
    waiting.shift()?.();
  };
  const launch = (): Sandbox => {
    const sandbox = start();
    all.add(sandbox);
    warm.started(sandbox);
    void forget(sandbox);
    return sandbox;
  };
  const acquire = async (): Promise<Sandbox> => {
    for (;;) {
      for (let sandbox = idle.pop(); sandbox !== undefined; sandbox = idle.pop()) if (sandbox.isAlive()) return sandbox;
      if ([...all].filter((sandbox) => sandbox.isAlive()).length < concurrency) return launch();
      await new Promise<void>((resolve) => void waiting.push(resolve));
    }
  };
  return {
    sandboxes: () => [...all],
    use: async (work) => {
      const sandbox = await acquire();
      warm.busy(sandbox);
      try {
        return await work(sandbox);
      } finally {
        if (sandbox.isAlive()) {
          idle.push(sandbox);
          warm.idle(sandbox);
        }
        waiting.shift()?.();
      }
    },
  };
};

import type { Sandbox } from "./sandbox.ts";

/** The pool of sandboxes of one function. */
export interface Pool {
  /** Runs work in an idle or new sandbox; waits for one when all sandboxes are busy. */
  use<T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T>;
  sandboxes(): readonly Sandbox[];
}

/** Limits the number of sandboxes of several pools by ending idle ones. */
export interface WarmSet {
  onStart(sandbox: Sandbox): void;
  onBusy(sandbox: Sandbox): void;
  idle(sandbox: Sandbox): void;
  onEnd(sandbox: Sandbox): void;
}

/**
 * Creates a warm set: above the limit, the sandbox that has been idle longest is ended.
 *
 * @param maxIdleMs milliseconds after which an idle sandbox is ended in any case; null: never
 */
export const warmSet = (limit: number, maxIdleMs: number | null = null): WarmSet => {
  const sandboxes = new Set<Sandbox>();
  const idle = new Map<Sandbox, NodeJS.Timeout | null>();
  const removeIdle = (sandbox: Sandbox): void => {
    clearTimeout(idle.get(sandbox) ?? undefined);
    idle.delete(sandbox);
  };
  const end = (sandbox: Sandbox): void => {
    sandboxes.delete(sandbox);
    removeIdle(sandbox);
    sandbox.kill();
  };
  const endOldest = (): void => {
    for (const sandbox of idle.keys()) {
      if (sandboxes.size <= limit) return;
      end(sandbox);
    }
  };
  return {
    onStart: (sandbox) => {
      sandboxes.add(sandbox);
      endOldest();
    },
    onBusy: removeIdle,
    idle: (sandbox) => {
      idle.set(sandbox, maxIdleMs === null ? null : setTimeout(end, maxIdleMs, sandbox).unref());
      endOldest();
    },
    onEnd: (sandbox) => {
      sandboxes.delete(sandbox);
      removeIdle(sandbox);
    },
  };
};

/**
 * Creates the sandbox pool of a function.
 *
 * Not supported: throttling. Calls above the concurrency wait, where Lambda answers 429.
 */
export const sandboxPool = (concurrency: number, warm: WarmSet, start: () => Sandbox): Pool => {
  const sandboxes = new Set<Sandbox>();
  const idle: Sandbox[] = [];
  const waiting: (() => void)[] = [];

  const removeWhenEnded = async (sandbox: Sandbox): Promise<void> => {
    await sandbox.termination;
    sandboxes.delete(sandbox);
    warm.onEnd(sandbox);
    waiting.shift()?.();
  };
  const launch = (): Sandbox => {
    const sandbox = start();
    sandboxes.add(sandbox);
    warm.onStart(sandbox);
    void removeWhenEnded(sandbox);
    return sandbox;
  };
  const acquire = async (): Promise<Sandbox> => {
    for (;;) {
      for (let sandbox = idle.pop(); sandbox !== undefined; sandbox = idle.pop()) if (sandbox.isAlive()) return sandbox;
      if ([...sandboxes].filter((sandbox) => sandbox.isAlive()).length < concurrency) return launch();
      await new Promise<void>((resolve) => void waiting.push(resolve));
    }
  };
  return {
    sandboxes: () => [...sandboxes],
    use: async (work) => {
      const sandbox = await acquire();
      warm.onBusy(sandbox);
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

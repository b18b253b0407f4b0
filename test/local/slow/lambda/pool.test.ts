import { expect, test } from "vitest";
import { sandboxPool, warmSet } from "../../../../infra/local/lambda/pool.ts";
import type { Sandbox } from "../../../../infra/local/lambda/sandbox.ts";

/** A sandbox that only knows whether it was ended. */
const someSandbox = (): Sandbox => {
  const termination = Promise.withResolvers<void>();
  let isRunning = true;
  const kill = (): void => {
    isRunning = false;
    termination.resolve();
  };
  return {
    pid: undefined,
    isAlive: () => isRunning,
    kill,
    termination: termination.promise,
    call: () => Promise.resolve(undefined),
  };
};

test("a sandbox that nothing calls ends, and the next call starts another one", async () => {
  const pool = sandboxPool(1, warmSet(12, 5), someSandbox);
  const first = await pool.use((sandbox) => Promise.resolve(sandbox));

  await first.termination;
  const second = await pool.use((sandbox) => Promise.resolve(sandbox));

  expect(first.isAlive()).toBe(false);
  expect(second).not.toBe(first);
});

test("a sandbox that works for longer than idle ones stay does not end", async () => {
  const pool = sandboxPool(2, warmSet(12, 5), someSandbox);
  const other = await pool.use((sandbox) => Promise.resolve(sandbox));

  const isAlive = await pool.use(async (sandbox) => {
    expect(sandbox).toBe(other);
    const idle = await pool.use((next) => Promise.resolve(next));
    // The other one became idle later than this one began to work.
    await idle.termination;
    return sandbox.isAlive();
  });

  expect(isAlive).toBe(true);
});

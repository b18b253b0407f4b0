/** Milliseconds. Limits that catch what hangs: no test is about speed, and a busy machine takes many times as long. */
export const limits = { testTimeout: 300_000, hookTimeout: 600_000 } as const;

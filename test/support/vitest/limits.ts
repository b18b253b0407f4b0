/** Time limits in milliseconds that only catch hanging tests; a busy machine is many times slower. */
export const limits = { testTimeout: 300_000, hookTimeout: 600_000 } as const;

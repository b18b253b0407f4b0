/** Time limits in milliseconds that only catch hanging tests; a busy machine is many times slower. */
export const limits = { testTimeout: 300_000, hookTimeout: 600_000 } as const;

/** Limit in milliseconds of a step of a test, such as an action in a page: before the test's own, so that the step is named. */
export const stepTimeout = 200_000;

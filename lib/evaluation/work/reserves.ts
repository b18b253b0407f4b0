/** A judgement is only begun while its call, a retry included, can still end in time; in milliseconds. */
export const startReserve = 70_000;

/** Milliseconds kept for committing after the last call. */
export const commitReserve = 5_000;

/** A number to four places, as scores and their metadata have it. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

/** A number brought into [0, 1]. */
export const unit = (value: number): number => Math.min(1, Math.max(0, value));

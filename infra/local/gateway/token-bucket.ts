/** A rate in requests per second and how many may come at once. */
export interface Rate {
  readonly rate: number;
  readonly burst: number;
}

/** Takes a token from a bucket. @returns whether there was one. */
export type TokenBucket = () => boolean;

/** A bucket that starts full and fills steadily. */
export const tokenBucket = ({ rate, burst }: Rate, now: () => number = Date.now): TokenBucket => {
  let tokens = burst;
  let filledAt = now();
  return () => {
    const at = now();
    tokens = Math.min(burst, tokens + ((at - filledAt) / 1_000) * rate);
    filledAt = at;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};

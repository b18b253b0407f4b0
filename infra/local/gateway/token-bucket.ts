/** A throttling rate in requests per second, and the maximum burst. */
export interface Rate {
  readonly rate: number;
  readonly burst: number;
}

/** Takes a token from a bucket. @returns false if the bucket was empty */
export type TokenBucket = () => boolean;

/** Creates a token bucket that starts full and refills at a constant rate. */
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

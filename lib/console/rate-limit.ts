import { signal } from "@preact/signals";
import { maxRetryAfter } from "../client/retries.ts";

/** Epoch milliseconds at which requests that the service refused lately are repeated; null before the first one. */
export const rateLimitedUntil = signal<number | null>(null);

/** Sends a request, and notes when the client will repeat it if the service has received too many. */
export const fetchNotingRateLimit: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const milliseconds = Number(response.headers.get("retry-after")) * 1_000;
  if (response.status === 429 && milliseconds > 0 && milliseconds <= maxRetryAfter)
    rateLimitedUntil.value = Math.max(rateLimitedUntil.peek() ?? 0, Date.now() + milliseconds);
  return response;
};

import { signal } from "@preact/signals";
import { maxRetryAfter } from "../client/retries.ts";
import { hash } from "./route.ts";

/** Epoch milliseconds at which requests that the service refused lately are repeated; null before the first one. */
export const rateLimitedUntil = signal<number | null>(null);

/** Warnings of replies to the displayed page, such as a total that lacks items, by the address of the request. */
export const warnings = signal<ReadonlyMap<string, readonly string[]>>(new Map());
hash.subscribe(() => (warnings.value = new Map()));

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Returns the texts of a header `X-Warnings`: strings of RFC 8941, with other characters than printable ASCII percent-encoded. */
const warningsIn = (header: string): readonly string[] =>
  Array.from(header.matchAll(/"((?:[^"\\]|\\.)*)"/gu), ([, text = ""]) =>
    text.replaceAll(/\\(.)/gu, "$1").replaceAll(/(?:%[\dA-F]{2})+/gu, decoded),
  );

/** Sends a request. Notes its warnings, and when the client will repeat it if the service has received too many. */
export const fetchWithNotices: typeof fetch = async (input, init) => {
  const page = hash.peek();
  const response = await fetch(input, init);
  const milliseconds = Number(response.headers.get("retry-after")) * 1_000;
  if (response.status === 429 && milliseconds > 0 && milliseconds <= maxRetryAfter)
    rateLimitedUntil.value = Math.max(rateLimitedUntil.peek() ?? 0, Date.now() + milliseconds);
  const texts = warningsIn(response.headers.get("x-warnings") ?? "");
  // Not those of a page that has been left meanwhile: nothing would remove them.
  if (hash.peek() === page && (texts.length > 0 || warnings.peek().has(response.url)))
    warnings.value = new Map(warnings.peek()).set(response.url, texts);
  return response;
};

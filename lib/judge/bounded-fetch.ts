/** Far more than any verdict; a provider that sends more is not read to its end. */
const maxBytes = 1024 * 1024;

/** Statuses that the fetch standard gives no body. */
const bodiless = new Set([101, 204, 205, 304]);

const readAtMost = async (response: Response, limit: number): Promise<string> => {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.byteLength;
    if (bytes >= limit) break;
  }
  return text;
};

/**
 * `fetch` that reads the whole body, up to 1 MiB, before it resolves: the caller's abort signal then bounds a slow drip
 * of bytes as well, and an endless body costs no memory. Redirects are handed back, never followed: they would carry the
 * key to another host.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const body = await readAtMost(response, maxBytes);
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  const { status, statusText } = response;
  return new Response(bodiless.has(status) ? null : body, { status, statusText, headers });
};

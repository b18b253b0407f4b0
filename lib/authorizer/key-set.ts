import type { Jwk } from "aws-jwt-verify/jwk";
import * as v from "valibot";
import { faultFields } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";

/** Public keys of a token issuer (JWKS). */
export interface KeySet {
  /** Returns the key with an id; `unknown` if the issuer has no such key, `unavailable` if its keys could not be fetched. */
  find(kid: string): Promise<Jwk | "unknown" | "unavailable">;
}

/** Age at which keys are fetched again. A key withdrawn by the issuer is refused within this time while the issuer answers. */
const freshMilliseconds = 600_000;

/** Maximum age of keys used while the issuer does not answer. */
const staleMilliseconds = 86_400_000;

/** Minimum time between two requests to the issuer, so that tokens with invented key ids do not cause requests. */
const pauseMilliseconds = 60_000;

/** Minimum time between two requests to the issuer while no keys are available and every caller is refused. */
const coldPauseMilliseconds = 1_000;

const fetchMilliseconds = 3_000;
const maxBytes = 262_144;

/** Schema of a public signature key. Encryption keys, symmetric keys and keys without an id are ignored. */
const signatureKey = v.looseObject({
  kty: v.picklist(["RSA", "EC"]),
  kid: v.pipe(v.string(), v.minLength(1)),
  use: v.exactOptional(v.literal("sig")),
  alg: v.exactOptional(v.string()),
  n: v.exactOptional(v.string()),
  e: v.exactOptional(v.string()),
  crv: v.exactOptional(v.string()),
  x: v.exactOptional(v.string()),
  y: v.exactOptional(v.string()),
});

const document = v.object({ keys: v.array(v.unknown()) });

const download = async (uri: string): Promise<string> => {
  const reply = await fetch(uri, {
    redirect: "error",
    signal: AbortSignal.timeout(fetchMilliseconds),
    headers: { accept: "application/json" },
  });
  if (reply.status !== 200 || reply.body === null) {
    await reply.body?.cancel();
    throw new Error(`The key set answered ${reply.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error("The key set is too large.");
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
};

const fetchKeys = async (uri: string): Promise<ReadonlyMap<string, Jwk>> => {
  const { keys } = v.parse(document, JSON.parse(await download(uri)));
  const keysById = new Map<string, Jwk>();
  for (const entry of keys) {
    const key = v.safeParse(signatureKey, entry);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other members come from parsed JSON.
    if (key.success && !keysById.has(key.output.kid)) keysById.set(key.output.kid, key.output as Jwk);
  }
  return keysById;
};

/**
 * Returns the key set at a URL. Keys are fetched every 10 minutes and used for up to 24 hours while the issuer does not
 * answer. Requests time out after 3 s and are sent at most once a minute, or once a second while no keys are available.
 */
export const keySet = (uri: string, now: () => number = Date.now): KeySet => {
  let keySnapshot: { readonly keys: ReadonlyMap<string, Jwk>; readonly at: number } | null = null;
  let attempt = { at: -Infinity, failed: false };
  let fetching: Promise<void> | null = null;

  const refresh = async (): Promise<void> => {
    attempt = { at: now(), failed: false };
    try {
      keySnapshot = { keys: await fetchKeys(uri), at: attempt.at };
    } catch (error) {
      attempt = { ...attempt, failed: true };
      publishMetrics("key_set_unavailable", { KeySetUnavailable: 1 }, faultFields(error));
    } finally {
      fetching = null;
    }
  };

  const usableKeys = () => (keySnapshot !== null && now() - keySnapshot.at < staleMilliseconds ? keySnapshot : null);

  return {
    find: async (kid) => {
      const snapshot = usableKeys();
      const pause = snapshot === null ? coldPauseMilliseconds : pauseMilliseconds;
      const isDue = snapshot === null || now() - snapshot.at >= freshMilliseconds || !snapshot.keys.has(kid);
      if (isDue && (fetching !== null || now() - attempt.at >= pause)) {
        fetching ??= refresh();
        await fetching;
      }
      const key = usableKeys()?.keys.get(kid);
      return key ?? (usableKeys() === null || attempt.failed ? "unavailable" : "unknown");
    },
  };
};

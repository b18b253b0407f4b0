import type { Jwk } from "aws-jwt-verify/jwk";
import * as v from "valibot";
import { faultFields } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";

/** An issuer's public keys. */
export interface KeySet {
  /** The key of that id; `unknown` when the issuer has none, `unavailable` when the issuer could not be asked. */
  find(kid: string): Promise<Jwk | "unknown" | "unavailable">;
}

/** Older keys are fetched anew: a key that the issuer withdrew is refused within this time while the issuer answers. */
const freshMilliseconds = 600_000;

/** Without an answer from the issuer the keys go on to be used for this long. */
const staleMilliseconds = 86_400_000;

/** Between two requests to the issuer: tokens with invented key ids cannot make us knock at its door. */
const pauseMilliseconds = 60_000;

/** The same while there are no keys at all, when every caller is refused. */
const coldPauseMilliseconds = 1_000;

const fetchMilliseconds = 3_000;
const maxBytes = 262_144;

/** Encryption keys, symmetric keys and keys without an id are passed over. */
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
  const found = new Map<string, Jwk>();
  for (const given of keys) {
    const key = v.safeParse(signatureKey, given);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what else a key holds came out of JSON.
    if (key.success && !found.has(key.output.kid)) found.set(key.output.kid, key.output as Jwk);
  }
  return found;
};

/**
 * The key set at an address, the only one that is ever asked: at most once a minute
 * (once a second until it has answered), and for 3 seconds. Keys are fresh for 10 minutes and, when the issuer does
 * not answer, used for 24 hours.
 */
export const keySet = (uri: string, now: () => number = Date.now): KeySet => {
  let held: { readonly keys: ReadonlyMap<string, Jwk>; readonly at: number } | null = null;
  let attempt = { at: -Infinity, failed: false };
  let fetching: Promise<void> | null = null;

  const refresh = async (): Promise<void> => {
    attempt = { at: now(), failed: false };
    try {
      held = { keys: await fetchKeys(uri), at: attempt.at };
    } catch (error) {
      attempt = { ...attempt, failed: true };
      publishMetrics("key_set_unavailable", { KeySetUnavailable: 1 }, faultFields(error));
    } finally {
      fetching = null;
    }
  };

  const usable = () => (held !== null && now() - held.at < staleMilliseconds ? held : null);

  return {
    find: async (kid) => {
      const before = usable();
      const pause = before === null ? coldPauseMilliseconds : pauseMilliseconds;
      const due = before === null || now() - before.at >= freshMilliseconds || !before.keys.has(kid);
      if (due && (fetching !== null || now() - attempt.at >= pause)) {
        fetching ??= refresh();
        await fetching;
      }
      const key = usable()?.keys.get(kid);
      return key ?? (usable() === null || attempt.failed ? "unavailable" : "unknown");
    },
  };
};

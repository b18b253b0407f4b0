import { Refusal } from "./refusal.ts";

/** Detects a retried create request: the object stores the hash of the body of the request that created it. */
export interface IdempotencyCheck {
  /**
   * Hash of the request's body, to be stored with the created object. Null without an idempotency key, and if the
   * object's id is derived from the body.
   */
  readonly bodyHash: string | null;
  /**
   * Called when the object to create exists already; returns if an earlier attempt of this request created it.
   *
   * @param bodyHash hash stored with the existing object; null if it has none.
   * @throws Refusal `invalid` if a request with another body created the object.
   */
  readonly checkReplay: (bodyHash: string | null) => void;
}

/** Check for requests without an idempotency key: stores no hash and accepts every existing object. */
export const noIdempotency: IdempotencyCheck = { bodyHash: null, checkReplay: () => undefined };

/**
 * Returns the attribute `bh` to store with a created object, the hash of the request's body; an empty object if there
 * is no hash.
 */
export const bodyHashAttribute = ({ bodyHash }: IdempotencyCheck): { readonly bh?: string } =>
  bodyHash === null ? {} : { bh: bodyHash };

/** Returns the refusal of an idempotency key that was used before with another body. */
export const bodyMismatch = (): Refusal =>
  new Refusal({
    kind: "invalid",
    violations: [
      {
        loc: ["header", "Idempotency-Key"],
        msg: "This key was already used with another body. Use a new key for a different request.",
        type: "idempotency_error",
      },
    ],
    code: "idempotency_error",
  });

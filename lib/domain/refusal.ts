import type { ErrorCode } from "./error-codes.ts";
import type { ViolationType } from "./violation-types.ts";

/** An error in one field of a request. `loc` starts with `body`, `query`, `path` or `header`. */
export interface Violation {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: ViolationType;
  readonly input?: string | number | boolean | null;
}

/** Maximum number of violations in a response; further ones are not collected. */
export const maxViolations = 100;

/**
 * Reason of a refused request, independent of HTTP. `code` is set if the error code of the kind is not specific
 * enough.
 */
export type RefusalReason = { readonly code?: ErrorCode } & (
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] }
  | { readonly kind: "unauthenticated"; readonly detail: string }
  | { readonly kind: "forbidden"; readonly detail: string }
  | { readonly kind: "not-found"; readonly detail: string }
  | { readonly kind: "conflict"; readonly detail: string }
  | { readonly kind: "too-large"; readonly detail: string }
  | { readonly kind: "unsupported-media-type"; readonly detail: string }
  /** `retryAfter` is the number of whole seconds to wait, at least 1; null if it depends on how busy the service is. */
  | { readonly kind: "rate-limited"; readonly detail: string; readonly retryAfter: number | null }
  | { readonly kind: "unavailable"; readonly detail: string }
);

/** Error that ends a request with a reason that the client can act on. */
export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(reason.kind);
    this.name = "Refusal";
    this.reason = reason;
  }
}

/** Creates the refusal of a single request field. */
export const invalid = (loc: Violation["loc"], msg: string, type: ViolationType = "value_error"): Refusal =>
  new Refusal({ kind: "invalid", violations: [{ loc, msg, type }] });

export const unauthenticated = (detail: string): Refusal => new Refusal({ kind: "unauthenticated", detail });

export const notFound = (detail: string): Refusal => new Refusal({ kind: "not-found", detail });

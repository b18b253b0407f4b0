import type { ErrorCode } from "./error-codes.ts";
import type { ViolationType } from "./violation-types.ts";

/** One thing that is wrong with a request. `loc` starts with `body`, `query`, `path` or `header`. */
export interface Violation {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: ViolationType;
  readonly input?: string | number | boolean | null;
}

/** Violations that a reply lists; no more are looked for. */
export const mostViolations = 100;

/** Why a request is refused, in the service's own words; with a `code` where that of its kind says too little. */
export type Reason = { readonly code?: ErrorCode } & (
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] }
  | { readonly kind: "unauthenticated"; readonly detail: string }
  | { readonly kind: "forbidden"; readonly detail: string }
  | { readonly kind: "not-found"; readonly detail: string }
  | { readonly kind: "conflict"; readonly detail: string }
  | { readonly kind: "too-large"; readonly detail: string }
  | { readonly kind: "unsupported-media-type"; readonly detail: string }
  /** `retryAfter` in whole seconds, 1 at least. */
  | { readonly kind: "rate-limited"; readonly detail: string; readonly retryAfter: number }
  | { readonly kind: "unavailable"; readonly detail: string }
);

/** Thrown to end a request with a reason its sender can act on. */
export class Refusal extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.kind);
    this.name = "Refusal";
    this.reason = reason;
  }
}

/** A refusal of one field of the request. */
export const invalid = (loc: Violation["loc"], msg: string, type: ViolationType = "value_error"): Refusal =>
  new Refusal({ kind: "invalid", violations: [{ loc, msg, type }] });

export const unauthenticated = (detail: string): Refusal => new Refusal({ kind: "unauthenticated", detail });

export const notFound = (detail: string): Refusal => new Refusal({ kind: "not-found", detail });

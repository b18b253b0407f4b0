import { invalid, Refusal } from "../domain/refusal.ts";
import { isOutage, isPastDeadline } from "../dynamo/failure.ts";

const tookTooLong =
  "The request took too long and was stopped. A change may have been stored all the same: send it again unchanged, with the same ids or Idempotency-Key.";

const parserStatus = (error: unknown): number | null => {
  if (!(error instanceof Error) || !("statusCode" in error) || typeof error.statusCode !== "number") return null;
  const cause = error.cause;
  const isPackageError = typeof cause === "object" && cause !== null && "package" in cause;
  return isPackageError && cause.package === "@middy/http-json-body-parser" ? error.statusCode : null;
};

/**
 * Returns the refusal that answers an error: a thrown refusal, an error of the body parser, a database outage or the request's
 * deadline (503); null for an internal fault, which is answered with 500.
 *
 * @param offset computes the position where the body stops being JSON; called only for malformed JSON.
 * @param bodyTypes content types that the body may have.
 */
export const refusalOf = (error: unknown, offset: () => number, bodyTypes = ["application/json"]): Refusal | null => {
  if (error instanceof Refusal) return error;
  const status = parserStatus(error);
  if (status === 415) {
    const types = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(bodyTypes);
    const detail = `The body must be of the type ${types}.`;
    return new Refusal({ kind: "unsupported-media-type", detail });
  }
  if (status === 422) return invalid(["body", offset()], "JSON decode error", "json_invalid");
  if (isOutage(error)) {
    return new Refusal({ kind: "unavailable", detail: "The service is busy. Try again in a moment." });
  }
  if (isPastDeadline(error)) return new Refusal({ kind: "unavailable", detail: tookTooLong });
  return null;
};

import { invalid, Refusal } from "../domain/refusal.ts";
import { isOutage } from "../store/failure.ts";

const parserStatus = (error: unknown): number | null => {
  if (!(error instanceof Error) || !("statusCode" in error) || typeof error.statusCode !== "number") return null;
  const cause = error.cause;
  const ours = typeof cause === "object" && cause !== null && "package" in cause;
  return ours && cause.package === "@middy/http-json-body-parser" ? error.statusCode : null;
};

/**
 * The refusal that answers an error: our own, the body parser's, or an outage of the database; null for a fault of
 * ours, which is a 500.
 *
 * @param offset where the body stops being JSON; asked only when it does.
 */
export const refusalOf = (error: unknown, offset: () => number): Refusal | null => {
  if (error instanceof Refusal) return error;
  const status = parserStatus(error);
  if (status === 415) {
    return new Refusal({ kind: "unsupported-media-type", detail: "The body must be of the type application/json." });
  }
  if (status === 422) return invalid(["body", offset()], "JSON decode error", "json_invalid");
  if (isOutage(error)) {
    return new Refusal({ kind: "unavailable", detail: "The service is busy. Try again in a moment." });
  }
  return null;
};

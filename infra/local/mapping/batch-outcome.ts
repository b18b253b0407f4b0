/** Items of a batch that a function failed to handle: none, all, or the identifiers of some. */
export type BatchOutcome = "none" | "all" | ReadonlySet<string>;

/**
 * Reads a function's partial batch response (`batchItemFailures`) as Lambda documents it.
 *
 * A null reply, an empty object and an empty or null list mean complete success. A missing, null, empty, misnamed or unknown
 * identifier means complete failure.
 *
 * @param payload the function's reply as JSON text
 * @param identifiers identifiers of the items in the batch
 */
export const batchOutcome = (payload: string, identifiers: ReadonlySet<string>): BatchOutcome => {
  const reply = JSON.parse(payload) as { readonly batchItemFailures?: unknown } | null;
  const failures = reply?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return "all";
  if (failures.length === 0) return "none";
  const failed = new Set<string>();
  for (const failure of failures as ({ readonly itemIdentifier?: unknown } | null)[]) {
    const identifier = failure?.itemIdentifier;
    if (typeof identifier !== "string" || !identifiers.has(identifier)) return "all";
    failed.add(identifier);
  }
  return failed;
};

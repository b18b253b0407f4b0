/** Name of the counter of rejected items in the reply to an export; it depends on the exported signal. */
export type RejectionCounter = "rejectedSpans" | "rejectedLogRecords" | "rejectedDataPoints";

/** Reply to an OTLP export; the same for all signals except for the name of the counter. */
type ExportReply<Name extends RejectionCounter> = {
  readonly partialSuccess?: { readonly [Key in Name]: string } & { readonly errorMessage: string };
};

/**
 * Builds the reply to an export.
 *
 * @param reasons one reason for each rejected item; the reply contains each distinct reason once.
 * @param warnings messages about accepted items.
 */
export const partialSuccess = <const Name extends RejectionCounter>(
  counter: Name,
  reasons: readonly string[],
  warnings: readonly string[] = [],
): ExportReply<Name> => {
  if (reasons.length + warnings.length === 0) return {};
  const errorMessage = [...new Set([...reasons, ...warnings])].join(" ");
  const partial = { [counter]: String(reasons.length), errorMessage };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler does not follow a computed key.
  return { partialSuccess: partial as ExportReply<Name>["partialSuccess"] & object };
};

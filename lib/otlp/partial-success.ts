/** What the reply to an export counts, by what was exported. */
export type Rejected = "rejectedSpans" | "rejectedLogRecords" | "rejectedDataPoints";

/** The reply to an export: the same message for all that OTLP exports, but for the name of what it counts. */
type Response<Name extends Rejected> = {
  readonly partialSuccess?: { readonly [Key in Name]: string } & { readonly errorMessage: string };
};

/** The reply to an export, given a reason for each thing that was not taken: each reason is given once. */
export const partialSuccess = <const Name extends Rejected>(
  rejected: Name,
  reasons: readonly string[],
): Response<Name> => {
  if (reasons.length === 0) return {};
  const told = { [rejected]: String(reasons.length), errorMessage: [...new Set(reasons)].join(" ") };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler does not follow a computed key.
  return { partialSuccess: told as Response<Name>["partialSuccess"] & object };
};

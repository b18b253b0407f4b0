import { mutantsOf, type Mutant } from "./mutant.ts";

const segments = "lib/store/sessions/segments.ts";

/** Mutants of the stored partial sums of large sessions. */
export const sessions: readonly Mutant[] = [
  ...mutantsOf(segments, "sessions", {
    "the minimum age of a segment before its sum is stored: a lagging index is believed": [
      "const settleMilliseconds = 90_000",
      "const settleMilliseconds = 0",
    ],
    "the revision condition on a session's head: two readers create overlapping segments": [
      '"rev = :rev"',
      '"rev = :rev OR rev <> :rev"',
    ],
    "checking that a segment still exists when its sum is stored": [
      '"#at = :at"',
      '"#at = :at OR attribute_not_exists(pk)"',
    ],
    "the end of a session's segments: changes after the first segments are ignored": [
      "toSorted().at(-1)",
      "toSorted().at(0)",
    ],
    "the expiry of a stored sum with its first expiring trace": ["until * 1000 <= at ? null", "until <= 0 ? null"],
  }),
  {
    without: "updating the session that a trace was moved out of",
    file: "lib/stream/session-changes.ts",
    changes: [["[dynamodb?.OldImage, dynamodb?.NewImage]", "[dynamodb?.NewImage]"]],
    caughtBy: "sessions",
  },
];

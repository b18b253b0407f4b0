import type { Mutant } from "./mutant.ts";

const segments = "lib/store/sessions/segments.ts";

/** Mutants of the stored partial sums of large sessions. */
export const sessions: readonly Mutant[] = [
  {
    without: "the minimum age of a segment before its sum is stored: a lagging index is believed",
    file: segments,
    changes: [["const settleMilliseconds = 90_000", "const settleMilliseconds = 0"]],
    caughtBy: "sessions",
  },
  {
    without: "the revision condition on a session's head: two readers create overlapping segments",
    file: segments,
    changes: [['"rev = :rev"', '"rev = :rev OR rev <> :rev"']],
    caughtBy: "sessions",
  },
  {
    without: "checking that a segment still exists when its sum is stored",
    file: segments,
    changes: [['"#at = :at"', '"#at = :at OR attribute_not_exists(pk)"']],
    caughtBy: "sessions",
  },
  {
    without: "the end of a session's segments: changes after the first segments are ignored",
    file: segments,
    changes: [["toSorted().at(-1)", "toSorted().at(0)"]],
    caughtBy: "sessions",
  },
  {
    without: "the expiry of a stored sum with its first expiring trace",
    file: segments,
    changes: [["until * 1000 <= at ? null", "until <= 0 ? null"]],
    caughtBy: "sessions",
  },
  {
    without: "updating the session that a trace was moved out of",
    file: "lib/stream/session-changes.ts",
    changes: [["[dynamodb?.OldImage, dynamodb?.NewImage]", "[dynamodb?.NewImage]"]],
    caughtBy: "sessions",
  },
];

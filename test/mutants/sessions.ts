import type { Mutant } from "./mutant.ts";

const segments = "lib/store/sessions/segments.ts";

/** The sums that are kept of large sessions: that no change is missed. */
export const sessions: readonly Mutant[] = [
  {
    without: "the time that a segment is there before a sum is kept of it: an index that lags is believed",
    file: segments,
    changes: [["const settleMilliseconds = 90_000", "const settleMilliseconds = 0"]],
    caughtBy: "sessions",
  },
  {
    without: "the revision of a session's head: two readers make segments that overlap",
    file: segments,
    changes: [['ConditionExpression: "rev = :rev"', 'ConditionExpression: "rev = :rev OR rev <> :rev"']],
    caughtBy: "sessions",
  },
  {
    without: "whether a segment is still there when its sum is kept",
    file: segments,
    changes: [['"#at = :at"', '"#at = :at OR attribute_not_exists(pk)"']],
    caughtBy: "sessions",
  },
  {
    without: "how far the segments of a session go: changes behind the first ones are passed over",
    file: segments,
    changes: [["toSorted().at(-1)", "toSorted().at(0)"]],
    caughtBy: "sessions",
  },
  {
    without: "when the first trace of a kept sum expires",
    file: segments,
    changes: [["until * 1000 <= at ? null", "until <= 0 ? null"]],
    caughtBy: "sessions",
  },
  {
    without: "the session that a trace has left",
    file: "lib/stream/session-changes.ts",
    changes: [["[dynamodb?.OldImage, dynamodb?.NewImage]", "[dynamodb?.NewImage]"]],
    caughtBy: "sessions",
  },
];

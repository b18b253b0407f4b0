import { mutantsOf, type Mutant } from "./mutant.ts";

/** Mutants of fair-share turns, which divide judge workers between projects. */
export const turns: readonly Mutant[] = [
  ...mutantsOf("lib/evaluation/slices/fair-share-turns.ts", ["test/store/runs/turns.test.ts"], {
    "the end of a turn": ["if (!isOver && now() >= nextCheckAt) {", "if (!isOver && now() < 0) {"],
    "choosing the slice of the project that has waited longest": [
      "const message = await chooseSlice(received);",
      "const message = received;",
    ],
    "working for other runs first while a model does not answer": [
      "const isLast = await isAway(received);",
      "const isLast = false;",
    ],
  }),
  ...mutantsOf("lib/evaluation/slices/evaluate-slice.ts", ["test/store/runs/borrowed-slices.test.ts"], {
    "retrying the message of a borrowed slice": [
      'return claim.borrowed ? { kind: "later", at: claim.until + 1000 } : handledElsewhere;',
      "return handledElsewhere;",
    ],
    "excluding a turn that ended early from a slice's failed attempts": [
      "const hasYielded = turn.isOver() &&",
      "const hasYielded = now() < 0 &&",
    ],
  }),
  {
    without: "processing one large document at a time",
    file: "lib/store/traces/large-documents.ts",
    changes: [["export const withLargeDocument = semaphore(1);", "export const withLargeDocument = semaphore(20);"]],
    caughtBy: ["test/store/slow/runs/large-targets.test.ts"],
  },
  {
    without: "the deadline of a merge that waits for its turn among large documents",
    file: "lib/store/garbage/document-merging.ts",
    changes: [["(now() < until ? await merge() : null)", "(until > 0 ? await merge() : null)"]],
    caughtBy: ["test/store/traces/merge-documents.test.ts"],
  },
  {
    without: "isolating the failure of one item from the others",
    file: "lib/async/in-turns.ts",
    changes: [["if (failures.length < maxReportedFailures) failures.push(error);", "throw error;"]],
    caughtBy: ["test/unit/async/in-turns.test.ts"],
  },
];

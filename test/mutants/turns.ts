import type { Mutant } from "./mutant.ts";

/** Mutants of fair-share turns, which divide judge workers between projects. */
export const turns: readonly Mutant[] = [
  {
    without: "the end of a turn",
    file: "lib/evaluation/slices/fair-share-turns.ts",
    changes: [["if (!isOver && now() >= nextCheckAt) {", "if (!isOver && now() < 0) {"]],
    caughtBy: ["test/store/runs/turns.test.ts"],
  },
  {
    without: "choosing the slice of the project that has waited longest",
    file: "lib/evaluation/slices/fair-share-turns.ts",
    changes: [["const message = await chooseSlice(received);", "const message = received;"]],
    caughtBy: ["test/store/runs/turns.test.ts"],
  },
  {
    without: "working for other runs first while a model does not answer",
    file: "lib/evaluation/slices/fair-share-turns.ts",
    changes: [["const isLast = await isAway(received);", "const isLast = false;"]],
    caughtBy: ["test/store/runs/turns.test.ts"],
  },
  {
    without: "retrying the message of a borrowed slice",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [
      [
        'return claim.borrowed ? { kind: "later", at: claim.until + 1000 } : handledElsewhere;',
        "return handledElsewhere;",
      ],
    ],
    caughtBy: ["test/store/runs/borrowed-slices.test.ts"],
  },
  {
    without: "excluding a turn that ended early from a slice's failed attempts",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [["const hasYielded = turn.isOver() &&", "const hasYielded = now() < 0 &&"]],
    caughtBy: ["test/store/runs/borrowed-slices.test.ts"],
  },
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

import type { Mutant } from "./mutant.ts";

/** Turns: that nobody is kept waiting by a neighbour, and that nothing is forgotten over it. */
export const turns: readonly Mutant[] = [
  {
    without: "the end of a turn",
    file: "lib/evaluation/slices/turns.ts",
    changes: [["if (!over && now() >= lookAt) {", "if (!over && now() < 0) {"]],
    caughtBy: ["test/store/runs/turns.test.ts"],
  },
  {
    without: "the choice of who has waited longest",
    file: "lib/evaluation/slices/turns.ts",
    changes: [["const message = await choose(sent);", "const message = sent;"]],
    caughtBy: ["test/store/runs/turns.test.ts"],
  },
  {
    without: "the message of a slice that is borrowed",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [['return claim.borrowed ? { kind: "later", at: claim.until + 1000 } : duplicate;', "return duplicate;"]],
    caughtBy: ["test/store/runs/borrowed-slices.test.ts"],
  },
  {
    without: "what spares a turn that ended early: it counts as an attempt in vain",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [["const spared = turn.isOver() &&", "const spared = now() < 0 &&"]],
    caughtBy: ["test/store/runs/borrowed-slices.test.ts"],
  },
  {
    without: "one large document at a time",
    file: "lib/store/traces/large-documents.ts",
    changes: [["export const withLarge = semaphore(1);", "export const withLarge = semaphore(20);"]],
    caughtBy: ["test/store/runs/large-targets.test.ts"],
  },
  {
    without: "each item's failure for itself",
    file: "lib/async/in-turns.ts",
    changes: [["if (failures.length < failuresKept) failures.push(error);", "throw error;"]],
    caughtBy: ["test/unit/async/in-turns.test.ts"],
  },
];

import type { Mutant } from "./mutant.ts";

/** Deletions of projects and of runs. */
export const deletions: readonly Mutant[] = [
  {
    without: "the wait of a deleted project's books for workers that still tell what they have spent",
    file: "lib/store/runs/erase.ts",
    changes: [["const functionMilliseconds = 16 * 60_000;", "const functionMilliseconds = 0;"]],
    caughtBy: "books",
  },
  {
    without: "the end of a deleted project's judging before its books are closed",
    file: "lib/store/runs/erase.ts",
    changes: [["await spend.releaseRun(projectId, id, () => deletion.costs(stored));", ""]],
    caughtBy: "books",
  },
  {
    without: "what a dead worker has committed in what its run gives back",
    file: "lib/store/spend/spend.ts",
    changes: [
      ["Math.max(spent, microsUp(known.get(slice) ?? 0))", "Math.max(spent, microsUp(0 * (known.get(slice) ?? 0)))"],
    ],
    caughtBy: "books",
  },
  {
    without: "the sum of closed books in a month's shard",
    file: "lib/store/spend/close.ts",
    changes: [['":amount": amount,', '":amount": 0 * amount,']],
    caughtBy: "books",
  },
  {
    without: "the stillness of a shard whose books are added up",
    file: "lib/upkeep/check-books.ts",
    changes: [
      ["shard.movedAt + quietMilliseconds < begunAt", "(shard.movedAt + quietMilliseconds < begunAt || begunAt > 0)"],
    ],
    caughtBy: ["test/store/spend/check-books.test.ts"],
  },
  {
    without: "the order of deletions by their last turn",
    file: "lib/deletion/erase-deleted.ts",
    changes: [["(a.workedAt ?? 0) - (b.workedAt ?? 0)", "a.id.localeCompare(b.id)"]],
    caughtBy: ["test/store/access/deletion-turns.test.ts"],
  },
  {
    without: "the place where a deletion's turn has ended",
    file: "lib/deletion/pass.ts",
    changes: [
      [
        "(([name], index) => index > 0 && name === passing?.at)",
        "(([name], index) => index < 0 && name === passing?.at)",
      ],
    ],
    caughtBy: ["test/store/access/deletion-turns.test.ts"],
  },
  {
    without: "forgetting the days of a deleted project that have no traces",
    file: "lib/store/remains/erase.ts",
    changes: [["if (writersGone && empty.length > 0)", "if (writersGone && empty.length < 0)"]],
    caughtBy: ["test/store/access/deletion-turns.test.ts"],
  },
  {
    without: "the deadline in the removal of a deleted run's scores",
    file: "lib/store/scores/removal.ts",
    changes: [["if (now() >= until) break;", "if (now() < 0 && until < 0) break;"]],
    caughtBy: ["test/store/runs/burial-turns.test.ts"],
  },
  {
    without: "the place where the removal of deleted runs has ended",
    file: "lib/evaluation/upkeep/sweep.ts",
    changes: [["deletion.list(await buriedTo.get())", "deletion.list((await buriedTo.get()) === null ? null : null)"]],
    caughtBy: ["test/store/runs/burial-turns.test.ts"],
  },
  {
    without: "what a segment of a scan has done when another fails",
    file: "lib/deletion/scan-storage.ts",
    changes: [["failures.push(error);", "throw error;"]],
    caughtBy: ["test/store/access/deletion-scan.test.ts"],
  },
];

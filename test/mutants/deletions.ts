import { mutantsOf, type Mutant } from "./mutant.ts";

/** Mutants of the deletion of projects and runs. */
export const deletions: readonly Mutant[] = [
  {
    without: "the wait before a deleted project's ledger is closed, in which workers may still report their spending",
    file: "lib/store/runs/erase.ts",
    changes: [["const functionMilliseconds = 16 * 60_000;", "const functionMilliseconds = 0;"]],
    caughtBy: ["test/store/runs/deletion.test.ts"],
  },
  {
    without: "the cost of judgements that a worker could not commit",
    file: "lib/evaluation/slices/slice-budget.ts",
    changes: [["spent > committed + roundingError ? spent : committed", "committed"]],
    caughtBy: ["test/store/spend"],
  },
  {
    without: "adding the amount of closed ledger entries to a month's shard",
    file: "lib/store/spend/close-ledger.ts",
    changes: [['":amount": amount,', '":amount": 0 * amount,']],
    caughtBy: "books",
  },
  {
    without: "the quiet period before a shard is compared with its ledger entries",
    file: "lib/maintenance/check-ledger.ts",
    changes: [
      [
        "shard.changedAt + quietMilliseconds < begunAt",
        "(shard.changedAt + quietMilliseconds < begunAt || begunAt > 0)",
      ],
    ],
    caughtBy: ["test/store/spend/check-ledger.test.ts"],
  },
  {
    without: "refusing a new trace with the id of an erased one",
    file: "lib/store/traces/save.ts",
    changes: [['if (!mayRevive || state.rejects === "everything")', "if (!mayRevive)"]],
    caughtBy: ["test/api/traces/deleted-trace.test.ts"],
  },
  {
    without: "refusing a repeated request with an idempotency key whose trace was erased",
    file: "lib/store/traces/save.ts",
    changes: [['(await reader.rejection(project, id)) === "everything"', "id === project"]],
    caughtBy: ["test/api/traces/erased-sessions.test.ts"],
  },
  {
    without: "refusing an item of a dataset that names an erased trace",
    file: "lib/handlers/datasets/sent-items.ts",
    changes: [['(await traces.rejection(projectId, traceId)) === "everything"', "traceId === projectId"]],
    caughtBy: ["test/api/traces/erased-sessions.test.ts"],
  },
  {
    without: "erasing the days that wait for files with their project",
    file: "lib/deletion/erase-project.ts",
    changes: [["dueDays(database, now).erase(project)", "dueDays(database, now).erase(`${project}?`)"]],
    caughtBy: ["test/api/slow/access/deletion.test.ts"],
  },
  {
    without: "the mark of an erased trace once its pointer is a tombstone",
    file: "lib/store/traces/reader.ts",
    changes: [["isErased, storedRow: null }", "isErased: isErased && deletedUntil === undefined, storedRow: null }"]],
    caughtBy: ["test/api/traces/deleted-trace.test.ts"],
  },
  ...mutantsOf("lib/store/erasure/session-scores.ts", ["test/api/traces/erased-sessions.test.ts"], {
    "keeping what is scored about a shared session after an erased user's request": [
      "removeScoresOfSession(project, session, requestedAt)",
      "removeScoresOfSession(project, session, until)",
    ],
    "removing later scores that name an erased trace": [
      "(await erased.among(idsIn(score))).size > 0",
      "idsIn(score).length < 0",
    ],
  }),
  ...mutantsOf("lib/store/erasure/settings.ts", ["test/api/traces/erased-sessions.test.ts"], {
    "replacing sessions of an erased user among the targets of runs": [
      "if (list !== traceRuns) changed",
      "if (at > 1) changed",
    ],
    "replacing sessions of an erased user in filters": [" || sessions.has(each)", ""],
  }),
  ...mutantsOf("lib/domain/access/erased-filters.ts", ["test/api/traces/erased-sessions.test.ts"], {
    "replacing texts of traces in filters that name an erased user": [
      '["q", "first_error", "session_id"]',
      '["session_id"]',
    ],
    "looking for an erased user in the words of `q`": ['stringOrEmpty(filters["q"]).match', 'stringOrEmpty("").match'],
  }),
  {
    without: "hiding traces of others in an export, also of an erased user",
    file: "lib/handlers/traces/export-user.ts",
    changes: [["withTracesOnly(score, ownIds)", "ownIds.size < 0 ? withTracesOnly(score, ownIds) : score"]],
    caughtBy: ["test/api/traces/erased-sessions.test.ts"],
  },
  {
    without: "ordering deletions by the time of their last turn",
    file: "lib/deletion/erase-deleted.ts",
    changes: [["(a.workedAt ?? 0) - (b.workedAt ?? 0)", "a.id.localeCompare(b.id)"]],
    caughtBy: ["test/store/access/deletion-turns.test.ts"],
  },
  ...mutantsOf("lib/deletion/pass.ts", ["test/store/access/deletion-turns.test.ts"], {
    "the stored step at which a deletion's last pass ended": [
      "(([name], index) => index > 0 && name === unfinishedPass?.at)",
      "(([name], index) => index < 0 && name === unfinishedPass?.at)",
    ],
    "reporting removed items after each kind: a worker that dies takes the kinds before with it": [
      "      await reportAll();\n    }\n  } finally {",
      "    }\n  } finally {",
    ],
  }),
  {
    without: "deleting the list entries of days without traces of a deleted project",
    file: "lib/store/garbage/erase.ts",
    changes: [["if (haveWritersEnded && emptyDays.length > 0)", "if (haveWritersEnded && emptyDays.length < 0)"]],
    caughtBy: ["test/store/access/deletion-turns.test.ts"],
  },
  {
    without: "the deadline in the removal of a deleted run's scores",
    file: "lib/store/scores/removal.ts",
    changes: [["if (now() >= until) break;", "if (now() < 0 && until < 0) break;"]],
    caughtBy: ["test/store/runs/deletion-turns.test.ts"],
  },
  {
    without: "the stored cursor of the purge of deleted runs",
    file: "lib/evaluation/maintenance/sweep.ts",
    changes: [
      ["deletion.list(await purgeCursor.get())", "deletion.list((await purgeCursor.get()) === null ? null : null)"],
    ],
    caughtBy: ["test/store/runs/deletion-turns.test.ts"],
  },
  {
    without: "the check that a project exists before an empty newest score of it is stored",
    file: "lib/store/scores/newest.ts",
    changes: [
      ["if (isEmpty && existing === undefined && !", "if (isEmpty && existing === undefined && now() < 0 && !"],
    ],
    caughtBy: ["test/store/scores/newest.test.ts"],
  },
  {
    without: "the progress of other scan segments when one segment fails",
    file: "lib/deletion/scan-storage.ts",
    changes: [["failures.push(error);", "throw error;"]],
    caughtBy: ["test/store/access/deletion-scan.test.ts"],
  },
  {
    without: "counting strays before their removal: a scan that dies in between does not know of them",
    file: "lib/deletion/scan-storage.ts",
    changes: [
      ["      await deletions.countStrays(project, projectItems.length, begunAt);\n", ""],
      [
        "      strays += projectItems.length;",
        "      await deletions.countStrays(project, projectItems.length, begunAt);\n      strays += projectItems.length;",
      ],
    ],
    caughtBy: ["test/store/access/deletion-scan.test.ts"],
  },
  {
    without: "beginning the proof of a deletion again after a pass that removed items",
    file: "lib/domain/access/deletion.ts",
    changes: [["emptySince: hasFoundItems ? null : deletion.emptySince", "emptySince: deletion.emptySince"]],
    caughtBy: ["test/store/access/deletion-scan.test.ts"],
  },
  {
    without: "looking for a slice's project before the slice is judged",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [["return (await projectExists(project)) ? storedRun", "return project.length > 0 ? storedRun"]],
    caughtBy: ["test/store/runs/evaluate-slice.test.ts"],
  },
  {
    without: "looking for a slice's project while the slice is judged",
    file: "lib/evaluation/slices/lease-renewal.ts",
    changes: [['    repeatCheck(projectCheckMilliseconds, slices.hasProject, "project_not_seen"),\n', ""]],
    caughtBy: ["test/unit/evaluation/lease-renewal.test.ts"],
  },
  ...mutantsOf("lib/store/deletion/deletions.ts", ["test/store/access/deletion-entries.test.ts"], {
    "the condition that a receipt exists to which removed items are added": [
      '          when: "attribute_exists(pk)",\n          values: {\n            ":null"',
      '          values: {\n            ":null"',
    ],
    "the condition that a deletion exists which a worker leases": [
      "attribute_exists(pk) AND (attribute_not_exists(lease) OR lease <= :now)",
      "attribute_not_exists(lease) OR lease <= :now",
    ],
    "ending the unfinished pass of a deletion with its removed items": [
      "SET empty_since = :null, passing = :null, ",
      "SET empty_since = :null, ",
    ],
    "the lease in the release of a deletion": [
      'when: "lease = :lease",\n          values: {\n            ":since"',
      'when: "lease = :lease OR lease <> :lease",\n          values: {\n            ":since"',
    ],
    "the lease in the end of a deletion": [
      '          when: "lease = :lease",\n          values: {\n            ":lease"',
      '          values: {\n            ":lease"',
    ],
  }),
  ...mutantsOf("lib/store/deletion/deletions.ts", ["test/store/access/deletion-scan.test.ts"], {
    "ending the proof of a deletion with its removed items, before their worker can die": [
      "SET empty_since = :null, passing = :null, ",
      "SET passing = :null, ",
    ],
  }),
];

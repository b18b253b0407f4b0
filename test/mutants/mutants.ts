import { access } from "./access.ts";
import { bounds } from "./bounds.ts";
import { busyDays } from "./busy-days.ts";
import { consoleRules } from "./console.ts";
import { datasets } from "./datasets.ts";
import { expectations } from "./expectations.ts";
import { experiments } from "./experiments.ts";
import { imports } from "./imports.ts";
import { interfaces } from "./interface.ts";
import { deletions } from "./deletions.ts";
import { labels } from "./labels.ts";
import { lake } from "./lake.ts";
import { lateSpans } from "./late-spans.ts";
import { mutantsOf, type Mutant } from "./mutant.ts";
import { judgeReplies } from "./judge.ts";
import { alerts, decisions, deliveries, langsmith, statistics } from "./newest.ts";
import { operation } from "./operation.ts";
import { search } from "./search.ts";
import { sessions } from "./sessions.ts";
import { scores } from "./scores.ts";
import { slicesInWork } from "./slices.ts";
import { turns } from "./turns.ts";

const [settlement, settlementWrites] = ["lib/store/runs/settlement.ts", "lib/store/runs/settlement-writes.ts"];
const [writer, slices] = ["lib/store/traces/writer.ts", "lib/store/runs/slices.ts"];

/** Returns a DynamoDB condition on the same attribute and value that is always true. */
const always = (name: string, value: string): string => `(${name} = ${value} OR ${name} <> ${value})`;

/** Mutants of the run pipeline. */
const pipeline: readonly Mutant[] = [
  {
    without: "the conditions on epoch and commit number in a slice's commit",
    file: settlementWrites,
    changes: [
      [
        "epoch = :epoch AND #state = :open AND commits = :before",
        `${always("epoch", ":epoch")} AND #state = :open AND ${always("commits", ":before")}`,
      ],
    ],
    caughtBy: ["test/store/runs/settlement.test.ts", "test/store/runs/slices.test.ts"],
  },
  ...mutantsOf(settlementWrites, ["test/store/runs/settlement.test.ts"], {
    "the condition on `slices_left` when a finished slice updates its run": [
      "slices_left = :before AND",
      `${always("slices_left", ":before")} AND`,
    ],
    "the incarnation check of a judged trace (witness)": [
      '"i = :i AND attribute_exists(d)"',
      `"${always("i", ":i")} OR attribute_not_exists(d)"`,
    ],
  }),
  {
    without: "updating a run's counts in the transaction of its slice: the counts are written separately before",
    file: settlement,
    changes: [
      [
        "      const actions = [writes.slice(storedSlice, next),",
        "      if (end.length > 0) await failedConditions(items.transact(end));\n" +
          "      const actions = [writes.slice(storedSlice, next),",
      ],
      ["...scoreActions, ...end, ...heldActions, ...removals];", "...scoreActions, ...heldActions, ...removals];"],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "the derived id of a run's score: the id is random",
    file: "lib/domain/scores/automated-score.ts",
    changes: [
      [
        'derivedUuid("score", run, target, metric);',
        'derivedUuid("score", run, target, metric, String(Math.random()));',
      ],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "ending the slices' leases when their run is deleted",
    file: "lib/store/runs/deletion.ts",
    changes: [["if (isHidden) await voidSlices(storedRun);", ""]],
    caughtBy: ["test/store/runs/deletion.test.ts"],
  },
  {
    without: "waiting for an unavailable provider: a deferred judgement becomes a failure",
    file: "lib/evaluation/slices/target-work.ts",
    changes: [
      ["import { isSettled }", 'import { unscoredPair } from "./settled-pairs.ts";\nimport { isSettled }'],
      [
        "if (first !== undefined) {",
        "if (first !== undefined) work.settle(...deferred.map(({ pair }) => unscoredPair(pair, null)));\n  if (deferred.length > verdicts.length) {",
      ],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "skipping pairs that a slice's bits mark as settled: every pair is judged again",
    file: "lib/evaluation/slices/target-work.ts",
    changes: [["(pair) => !isSettled(slice.bits, pair)", "(pair) => pair >= 0 || !isSettled(slice.bits, pair)"]],
    caughtBy: "pipeline",
  },
  {
    without: "sending the slices of a dead worker again",
    file: "lib/evaluation/maintenance/send-due-slices.ts",
    changes: [
      ["due.slice(0, budget.takeSends(due.length))", "due.slice(0, Math.min(0, budget.takeSends(due.length)))"],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "the due time of a slice that waits for long: the slice is never checked again",
    file: "lib/evaluation/maintenance/due-slices.ts",
    changes: [["if (asleep) return since;", "if (asleep) return Infinity;"]],
    caughtBy: ["test/faults/slow/waits"],
  },
  {
    without: "giving up a message before SQS has delivered it a thousand times",
    file: "lib/evaluation/slice-worker.ts",
    changes: [["const lastReceive = 499;", "const lastReceive = Infinity;"]],
    caughtBy: ["test/faults/slow/waits"],
  },
  {
    without: "retrying a transaction that was cancelled because an item was throttled",
    file: "lib/dynamo/with-retries.ts",
    changes: [
      [
        "if (!isCancelledByThrottle(lastError)) throw lastError;",
        "if (throttles > 0 || !isCancelledByThrottle(lastError)) throw lastError;",
      ],
    ],
    caughtBy: ["test/unit/dynamo/attempts.test.ts"],
  },
  {
    without: "retrying the unprocessed items of a batch write",
    file: "lib/dynamo/batches.ts",
    changes: [["return pending.length === 0 || tryAgain;", "return pending.length >= 0 || tryAgain;"]],
    caughtBy: ["test/store/batches.test.ts"],
  },
  {
    without: "the attempt number in the commit of a run's creation",
    file: "lib/store/runs/creation.ts",
    changes: [
      ['"#status = :creating AND attempt = :attempt"', `"#status = :creating AND ${always("attempt", ":attempt")}"`],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "the tombstone of an interrupted run creation",
    file: "lib/store/runs/open.ts",
    changes: [["if (!isBlocked) return false;", ""]],
    caughtBy: ["test/store/runs/runs.test.ts"],
  },
  {
    without: "the deadline of a judge worker",
    file: "lib/evaluation/slices/judge-slice.ts",
    changes: [["    now() + startReserve < deadline;", "    (now() < 0 || startReserve < deadline);"]],
    caughtBy: ["test/store/runs/evaluate-slice.test.ts"],
  },
  {
    without: "the first verdicts of a cascade that earlier deliveries stored: they are paid again",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [["order.judge === undefined ? nothingHeld()", "order.judge === undefined || slices ? nothingHeld()"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the removal of first verdicts whose pairs are settled",
    file: "lib/store/runs/settlement.ts",
    changes: [["...heldActions, ...removals];", "...heldActions];"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  ...mutantsOf("lib/judge/spending/call-budget.ts", ["test/unit/judge/spending/call-budget.test.ts"], {
    "what is left for a repeated call where output costs nothing": ["  if (usd < 0) return -1;\n", ""],
    "the highest cost of a call that nobody waits for, as which it was told": [
      "isAbandoned ? maxCost",
      "isAbandoned && maxCost < 0 ? maxCost",
    ],
  }),
  ...mutantsOf("lib/judge/spending/prompt-size.ts", ["test/unit/judge/spending/prompt-size.test.ts"], {
    "a token per byte for a model that has reported nothing": [
      "worst === undefined ? null : margin * worst",
      "margin * (worst ?? 1)",
    ],
    "the worst ratio of reported to counted tokens of OpenAI's models": ["(worst ?? 1)", "1"],
  }),
  ...mutantsOf("lib/evaluation/slices/noted-calls.ts", ["test/unit/evaluation/recorded-budget.test.ts"], {
    "the note of calls before they begin: what a dead worker spent is told nowhere": [
      "roundDollars(uncommitted() + maxUsd) > noted",
      "noted < 0",
    ],
    "the wait until a call is noted": ["          await write;\n", "          break;\n"],
    "what is spent and not committed in the note of calls": [
      "begun + Math.max(0, spent - committed())",
      "begun + 0 * spent * committed()",
    ],
  }),
  {
    without: "the least growth of the note under a ceiling: a write for each call",
    file: "lib/evaluation/slices/delivery-budget.ts",
    changes: [["noted + granted / Math.max", "0 * noted * granted * Math.max"]],
    caughtBy: ["test/unit/evaluation/delivery-budget.test.ts"],
  },
  {
    without: "giving a reservation up before it is replaced: a failed request leaves money that is not reserved",
    file: "lib/evaluation/slices/delivery-budget.ts",
    changes: [["    granted = spent();\n", ""]],
    caughtBy: ["test/unit/evaluation/delivery-budget.test.ts"],
  },
  {
    without: "the calls of a dead worker without a ceiling",
    file: "lib/store/spend/ledger.ts",
    changes: [[" + (entry.calls ?? 0)", ""]],
    caughtBy: ["test/store/spend"],
  },
  {
    without: "the end of a lease: what its calls could have cost counts as spent",
    file: "lib/store/spend/spend.ts",
    changes: [["before === null || isAbandoned ? before", "before === null || isAbandoned || before ? before"]],
    caughtBy: ["test/store/spend"],
  },
  ...mutantsOf("lib/evaluation/slices/lease-renewal.ts", ["test/unit/evaluation"], {
    "the renewal of a lease": ['repeatCheck(leaseMilliseconds / 3, slices.renew, "lease_not_renewed"),', ""],
    "checking that the lease is still held while calls start": [
      'repeatCheck(leaseCheckMilliseconds, slices.hasLease, "lease_not_seen"),',
      "",
    ],
  }),
  {
    without: "waiting until another worker's lease has expired",
    file: slices,
    changes: [['"#state = :open AND #until <= :now"', `"#state = :open AND ${always("#until", ":now")}"`]],
    caughtBy: ["test/store/runs"],
  },
  {
    without:
      "reporting a failed delivery of a judge worker: the message is acknowledged before its results are written",
    file: "lib/evaluation/slice-worker.ts",
    changes: [
      [
        "message_id: record.messageId });\n        batchItemFailures.push({ itemIdentifier: record.messageId });",
        "message_id: record.messageId });",
      ],
    ],
    caughtBy: ["test/unit/evaluation"],
  },
];

/** Mutants of waits that refused clients are asked for. */
const waits: readonly Mutant[] = [
  {
    without: "the growing wait of clients that are refused for overload",
    file: "lib/http/reply.ts",
    changes: [["seconds ?? busyWait()", "seconds ?? (void busyWait(), 1)"]],
    caughtBy: ["test/unit/http"],
  },
  {
    without: "the growing wait of exporters whose traces could not be stored in time",
    file: "lib/handlers/traces/ingest.ts",
    changes: [["retryAfter: null", "retryAfter: 1"]],
    caughtBy: ["test/unit/http"],
  },
  ...mutantsOf("lib/http/busy-wait.ts", ["test/unit/http"], {
    "the doubling of the wait with each wave of refusals": [
      "Math.min(maxDoublings, doublings + 1)",
      "Math.min(maxDoublings, doublings)",
    ],
    "the one wave of requests that came together": ["at - grewAt >= wave", "at - grewAt >= 0 * wave"],
    "the end of long waits once nothing is refused": ["at - refusedAt > memory", "at - refusedAt > 1e6 * memory"],
    "the random part of the wait: all exporters return in the same second": [
      "Math.floor(random() *",
      "Math.floor(0 * random() *",
    ],
  }),
];

/** Mutants of budgets and reservations. */
const spend: readonly Mutant[] = [
  {
    without: "the reservation before a slice spends",
    file: "lib/store/spend/spend.ts",
    changes: [
      [
        "return retryUntilWritten(() => tryReserve(reservation));",
        'return { kind: "granted", usd: reservation.maxUsd };',
      ],
    ],
    caughtBy: ["test/faults/pipeline/spend.test.ts"],
  },
  {
    without: "what a dead worker had reserved and not settled",
    file: "lib/store/spend/spend.ts",
    changes: [
      [
        "entry !== null && entry.epoch < epoch ? forfeitReservations(entry, spent) : entry",
        "(void epoch, void spent, entry)",
      ],
    ],
    caughtBy: ["test/faults/pipeline/spend.test.ts", "test/store/spend"],
  },
  ...mutantsOf("lib/store/spend/ledger.ts", ["test/store/spend"], {
    "the calls of a dead worker under a ceiling": [
      "Math.min(unsettled, entry.begun ?? unsettled)",
      "Math.min(0, entry.begun ?? unsettled)",
    ],
    "the limit of a forfeit to the calls that were noted": [
      "Math.min(unsettled, entry.begun ?? unsettled)",
      "(void entry.begun, unsettled)",
    ],
    "the epoch of a note of calls: a worker that lost its lease notes more": [
      "epoch = :epoch AND begun IN",
      "(epoch = :epoch OR epoch > :epoch) AND begun IN",
    ],
    "the noted amount that a note of calls replaces": [
      "AND begun IN (:before, :begun)",
      "AND (begun IN (:before, :begun) OR attribute_not_exists(x))",
    ],
  }),
  ...mutantsOf("lib/store/spend/spend.ts", ["test/store/spend"], {
    "what is not committed in the note that a reservation writes": [
      "calls && microsUp(calls.uncommitted) + ",
      "calls && ",
    ],
    "the half of what is left near a ceiling, for other workers": ["? half : room", "? room : room"],
  }),
  {
    without: "the lost lease of a worker that can note no more calls",
    file: "lib/evaluation/slices/slice-budget.ts",
    changes: [
      [
        "if (!(await spend.noteCalls(delivery, usd, noted))) throw",
        "if (await spend.noteCalls(delivery, usd, noted).then(() => false)) throw",
      ],
    ],
    caughtBy: ["test/unit/evaluation/delivery-budget.test.ts"],
  },
  ...mutantsOf("lib/store/spend/ledger.ts", ["test/faults/pipeline/spend.test.ts", "test/store/spend"], {
    "the version condition on a slice's ledger entry": ['"version = :before"', `"${always("version", ":before")}"`],
    "the ceiling condition on the shards of a budget": [
      '"attribute_not_exists(used) OR used <= :most"',
      `"attribute_not_exists(used) OR ${always("used", ":most")}"`,
    ],
  }),
];

/** Mutants of trace storage. */
const traces: readonly Mutant[] = [
  {
    without: "the version condition on a row that is replaced",
    file: writer,
    changes: [['"v = :v AND i = :i"', `"${always("v", ":v")} AND i = :i"`]],
    caughtBy: "ingest",
  },
  {
    without: "the tombstone before a claimed trace id is taken over",
    file: writer,
    changes: [["if (!isReplaced) return false;", ""]],
    caughtBy: ["test/store/traces/traces.test.ts"],
  },
  {
    without: "the tombstone in the old place of a row that has moved",
    file: writer,
    changes: [
      [
        "{ put: oldPlaceTombstone, ...ifUnchanged }",
        "{ remove: { pk: oldPlaceTombstone.pk, sk: oldPlaceTombstone.sk }, ...ifUnchanged }",
      ],
    ],
    caughtBy: ["test/store/traces"],
  },
  {
    without: "the incarnation condition in the purge of a deleted trace",
    file: "lib/store/garbage/purge.ts",
    changes: [
      ['filter: "i = :i"', `filter: "${always("i", ":i")}"`],
      ['when: "i = :i"', `when: "${always("i", ":i")}"`],
    ],
    caughtBy: "ingest",
  },
  {
    without: "the condition on a tombstone when telemetry takes a claim over that was committed and deleted meanwhile",
    file: writer,
    changes: [["(attribute_not_exists(x) OR x <> :held) AND ", ""]],
    caughtBy: ["test/store/traces/deleted-trace.test.ts"],
  },
  {
    without: "the condition on a tombstone when a request takes a claim over that was committed and erased meanwhile",
    file: writer,
    changes: [[" AND attribute_not_exists(erased)", ""]],
    caughtBy: ["test/store/traces/deleted-trace.test.ts"],
  },
  {
    without: "keeping the pointer of a deleted trace in its purge",
    file: "lib/store/garbage/purge.ts",
    changes: [["else if (x === undefined) await bury();", "else await (x === undefined ? remove(sk) : bury());"]],
    caughtBy: ["test/store/traces/deleted-trace.test.ts"],
  },
  {
    without: "keeping the pointer of a deleted trace in the scan for orphans",
    file: "lib/store/garbage/orphan-parts.ts",
    changes: [["if (isTombstone && (await", "if (!isTombstone && (await"]],
    caughtBy: ["test/store/traces/deleted-trace.test.ts"],
  },
  {
    without: "the condition on a project's number of names when a name is appended",
    file: "lib/store/traces/facts/names.ts",
    changes: [['"size(#names) = :held"', `"${always("size(#names)", ":held")}"`]],
    caughtBy: ["test/store/traces/names.test.ts"],
  },
  {
    without: "updating the facts in a changed trace's row",
    file: "lib/store/traces/commit.ts",
    changes: [["facts: await factsOf(project, trace, keys),", "facts: row.facts,"]],
    caughtBy: "ingest",
  },
  {
    without: "checking for the writer's own piece after a refused commit",
    file: "lib/store/traces/commit.ts",
    changes: [["if (pieceWrite.isIn(row)) return before.trace;", ""]],
    caughtBy: ["test/store/traces/changes.test.ts"],
  },
];

/** Mutants of counters, statistics and hourly aggregates. */
const sums: readonly Mutant[] = [
  ...mutantsOf("lib/store/totals/counters.ts", "aggregates", {
    "the last sequence number of a trace counter": [
      "before === null || sequence > before.seq",
      "before === null || sequence > before.seq || sequence <= before.seq",
    ],
    "the sequence number condition when a trace counter is put": [
      '"seq = :seq AND n = :n"',
      `"${always("seq", ":seq")} AND ${always("n", ":n")}"`,
    ],
  }),
  ...mutantsOf("lib/store/scores/statistics.ts", "scores", {
    "the last sequence number of a score's statistics: a redelivered record counts twice": [
      "existing === null || sequence > existing.seq",
      "existing === null || sequence > existing.seq || sequence <= existing.seq",
    ],
  }),
  ...mutantsOf("lib/store/scores/statistics.ts", ["test/store/scores/statistics.test.ts"], {
    "the sequence number condition when a score's statistics are put": [
      'ifAbsent : "seq = :seq"',
      `ifAbsent : "${always("seq", ":seq")}"`,
    ],
  }),
  {
    without: "ignoring failed scores in session updates: each failure reads its session's newest success",
    file: "lib/stream/scored-sessions.ts",
    changes: [
      [
        "changes.filter(canChangeNewestSuccess)",
        "changes.filter((change) => change.session !== canChangeNewestSuccess.name)",
      ],
    ],
    caughtBy: ["test/unit/stream/score-window.test.ts"],
  },
  {
    without: "marking hours whose computation failed as stale",
    file: "lib/maintenance/refresh-hours.ts",
    changes: [["if (!(await refresh(key))) await pending.mark(key.project, hourName(key));", "await refresh(key);"]],
    caughtBy: "aggregates",
  },
];

/** Mutants of monitors and their firings. */
const monitors: readonly Mutant[] = [
  {
    without: "storing the decision of a firing before the firing is executed",
    file: "lib/monitors/execute-firing.ts",
    changes: [
      ["const firing = await firings.decide(projectId, id, proposedFiring);", "const firing = proposedFiring;"],
    ],
    caughtBy: "monitors",
  },
  {
    without: "recording an attempt at a firing before the attempt starts",
    file: "lib/monitors/firing-attempts.ts",
    changes: [["return { ...current, attempts: claim.attempts };", "return current;"]],
    caughtBy: ["test/faults/slow/monitors/poisoned.test.ts"],
  },
  {
    without: "pausing a monitor whose firings keep failing",
    file: "lib/domain/monitors/attempts.ts",
    changes: [
      ["if (ownTrial === undefined && failed >= maxAttempts) {", "if (ownTrial === undefined && failed < 0) {"],
    ],
    caughtBy: ["test/faults/slow/monitors/poisoned.test.ts"],
  },
  {
    without: "the worker's id in an attempt at a firing",
    file: "lib/domain/monitors/attempts.ts",
    changes: [["if (ownTrial?.by === by)", 'if (ownTrial?.by === "nobody")']],
    caughtBy: "monitors",
  },
  {
    without: "the condition that no run exists when its firing is given up",
    file: "lib/store/monitors/firings.ts",
    changes: [
      [
        '"attribute_not_exists(pk) OR #status = :creating"',
        `"attribute_not_exists(pk) OR ${always("#status", ":creating")}"`,
      ],
    ],
    caughtBy: ["test/store/monitors/firings.test.ts"],
  },
  {
    without: "the change markers of targets that a snapshot saw shortly before its instant",
    file: "lib/monitors/snapshot.ts",
    changes: [
      [
        "marks: await store.put(projectId, id, changeMarkers),",
        "marks: await store.put(projectId, id, changeMarkers.subarray(0, 0)),",
      ],
    ],
    caughtBy: "monitors",
  },
  ...mutantsOf("lib/monitors/sweep-monitors.ts", ["test/store/monitors/sweep.test.ts"], {
    "recording that a sweep has checked a monitor: each sweep repeats the checks of the one before": [
      "beforeTurn: (each) => due.touch(each)",
      "beforeTurn: async (each) => each.at.length > 0",
    ],
    "postponing monitors whose schedule request failed: each sweep starts with the same monitors": [
      "await due.postpone(storedMonitor);",
      "",
    ],
    "the stored place in the list of schedules: each sweep reads the first page": [
      "      await cursor.set(next);\n",
      "",
    ],
    "continuing a sweep after a schedule was refused": ["      failures.push(error);\n", "      throw error;\n"],
  }),
  {
    without: "the instant at which a firing is late for a monitor whose schedule is due for a check later",
    file: "lib/store/monitors/sweep-checks.ts",
    changes: [["lateAt < next ? lateAt : next", "lateAt < next ? next : next"]],
    caughtBy: "sweeps",
  },
  {
    without: "the Scheduler's token of the next page of schedules",
    file: "lib/monitors/schedules.ts",
    changes: [["NextToken: from ?? undefined", "NextToken: undefined"]],
    caughtBy: ["test/store/monitors/sweep.test.ts"],
  },
  {
    without: "the condition that a firing is decided only once",
    file: "lib/store/monitors/firings.ts",
    changes: [["firing), when: ifAbsent }", "firing) }"]],
    caughtBy: "monitors",
  },
  {
    without: "computing the next instant from the last one: it is computed from the current time",
    file: "lib/domain/monitors/monitor.ts",
    changes: [["monitor.anchor, instant) };", "monitor.anchor, Date.now()) };"]],
    caughtBy: "monitors",
  },
  {
    without: "the generation of a schedule",
    file: "lib/monitors/fire.ts",
    changes: [["storedMonitor.monitor.generation !== generation", "storedMonitor.monitor.generation < 0"]],
    caughtBy: "monitors",
  },
  ...mutantsOf("lib/monitors/pause-without-metric.ts", ["test/store/monitors/outcomes.test.ts"], {
    "the other metrics of a project whose monitors a deleted metric does not pause": [
      "metricReference(name).name !== metric",
      "metricReference(name).name === metric",
    ],
  }),
  ...mutantsOf("lib/monitors/fire.ts", ["test/store/monitors/outcomes.test.ts"], {
    "the failure of an instant that an earlier worker stored: it is recorded as a success": [
      'outcome.firing.outcome === "FAILED"',
      'outcome.firing.outcome === "SKIPPED_UNCHANGED"',
    ],
  }),
  ...mutantsOf("lib/monitors/execute-firing.ts", ["test/store/monitors/outcomes.test.ts"], {
    "the decision of another worker not to run, when an instant is given up": [
      "    if (existingFiring.runId === null) return existingFiring;\n",
      "",
    ],
  }),
  ...mutantsOf("lib/monitors/synchronise.ts", ["test/store/monitors/outcomes.test.ts"], {
    "removing the schedules of a monitor that is deleted while they are written": [
      "      await schedules.remove(projectId, id);\n      return;\n    }\n    current",
      "      return;\n    }\n    current",
    ],
  }),
  ...mutantsOf("lib/store/monitors/monitors.ts", ["test/store/monitors/outcomes.test.ts"], {
    "the number of a project's monitors when one is deleted twice": [
      "if (Attributes === undefined) return false;",
      'if (Attributes === undefined && id === "") return false;',
    ],
  }),
  ...mutantsOf("lib/monitors/firing-attempts.ts", ["test/unit/monitors/firing-attempts.test.ts"], {
    "firings that fail as the database is unavailable, which are no attempts": ["!isOutage(error) || ", "true || "],
    "the hour after which a firing in an outage is an attempt": [
      "!isOutage(error) || now() > scheduledAt + outageMilliseconds",
      "!isOutage(error)",
    ],
  }),
  {
    without: "the revision condition on a changed monitor",
    file: "lib/store/monitors/monitors.ts",
    changes: [['"rev = :rev"', `"${always("rev", ":rev")}"`]],
    caughtBy: "monitors",
  },
];

/** Mutants of request admission: rate limits and project lookup. */
const gates: readonly Mutant[] = [
  {
    without: "the time that all calls of a request share",
    file: "lib/aws/aws-client.ts",
    changes: [
      ["if (workTime <= 0) throw deadlineError();", ""],
      ["if (workTime >= reply) return", "if (workTime < Infinity || workTime >= reply) return"],
    ],
    caughtBy: ["test/faults/slow/clients/broken-servers.test.ts"],
  },
  {
    without: "the end of a judge's idle connections",
    file: "lib/judge/providers/transport.ts",
    changes: [["  closeIdle();\n", ""]],
    caughtBy: ["test/faults/slow/clients/broken-servers.test.ts"],
  },
  ...mutantsOf("lib/judge/providers/transport.ts", ["test/unit/judge/providers/dialect.test.ts"], {
    "a time-out for connecting to a judge's provider": [
      "setTimeout(() => sending.destroy(), maxConnectTime)",
      "undefined",
    ],
    "the difference of a judge's calls that were not sent": [
      "throw isConnected ? error : new CallError(unsentFailure);",
      "throw error;",
    ],
  }),
  {
    without: "the client in the key of a rate limit",
    file: "lib/store/limits/rate-limits.ts",
    changes: [["const pk = `${principal}#${route}`;", "const pk = `${principal.slice(0, 3)}#${route}`;"]],
    caughtBy: ["test/api/access/limits.test.ts"],
  },
  {
    without: "reading the project from the database for every write: it is cached",
    file: "lib/http/guards/caller-projects.ts",
    changes: [["isWrite(route) ? readProject()", "isWrite(route) ? recent(key, readProject)"]],
    caughtBy: "projects",
  },
  {
    without: "the organization in the cache key of a project's name",
    file: "lib/http/guards/caller-projects.ts",
    changes: [["[organizationId, name], async () =>", '["", name], async () =>']],
    caughtBy: ["test/unit/authorizer/access-guard.test.ts"],
  },
];

/** Mutants of background maintenance: fair turns, stored cursors, repairs and memory limits. */
const maintenance: readonly Mutant[] = [
  {
    without: "the stored position among stale hours where the last sweep ended",
    file: "lib/store/hours/fair-turns.ts",
    changes: [["parsePositions(await cursor.get())", "parsePositions(null)"]],
    caughtBy: ["test/store/hours/sweep-hours.test.ts"],
  },
  {
    without: "caching the usage read from documents when an hour's computation runs out of time",
    file: "lib/store/hours/computation.ts",
    changes: [["      await usageCache.store(key, row, contributions);\n", ""]],
    caughtBy: ["test/store/hours/computation.test.ts"],
  },
  {
    without: "the stored position of the count of a project's rows",
    file: "lib/store/traces/count-check.ts",
    changes: [["await put({ ...before, count });", "await put(before);"]],
    caughtBy: ["test/store/traces/sample-turns.test.ts"],
  },
  {
    without: "the condition that the partial sums are unchanged when a total is repaired",
    file: "lib/store/audit/totals.ts",
    changes: [["[put, ...unchangedChecks]", "[put, ...unchangedChecks.slice(maxPartials)]"]],
    caughtBy: ["test/store/audit/audit.test.ts"],
  },
  {
    without: "the quiet period before a noted difference is compared again",
    file: "lib/store/audit/audit.ts",
    changes: [["now() - note.at >= kind.quietMilliseconds", "now() >= note.at"]],
    caughtBy: ["test/store/scores/statistics-check.test.ts"],
  },
  {
    without: "the second comparison, a day later, of statistics that may be wrong",
    file: "lib/store/audit/totals.ts",
    changes: [["noted(total) !== fingerprint", "noted(total) === undefined"]],
    caughtBy: ["test/store/scores/statistics-check.test.ts"],
  },
  {
    without: "repricing more than the first page of a day",
    file: "lib/store/traces/repricing/rows.ts",
    changes: [["isLast: next === undefined", "isLast: true"]],
    caughtBy: ["test/store/traces/repricing.test.ts"],
  },
  ...mutantsOf("lib/store/traces/repricing/day-leases.ts", ["test/store/traces/repricing.test.ts"], {
    "the lease of a day that a worker reprices": ["until <= now()", "until > 0"],
    "waiting for the days that other workers reprice before a repricing ends": [
      "size(lanes) = :zero",
      "size(lanes) >= :zero",
    ],
  }),
  {
    without: "the memory limit of a list in bytes",
    file: "lib/store/traces/row-scan.ts",
    changes: [["if (bytesInMemory <= max) return;", "if (bytesInMemory <= max * 1_000) return;"]],
    caughtBy: ["test/store/sessions/list.test.ts", "test/store/traces/query.test.ts"],
  },
];

/** All mutants; `npm run mutants` prints the campaign or test that detects each. */
export const mutants: readonly Mutant[] = [
  ...pipeline,
  ...judgeReplies,
  ...busyDays,
  ...spend,
  ...waits,
  ...deletions,
  ...traces,
  ...lateSpans,
  ...sums,
  ...search,
  ...sessions,
  ...scores,
  ...monitors,
  ...maintenance,
  ...turns,
  ...slicesInWork,
  ...gates,
  ...access,
  ...bounds,
  ...statistics,
  ...alerts,
  ...decisions,
  ...deliveries,
  ...langsmith,
  ...imports,
  ...expectations,
  ...experiments,
  ...datasets,
  ...labels,
  ...lake,
  ...interfaces,
  ...consoleRules,
  ...operation,
];

/** Mutants of money, access and statistics: `npm test` detects each. */
export const requiredMutants: ReadonlySet<Mutant> = new Set([...spend, ...access, ...statistics]);

import { access } from "./access.ts";
import { deletions } from "./deletions.ts";
import { lateSpans } from "./late-spans.ts";
import type { Mutant } from "./mutant.ts";
import { sessions } from "./sessions.ts";
import { scores } from "./scores.ts";
import { turns } from "./turns.ts";

const [settlement, settlementWrites] = ["lib/store/runs/settlement.ts", "lib/store/runs/settlement-writes.ts"];
const [writer, slices] = ["lib/store/traces/writer.ts", "lib/store/runs/slices.ts"];

/** A condition that holds whatever is there. */
const always = (name: string, value: string): string => `(${name} = ${value} OR ${name} <> ${value})`;

/** The run pipeline's defences. */
const pipeline: readonly Mutant[] = [
  {
    without: "the epoch and the number in a slice's commit",
    file: settlementWrites,
    changes: [
      [
        "epoch = :epoch AND #state = :open AND commits = :before",
        `${always("epoch", ":epoch")} AND #state = :open AND ${always("commits", ":before")}`,
      ],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "`slices_left` in what the end of a slice adds to its run",
    file: settlementWrites,
    changes: [["slices_left = :before AND", `${always("slices_left", ":before")} AND`]],
    caughtBy: "pipeline",
  },
  {
    without: "the run's counts in the transaction of its slice: written on their own before it",
    file: settlement,
    changes: [
      [
        "const actions = [writes.slice(held, next), ...checks.values(), ...puts.map(({ action }) => action), ...end];",
        "if (end.length > 0) await refusedActions(database.client.send(new TransactWriteCommand({ TransactItems: end })));\n" +
          "const actions = [writes.slice(held, next), ...checks.values(), ...puts.map(({ action }) => action)];",
      ],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "the derived id of a run's score: a random one",
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
    without: "the check that a judged trace is still there (witness)",
    file: settlementWrites,
    changes: [['"i = :i AND attribute_exists(d)"', `"${always("i", ":i")} OR attribute_not_exists(d)"`]],
    caughtBy: "pipeline",
  },
  {
    without: "the end of the slices' leases when their run is deleted",
    file: "lib/store/runs/deletion.ts",
    changes: [["if (hidden) await voidSlices(stored);", ""]],
    caughtBy: ["test/store/runs/deletion.test.ts"],
  },
  {
    without: "waiting for a provider: a deferred judgement is a failure",
    file: "lib/evaluation/slices/trace-targets.ts",
    changes: [
      [
        'if (verdict.kind === "deferred") return work.defer([pair], verdict);',
        'if (verdict.kind === "deferred") return work.settle(unscoredPair(pair, null));',
      ],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "what a slice's bits say is settled: every pair is judged again",
    file: "lib/evaluation/slices/target-work.ts",
    changes: [["(pair) => !isSettled(slice.bits, pair)", "(pair) => pair >= 0 || !isSettled(slice.bits, pair)"]],
    caughtBy: "pipeline",
  },
  {
    without: "sending again what a dead worker left",
    file: "lib/evaluation/upkeep/send-due-slices.ts",
    changes: [["due.slice(0, room.takeSends(due.length))", "due.slice(0, Math.min(0, room.takeSends(due.length)))"]],
    caughtBy: "pipeline",
  },
  {
    without: "an instant for what waits for long: it is never looked at again",
    file: "lib/evaluation/upkeep/due-slices.ts",
    changes: [["if (asleep) return since;", "if (asleep) return Infinity;"]],
    caughtBy: ["test/faults/waits"],
  },
  {
    without: "giving a message up before SQS has delivered it a thousand times",
    file: "lib/evaluation/slice-worker.ts",
    changes: [["const lastReceive = 499;", "const lastReceive = Infinity;"]],
    caughtBy: ["test/faults/waits"],
  },
  {
    without: "making a transaction again of which an item was throttled",
    file: "lib/store/attempts.ts",
    changes: [
      [
        "if (!isCancelledByThrottle(lost)) throw lost;",
        "if (throttles > 0 || !isCancelledByThrottle(lost)) throw lost;",
      ],
    ],
    caughtBy: ["test/store/runs", "test/store/scores", "test/unit/store"],
  },
  {
    without: "repeating what a batch of writes handed back",
    file: "lib/store/batch-write.ts",
    changes: [["return pending.length === 0 || again;", "return pending.length >= 0 || again;"]],
    caughtBy: "pipeline",
  },
  {
    without: "the commit of a creation by its own attempt alone",
    file: "lib/store/runs/creation.ts",
    changes: [
      ['"#status = :creating AND attempt = :attempt"', `"#status = :creating AND ${always("attempt", ":attempt")}"`],
    ],
    caughtBy: "pipeline",
  },
  {
    without: "the fence of a creation that was broken off",
    file: "lib/store/runs/open.ts",
    changes: [["if (!fenced) return false;", ""]],
    caughtBy: "pipeline",
  },
  {
    without: "the deadline of a judge worker",
    file: "lib/evaluation/slices/judge-slice.ts",
    changes: [["    now() + startReserve < deadline;", "    (now() < 0 || startReserve < deadline);"]],
    caughtBy: ["test/store/runs/evaluate-slice.test.ts"],
  },
  {
    without: "the renewal of a lease",
    file: "lib/evaluation/slices/while-renewed.ts",
    changes: [['every(leaseMilliseconds / 3, slices.renew, "lease_not_renewed"),', ""]],
    caughtBy: ["test/unit/evaluation"],
  },
  {
    without: "looking whether the lease is still there while calls begin",
    file: "lib/evaluation/slices/while-renewed.ts",
    changes: [['every(lookMilliseconds, slices.holds, "lease_not_seen"),', ""]],
    caughtBy: ["test/unit/evaluation"],
  },
  {
    without: "the wait for another's lease to run out",
    file: slices,
    changes: [['"#state = :open AND #until <= :now"', `"#state = :open AND ${always("#until", ":now")}"`]],
    caughtBy: ["test/store/runs"],
  },
  {
    without: "a failed delivery in the reply of a judge worker: acknowledged before it is written",
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

/** Money. */
const spend: readonly Mutant[] = [
  {
    without: "the reservation before a slice spends",
    file: "lib/store/spend/spend.ts",
    changes: [
      ["return untilMoved(() => tryReserve(reservation));", 'return { kind: "granted", usd: reservation.want };'],
    ],
    caughtBy: ["test/faults/pipeline/spend.test.ts"],
  },
  {
    without: "the version of what a slice holds in the budgets",
    file: "lib/store/spend/moves.ts",
    changes: [['"version = :before"', `"${always("version", ":before")}"`]],
    caughtBy: ["test/faults/pipeline/spend.test.ts", "test/store/spend"],
  },
  {
    without: "the ceiling in the shards of a budget",
    file: "lib/store/spend/moves.ts",
    changes: [
      ['"attribute_not_exists(used) OR used <= :most"', `"attribute_not_exists(used) OR ${always("used", ":most")}"`],
    ],
    caughtBy: ["test/faults/pipeline/spend.test.ts", "test/store/spend"],
  },
];

/** Traces. */
const traces: readonly Mutant[] = [
  {
    without: "the version of a row that is replaced",
    file: writer,
    changes: [['"v = :v AND i = :i"', `"${always("v", ":v")} AND i = :i"`]],
    caughtBy: "ingest",
  },
  {
    without: "the fence before a claimed id is taken over",
    file: writer,
    changes: [["if (!fenced) return false;", ""]],
    caughtBy: "ingest",
  },
  {
    without: "the fence where a row has moved away",
    file: writer,
    changes: [
      [
        "{ Put: { ...left, ...unchanged } }",
        "{ Delete: { TableName: left.TableName, Key: { pk: left.Item.pk, sk: left.Item.sk }, ...unchanged } }",
      ],
    ],
    caughtBy: ["test/store/traces"],
  },
  {
    without: "the incarnation in the purge of a deleted trace",
    file: "lib/store/remains/purge.ts",
    changes: [
      ['FilterExpression: "i = :i"', `FilterExpression: "${always("i", ":i")}"`],
      ['ConditionExpression: "i = :i"', `ConditionExpression: "${always("i", ":i")}"`],
    ],
    caughtBy: "ingest",
  },
  {
    without: "the condition on how many names a project has when one is appended",
    file: "lib/store/traces/facts/names.ts",
    changes: [['"size(#names) = :held"', `"${always("size(#names)", ":held")}"`]],
    caughtBy: ["test/store/traces/names.test.ts"],
  },
  {
    without: "what a changed trace says in its row",
    file: "lib/store/traces/commit.ts",
    changes: [["facts: await factsOf(project, trace, keys),", "facts: row.facts,"]],
    caughtBy: "ingest",
  },
  {
    without: "a look for one's own piece after a commit was refused",
    file: "lib/store/traces/commit.ts",
    changes: [["if (own.isIn(row)) return before.trace;", ""]],
    caughtBy: "ingest",
  },
];

/** Sums. */
const sums: readonly Mutant[] = [
  {
    without: "the last sequence number of a trace counter",
    file: "lib/store/counters.ts",
    changes: [
      [
        "before === null || sequence > before.seq",
        "before === null || sequence > before.seq || sequence <= before.seq",
      ],
    ],
    caughtBy: "aggregates",
  },
  {
    without: "the condition on that number when a trace counter is put",
    file: "lib/store/counters.ts",
    changes: [['"attribute_not_exists(pk)" : "seq = :seq"', `"attribute_not_exists(pk)" : "${always("seq", ":seq")}"`]],
    caughtBy: "aggregates",
  },
  {
    without: "the last sequence number of a score's statistics: a delivery counts twice",
    file: "lib/store/scores/statistics.ts",
    changes: [["old === null || sequence > old.seq", "old === null || sequence > old.seq || sequence <= old.seq"]],
    caughtBy: "scores",
  },
  {
    without: "the condition on that number when a score's statistics are put",
    file: "lib/store/scores/statistics.ts",
    changes: [['"attribute_not_exists(pk)" : "seq = :seq"', `"attribute_not_exists(pk)" : "${always("seq", ":seq")}"`]],
    caughtBy: "scores",
  },
  {
    without: "the silence of scores that failed: each looks for its session's newest success",
    file: "lib/stream/scored-sessions.ts",
    changes: [
      ["changes.filter(concernsSuccess)", "changes.filter((change) => change.session !== concernsSuccess.name)"],
    ],
    caughtBy: ["test/unit/stream/score-window.test.ts"],
  },
  {
    without: "marking hours that could not be computed",
    file: "lib/upkeep/refresh-hours.ts",
    changes: [
      ["if (!(await refreshed(key))) await pending.mark(key.project, hourName(key));", "await refreshed(key);"],
    ],
    caughtBy: "aggregates",
  },
];

/** Monitors. */
const monitors: readonly Mutant[] = [
  {
    without: "the decision that is stored before a firing",
    file: "lib/monitors/carry-out.ts",
    changes: [["const firing = await firings.decide(projectId, id, mine);", "const firing = mine;"]],
    caughtBy: "monitors",
  },
  {
    without: "the note of an attempt at a firing before it is made",
    file: "lib/monitors/attempt.ts",
    changes: [["return { ...current, attempts: claim.attempts };", "return current;"]],
    caughtBy: ["test/faults/monitors/poisoned.test.ts"],
  },
  {
    without: "the rest of a monitor whose firings fail",
    file: "lib/domain/monitors/attempts.ts",
    changes: [["if (mine === undefined && failed >= mostAttempts) {", "if (mine === undefined && failed < 0) {"]],
    caughtBy: ["test/faults/monitors/poisoned.test.ts"],
  },
  {
    without: "whose an attempt at a firing is",
    file: "lib/domain/monitors/attempts.ts",
    changes: [["if (mine?.by === by)", 'if (mine?.by === "nobody")']],
    caughtBy: "monitors",
  },
  {
    without: "the condition that a run is not there when its firing is given up",
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
    without: "what a snapshot saw shortly before it",
    file: "lib/monitors/snapshot.ts",
    changes: [
      ["marks: await store.put(projectId, id, marks),", "marks: await store.put(projectId, id, marks.subarray(0, 0)),"],
    ],
    caughtBy: "monitors",
  },
  {
    without: "the note of a look at a monitor: each sweep repeats what the one before did",
    file: "lib/monitors/sweep-monitors.ts",
    changes: [["touch: (each) => due.touch(each)", "touch: async (each) => each.at.length > 0"]],
    caughtBy: ["test/store/monitors/sweep.test.ts"],
  },
  {
    without: "turns at the Scheduler: those tried last are tried first again",
    file: "lib/monitors/sweep-monitors.ts",
    changes: [["await due.postpone(stored);", ""]],
    caughtBy: ["test/store/monitors/sweep.test.ts"],
  },
  {
    without: "the instant at which a firing is late, while its monitor's schedules wait for another look",
    file: "lib/store/monitors/look.ts",
    changes: [["late < next ? late : next", "late < next ? next : next"]],
    caughtBy: "sweeps",
  },
  {
    without: "a sweep's going on with others after a schedule was refused",
    file: "lib/monitors/sweep-monitors.ts",
    changes: [["      failures.push(error);\n", "      throw error;\n"]],
    caughtBy: ["test/store/monitors/sweep.test.ts"],
  },
  {
    without: "the condition under which a decision stands",
    file: "lib/store/monitors/firings.ts",
    changes: [['Item, ConditionExpression: "attribute_not_exists(pk)" }', "Item }"]],
    caughtBy: "monitors",
  },
  {
    without: "the next instant from the last one: it counts from now",
    file: "lib/domain/monitors/monitor.ts",
    changes: [["monitor.anchor, instant) };", "monitor.anchor, Date.now()) };"]],
    caughtBy: "monitors",
  },
  {
    without: "the generation of a schedule",
    file: "lib/monitors/fire.ts",
    changes: [["|| stored.monitor.generation !== generation) return;", ") return;"]],
    caughtBy: "monitors",
  },
  {
    without: "the revision of a monitor that is changed",
    file: "lib/store/monitors/monitors.ts",
    changes: [['ConditionExpression: "rev = :rev"', `ConditionExpression: "${always("rev", ":rev")}"`]],
    caughtBy: "monitors",
  },
];

/** The front door: who is counted, and who is whose. */
const gates: readonly Mutant[] = [
  {
    without: "the client in the name of a rate limit",
    file: "lib/store/limits/rate-limits.ts",
    changes: [["const pk = `${principal}#${route}`;", "const pk = `${principal.slice(0, 3)}#${route}`;"]],
    caughtBy: ["test/api/access/limits.test.ts"],
  },
  {
    without: "asking for the project at every write: it is remembered",
    file: "lib/http/caller-projects.ts",
    changes: [["writes(route) ? look() : recent(key, look)", "writes(route) ? recent(key, look) : recent(key, look)"]],
    caughtBy: "projects",
  },
  {
    without: "the organization in what is remembered of a project's name",
    file: "lib/http/caller-projects.ts",
    changes: [["[organizationId, name], async () =>", '["", name], async () =>']],
    caughtBy: ["test/unit/authorizer/gate.test.ts"],
  },
];

/** What goes on in the background: turns, places where it ended, and what is mended. */
const upkeep: readonly Mutant[] = [
  {
    without: "the place among the hours that wait where the last sweep ended",
    file: "lib/store/hours/pending-turns.ts",
    changes: [["placesOf(await cursor.get())", "placesOf(null)"]],
    caughtBy: ["test/store/hours/sweep-hours.test.ts"],
  },
  {
    without: "what an hour's computation that ran out of time has read of documents",
    file: "lib/store/hours/computation.ts",
    changes: [["      await known.remember(key, row, found);\n", ""]],
    caughtBy: ["test/store/hours/computation.test.ts"],
  },
  {
    without: "where the count of a project's rows ended",
    file: "lib/store/traces/count-check.ts",
    changes: [["await put({ ...before, count });", "await put(before);"]],
    caughtBy: ["test/store/traces/sample-turns.test.ts"],
  },
  {
    without: "the sums that must not have moved when the statistics of scores are mended",
    file: "lib/store/scores/statistics-check.ts",
    changes: [["TransactItems: [{ Put }, ...unmoved]", "TransactItems: [{ Put }, ...unmoved.slice(mostPartials)]"]],
    caughtBy: ["test/store/scores/statistics-check.test.ts"],
  },
  {
    without: "the second look, a day later, at statistics that may be wrong",
    file: "lib/store/scores/statistics-check.ts",
    changes: [["found === null || found.state !== state", "found === null"]],
    caughtBy: ["test/store/scores/statistics-check.test.ts"],
  },
  {
    without: "the bytes that a list may keep in memory",
    file: "lib/store/traces/row-budget.ts",
    changes: [["if (held <= max) return;", "if (held <= max * 1_000) return;"]],
    caughtBy: ["test/store/sessions/list.test.ts", "test/store/traces/query.test.ts"],
  },
];

/** The service without one of its defences, one by one. What notices each is printed by `npm run mutants`. */
export const mutants: readonly Mutant[] = [
  ...pipeline,
  ...spend,
  ...deletions,
  ...traces,
  ...lateSpans,
  ...sums,
  ...sessions,
  ...scores,
  ...monitors,
  ...upkeep,
  ...turns,
  ...gates,
  ...access,
];

import type { Mutant } from "./mutant.ts";

const newest = "lib/store/scores/newest.ts";
const [newestTests, evidenceTests] = [
  ["test/store/scores/newest.test.ts"],
  ["test/store/scores/judge-evidence.test.ts"],
] as const;

/** Mutants of stored scores and of the newest score per name. */
export const scores: readonly Mutant[] = [
  {
    without: "the condition on the previous value when the newest score is put",
    file: newest,
    changes: [['ifAbsent : "g = :g"', '`${ifAbsent} OR attribute_exists(pk)` : "(g = :g OR g <> :g)"']],
    caughtBy: newestTests,
  },
  {
    without: "reading a recorded newest score again when the score was edited",
    file: newest,
    changes: [["if (isRecorded && changed.every(", "if (isRecorded || changed.every("]],
    caughtBy: newestTests,
  },
  {
    without: "the rank of a person's score before later ones of the judge",
    file: "lib/domain/scores/precedence.ts",
    changes: [["ofPerson.version >= ofProgram.version", "ofPerson.order > ofProgram.order"]],
    caughtBy: [...newestTests, "test/store/scores/score-units.test.ts"],
  },
  {
    without: "the versions by which a person's score is older than one of a judge",
    file: "lib/domain/scores/precedence.ts",
    changes: [["ofPerson.version >= ofProgram.version", "ofPerson.version >= 0"]],
    caughtBy: [...newestTests, "test/store/scores/score-units.test.ts"],
  },
  {
    without: "leaving scores that are no categories out of the shares of categories in alert rules",
    file: "lib/domain/alerts/values.ts",
    changes: [["score.category === undefined ? null", "value === null ? null"]],
    caughtBy: ["test/store/alerts/scores.test.ts"],
  },
  {
    without: "storing that no newest score is left",
    file: newest,
    changes: [
      [
        "const { person, program, failure, ttl } = newest;",
        "const { person, program, failure, ttl } = newest;\nif (person === null && program === null && failure === null && existing === undefined) return;",
      ],
    ],
    caughtBy: newestTests,
  },
  {
    without: "the trace's incarnation in the key of its newest scores",
    file: "lib/store/scores/newest-codec.ts",
    changes: [['`${incarnation ?? ""}#`', '`${incarnation === "" ? "" : "#"}`']],
    caughtBy: newestTests,
  },
  {
    without: "the limit of storable numbers",
    file: "lib/dynamo/storable-number.ts",
    changes: [["Math.abs(number) <= Number.MAX_SAFE_INTEGER", "Math.abs(number) <= Number.MAX_VALUE"]],
    caughtBy: newestTests,
  },
  {
    without: "the prefix that excludes inapplicable values from statistics",
    file: "lib/store/scores/codec.ts",
    changes: [["{ x: `${uncountedPrefix}${text}${suffix}` }", "{ x: `${text}${suffix}` }"]],
    caughtBy: evidenceTests,
  },
  {
    without: "keeping the original value of a judge's score: each edit overwrites it with the previous value",
    file: "lib/domain/scores/edit.ts",
    changes: [['score.source === "ANNOTATION" ?', 'score.original === null && score.source === "ANNOTATION" ?']],
    caughtBy: ["test/unit/domain/scores/value.test.ts"],
  },
  {
    without: "checking citations against the material shown to the judge",
    file: "lib/judge/verdict/evidence.ts",
    changes: [
      ["part.length < minQuoteLength ? -1 : text.indexOf(part, from)", "Math.max(0, text.indexOf(part, from))"],
    ],
    caughtBy: ["test/unit/judge/verdict/evidence.test.ts"],
  },
  {
    without: "changes of a success beside a newer failure: they have no effect",
    file: "lib/store/scores/newest.ts",
    changes: [
      [
        '(status === "FAILED" && failure !== undefined && order < failure)',
        "(failure !== undefined && order < failure)",
      ],
    ],
    caughtBy: ["test/store/scores/newest.test.ts"],
  },
  {
    without: "changes of a giver's newest score beside a later one of the other giver",
    file: "lib/store/scores/newest.ts",
    changes: [["order !== person && order !== program && ", ""]],
    caughtBy: ["test/store/scores/newest.test.ts"],
  },
  {
    without: "leaving out a failure that is older than a success of the other giver",
    file: "lib/store/scores/newest/newest-of-names.ts",
    changes: [[" && successesOf(current).length === 0;", ";"]],
    caughtBy: ["test/store/scores/newest.test.ts"],
  },
  {
    without: "the hash of a score's request after an edit",
    file: "lib/store/scores/changes.ts",
    changes: [["bodyHash: bodyHash ?? lifetime.bodyHash", "bodyHash: bodyHash ?? null"]],
    caughtBy: ["test/store/scores/changes.test.ts"],
  },
  {
    without: "the refusal to replace an evaluation's score by one that is sent",
    file: "lib/store/scores/changes.ts",
    changes: [[" || stored.eval_run_id !== null)", ")"]],
    caughtBy: ["test/store/scores/changes.test.ts"],
  },
  {
    without: "the refusal to replace a score of another name",
    file: "lib/store/scores/changes.ts",
    changes: [[" || stored.name !== sent.name", ""]],
    caughtBy: ["test/store/scores/changes.test.ts"],
  },
  {
    without: "the refusal to replace a score of another target",
    file: "lib/store/scores/changes.ts",
    changes: [["!isOfTarget(stored) || ", ""]],
    caughtBy: ["test/store/scores/changes.test.ts"],
  },
  {
    without: "a score that is sent again as it is: it counts as changed",
    file: "lib/domain/scores/edit.ts",
    changes: [["  if (equalsJson(sentFields(score), replaced)) return score;\n", ""]],
    caughtBy: ["test/store/scores/changes.test.ts"],
  },
  {
    without: "the newest of several scores that can be a signal: it is the oldest",
    file: "lib/store/scores/signals/signals.ts",
    changes: [["newest[giver] !== null || !isUsable", "!isUsable"]],
    caughtBy: ["test/store/runs/session-targets.test.ts"],
  },
  {
    without: "the run of a failed signal: one that failed in another run is not judged",
    file: "lib/store/scores/signals/signals.ts",
    changes: [[" && unpackScore(d).eval_run_id === runId) failedNames", ") failedNames"]],
    caughtBy: ["test/store/runs/session-targets.test.ts"],
  },
  {
    without: "the incarnation of a trace in the scores that are its signals",
    file: "lib/store/scores/signals/signals.ts",
    changes: [['        filter: "i = :i",\n        values: { ":i": trace.incarnation },\n', ""]],
    caughtBy: ["test/store/runs/session-targets.test.ts"],
  },
  {
    without: "the condition that a score is as it was read when it is deleted",
    file: "lib/store/scores/changes.ts",
    changes: [["[{ remove: { pk, sk }, ...ifUnchanged(d) }", "[{ remove: { pk, sk } }"]],
    caughtBy: ["test/store/scores/changes.test.ts"],
  },
  {
    without: "leaving out scores without an outcome in figures",
    file: "lib/store/scores/units/read.ts",
    changes: [['rawText(item["st"]) === "PENDING" || targets', "targets"]],
    caughtBy: ["test/store/scores/score-units.test.ts"],
  },
  {
    without: "leaving out scores without a number among those of one judge",
    file: "lib/store/scores/latest-of-judge.ts",
    changes: [[" || !hasNumber(unpacked)", ""]],
    caughtBy: ["test/store/scores/latest-session-scores.test.ts"],
  },
  {
    without: "the newest of a session's scores by one judge: the oldest is listed",
    file: "lib/store/scores/latest-of-judge.ts",
    changes: [["latestBySession.has(session) || ", ""]],
    caughtBy: ["test/store/scores/latest-session-scores.test.ts"],
  },
  {
    without: "leaving out failed scores in the types of a name's scores",
    file: "lib/store/scores/units/types.ts",
    changes: [['fitsFacet({ data_type: type, status: "SUCCESS" })', "fitsFacet({ data_type: type })"]],
    caughtBy: ["test/store/scores/newest.test.ts"],
  },
  {
    without: "the session of the trace with which a session's score is stored",
    file: "lib/store/scores/creation.ts",
    changes: [
      ['kind.target === "session" ? " AND s = :s" : ""', 'kind.target === "session" ? " AND (s = :s OR s <> :s)" : ""'],
    ],
    caughtBy: ["test/store/scores/creation.test.ts"],
  },
  {
    without: "reading the row of a trace again that was moved or deleted since a request read it",
    file: "lib/store/scores/creation.ts",
    changes: [['        if (outcome === "gone") scoredRows.forget(key);\n', ""]],
    caughtBy: ["test/store/scores/creation.test.ts"],
  },
  {
    without: "looking again for a trace that a request has stored since it looked for it",
    file: "lib/store/scores/creation.ts",
    changes: [["          scoredRows.forget(key);\n          return null;", "          return null;"]],
    caughtBy: ["test/store/scores/creation.test.ts"],
  },
  {
    without: "the incarnation of an earlier score with the id of a new one, when it is removed",
    file: "lib/store/scores/creation.ts",
    changes: [['when: "attribute_not_exists(pk) OR i = :i"', 'when: "attribute_not_exists(pk) OR i = :i OR i <> :i"']],
    caughtBy: ["test/store/scores/creation.test.ts"],
  },
];

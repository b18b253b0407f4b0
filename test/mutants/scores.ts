import { mutantsOf, type Mutant } from "./mutant.ts";

const newest = "lib/store/scores/newest.ts";
const [newestTests, evidenceTests] = [
  ["test/store/scores/newest.test.ts"],
  ["test/store/scores/judge-evidence.test.ts"],
] as const;

/** Mutants of stored scores and of the newest score per name. */
export const scores: readonly Mutant[] = [
  ...mutantsOf(newest, newestTests, {
    "the condition on the previous value when the newest score is put": [
      'ifAbsent : "g = :g"',
      '`${ifAbsent} OR attribute_exists(pk)` : "(g = :g OR g <> :g)"',
    ],
    "reading a recorded newest score again when the score was edited": [
      "if (isRecorded && changed.every(",
      "if (isRecorded || changed.every(",
    ],
    "storing that no newest score is left": [
      "const { person, program, failure, ttl } = newest;",
      "const { person, program, failure, ttl } = newest;\nif (person === null && program === null && failure === null && existing === undefined) return;",
    ],
  }),
  ...mutantsOf("lib/domain/scores/precedence.ts", [...newestTests, "test/store/scores/score-units.test.ts"], {
    "the rank of a person's score before later ones of the judge": [
      "ofPerson.version >= ofProgram.version",
      "ofPerson.order > ofProgram.order",
    ],
    "the versions by which a person's score is older than one of a judge": [
      "ofPerson.version >= ofProgram.version",
      "ofPerson.version >= 0",
    ],
  }),
  {
    without: "leaving scores that are no categories out of the shares of categories in alert rules",
    file: "lib/domain/alerts/values.ts",
    changes: [["score.category === undefined ? null", "value === null ? null"]],
    caughtBy: ["test/store/alerts/scores.test.ts"],
  },
  {
    without: "the trace's incarnation in the key of its newest scores",
    file: "lib/store/scores/newest/newest-codec.ts",
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
  ...mutantsOf("lib/store/scores/newest.ts", ["test/store/scores/newest.test.ts"], {
    "changes of a success beside a newer failure: they have no effect": [
      '(status === "FAILED" && failure !== undefined && order < failure)',
      "(failure !== undefined && order < failure)",
    ],
    "changes of a giver's newest score beside a later one of the other giver": [
      "order !== person && order !== program && ",
      "",
    ],
  }),
  ...mutantsOf("lib/store/scores/newest/newest-of-names.ts", ["test/store/scores/newest.test.ts"], {
    "leaving out a failure that is older than a success of the other giver": [
      " && successesOf(current).length === 0;",
      ";",
    ],
  }),
  ...mutantsOf("lib/store/scores/changes.ts", ["test/store/scores/changes.test.ts"], {
    "the hash of a score's request after an edit": [
      "bodyHash: bodyHash ?? lifetime.bodyHash",
      "bodyHash: bodyHash ?? null",
    ],
    "the refusal to replace an evaluation's score by one that is sent": [" || stored.eval_run_id !== null)", ")"],
    "the refusal to replace a score of another name": [" || stored.name !== sent.name", ""],
    "the refusal to replace a score of another target": ["!isOfTarget(stored) || ", ""],
    "the condition that a score is as it was read when it is deleted": [
      "[{ remove: { pk, sk }, ...ifUnchanged(d) }",
      "[{ remove: { pk, sk } }",
    ],
  }),
  ...mutantsOf("lib/domain/scores/edit.ts", ["test/store/scores/changes.test.ts"], {
    "a score that is sent again as it is: it counts as changed": [
      "  if (equalsJson(sentFields(score), replaced)) return score;\n",
      "",
    ],
  }),
  ...mutantsOf("lib/store/scores/signals/signals.ts", ["test/store/runs/session-targets.test.ts"], {
    "the newest of several scores that can be a signal: it is the oldest": [
      "newest[giver] !== null || !isUsable",
      "!isUsable",
    ],
    "the run of a failed signal: one that failed in another run is not judged": [
      " && unpackScore(d).eval_run_id === runId) failedNames",
      ") failedNames",
    ],
    "the incarnation of a trace in the scores that are its signals": [
      '        filter: "i = :i",\n        values: { ":i": trace.incarnation },\n',
      "",
    ],
  }),
  ...mutantsOf("lib/store/scores/units/read.ts", ["test/store/scores/score-units.test.ts"], {
    "leaving out scores without an outcome in figures": ['rawText(item["st"]) === "PENDING" || targets', "targets"],
  }),
  ...mutantsOf("lib/store/scores/latest-of-judge.ts", ["test/store/scores/latest-session-scores.test.ts"], {
    "leaving out scores without a number among those of one judge": [" || !hasNumber(unpacked)", ""],
    "the newest of a session's scores by one judge: the oldest is listed": ["latestBySession.has(session) || ", ""],
  }),
  ...mutantsOf("lib/store/scores/units/types.ts", ["test/store/scores/newest.test.ts"], {
    "leaving out failed scores in the types of a name's scores": [
      'fitsFacet({ data_type: type, status: "SUCCESS" })',
      "fitsFacet({ data_type: type })",
    ],
  }),
  ...mutantsOf("lib/store/scores/creation.ts", ["test/store/scores/creation.test.ts"], {
    "the session of the trace with which a session's score is stored": [
      'kind.target === "session" ? " AND s = :s" : ""',
      'kind.target === "session" ? " AND (s = :s OR s <> :s)" : ""',
    ],
    "reading the row of a trace again that was moved or deleted since a request read it": [
      '        if (outcome === "gone") scoredRows.forget(key);\n',
      "",
    ],
    "looking again for a trace that a request has stored since it looked for it": [
      "          scoredRows.forget(key);\n          return null;",
      "          return null;",
    ],
    "the incarnation of an earlier score with the id of a new one, when it is removed": [
      'when: "attribute_not_exists(pk) OR i = :i"',
      'when: "attribute_not_exists(pk) OR i = :i OR i <> :i"',
    ],
  }),
];

import type { Mutant } from "./mutant.ts";

const store = "lib/store/datasets/expected-output.ts";
const [runs, checks, judges] = [
  ["test/api/datasets/expected-output.test.ts"],
  ["test/unit/domain/checks/evaluate.test.ts"],
  ["test/unit/judge/custom-metric.test.ts"],
] as const;

/** Mutants of what checks and judges are told of the expected output. */
export const expectations: readonly Mutant[] = [
  {
    without: "the start of an experiment, at which its items count: the newest revision counts",
    file: store,
    changes: [["reference.itemId, first)", "reference.itemId)"]],
    caughtBy: runs,
  },
  {
    without: "the start of an experiment for its later traces: each has the items of its own start",
    file: store,
    changes: [["experiment === null || startedAt < experiment.startedAt", "experiment === null || startedAt !== ''"]],
    caughtBy: runs,
  },
  {
    without: "leaving a check of the expected output out of account where nothing is expected",
    file: "lib/domain/checks/evaluate.ts",
    changes: [["needsExpectation && checkedTrace", "needsExpectation && check === null && checkedTrace"]],
    caughtBy: checks,
  },
  {
    without: "the failure of an output of nothing beside what is expected",
    file: "lib/domain/checks/presence.ts",
    changes: [["(demandsCall(condition) || demandsExpectation(condition))", "demandsCall(condition)"]],
    caughtBy: checks,
  },
  {
    without: "the form of numbers in a comparison by value",
    file: "lib/domain/json.ts",
    changes: [
      [
        'if (typeof value === "number") return canonical(String(value));',
        'if (typeof value === "number") return String(value);',
      ],
    ],
    caughtBy: checks,
  },
  {
    without: "the limit of the work for the similarity of two texts",
    file: "lib/domain/checks/similarity.ts",
    changes: [["work > most ?", "work > Infinity ?"]],
    caughtBy: checks,
  },
  {
    without: "the expected output in the reservation for a judge's question",
    file: "lib/judge/chat-judge.ts",
    changes: [["facts.length === 0 ? [expectation]", "facts.length === 0 ? [[]]"]],
    caughtBy: judges,
  },
  {
    without: "reading the expected output for metrics alone that use it",
    file: "lib/judge/target-judge.ts",
    changes: [
      ["    metric.usesExpectedOutput\n      ?", "    metric.usesExpectedOutput || expectedOutput === null\n      ?"],
    ],
    caughtBy: judges,
  },
  {
    without: "the refusal to ask a judge about a trace of which nothing is expected",
    file: "lib/judge/custom/custom-metric.ts",
    changes: [["usesExpectedOutput && expectedOutput === null", "usesExpectedOutput && expectedOutput === undefined"]],
    caughtBy: judges,
  },
];

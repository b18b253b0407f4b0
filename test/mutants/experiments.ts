import { mutantsOf, type Mutant } from "./mutant.ts";

const [storeTests, pairTests, gateTests] = [
  ["test/store/experiments/experiments.test.ts"],
  ["test/unit/domain/experiments/paired.test.ts"],
  ["test/api/datasets/gates.test.ts"],
] as const;

/** Mutants of experiments, their comparison and gates. */
export const experiments: readonly Mutant[] = [
  ...mutantsOf("lib/domain/experiments/experiment.ts", storeTests, {
    "the day after which a trace of the same name begins another experiment": [
      "nearest.distance <= continuation + lastStartSlack",
      "nearest.distance <= Infinity",
    ],
    "the nearest one of several experiments of a name": ["(a, b) => a.distance - b.distance", "() => 0"],
    "an experiment's own id, by which it is one for ever": ["return hasOwnId || nearest", "return nearest"],
  }),
  ...mutantsOf("lib/store/experiments/registry.ts", storeTests, {
    "the condition on the experiment that was read": ['"g = :before"', '"(g = :before OR g <> :before)"'],
    "the condition that an experiment is new": [
      "`${ifAbsent} OR #ttl <= :now`",
      "`${ifAbsent} OR attribute_exists(pk)`",
    ],
    "moving the start back": ["minOf(startedAt, experiment.startedAt)", "experiment.startedAt"],
    "moving the last start on": ["maxOf(startedAt, experiment.lastStartedAt)", "experiment.lastStartedAt"],
    "not writing an experiment that a trace does not change": [
      "extended(existing, reference, trace) === existing) return",
      "existing.token === null) return",
    ],
  }),
  ...mutantsOf("lib/domain/experiments/items.ts", pairTests, {
    "the limit of missing and unjudged items": ["> maxMissingShare *", "> 10 * maxMissingShare *"],
    "counting items that ran more often than the others": ["lapsed + duplicated >", "lapsed >"],
    "counting items that a release no longer answers": ["unjudged + lapsed + duplicated >", "unjudged + duplicated >"],
    "leaving out items that the dataset has no longer": ["isRetired: !needed.has(itemId)", "isRetired: false"],
  }),
  ...mutantsOf("lib/domain/experiments/rules.ts", pairTests, {
    "one value for each item, whatever its repeats": [
      "sign * (meanOf(candidate.values) - factor * meanOf(baseline.values))",
      "sign * ((candidate.values[0] ?? 0) - factor * (baseline.values[0] ?? 0))",
    ],
    "a reason that forbids a verdict": ['reason === null ? test.verdict : "cannot_tell"', "test.verdict"],
  }),
  ...mutantsOf("lib/domain/statistics/limit.ts", pairTests, {
    "the level that deciding rules share": ["familyLevel / (sorted.length - at)", "familyLevel"],
  }),
  ...mutantsOf("lib/handlers/experiments/gate.ts", gateTests, {
    "waiting for traces that have not ended": ["(trace) => !trace.hasEnded && !isAbandoned(trace)", "() => false"],
    "the day after which nobody waits for a trace": [">= longestTrace", ">= 99 * longestTrace"],
    "the end of waiting for scores that nothing brings": [
      "sinceLastEnd(traces) >= scoreDelay",
      "sinceLastEnd(traces) >= Infinity",
    ],
    "the exit code of an undecided gate": [
      '(status === "cannot_tell" ? body.on_cannot_tell : undefined) ?? status',
      "status",
    ],
  }),
  ...mutantsOf("lib/handlers/experiments/approve.ts", gateTests, {
    "the refusal of an experiment that is worse than the approved one": [
      "if (reasons.length > 0)",
      "if (reasons.length > 99)",
    ],
    "the refusal of an experiment that was compared with one that is no longer approved": [
      "!isCompared &&",
      "false &&",
    ],
  }),
];

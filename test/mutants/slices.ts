import type { Mutant } from "./mutant.ts";

/** Mutants of the work on slices: first verdicts that wait for a second judge, doubts, outages of models and recorded calls. */
export const slicesInWork: readonly Mutant[] = [
  {
    without: "forgetting first verdicts whose pairs are settled: each commit removes them again",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [
      [
        "const openItems = heldItems.filter((item) => !item.every((pair) => isSettled(leased.slice.bits, pair)));",
        "const openItems = heldItems.filter(() => leased.commits >= 0);",
      ],
    ],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "room for the removal of first verdicts in a cascade's commits",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [["order.judge === undefined ? maxCommitActions : maxCascadeActions", "maxCommitActions"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the limit of first verdicts that one commit removes",
    file: "lib/store/runs/settlement.ts",
    changes: [["      .slice(0, maxCommitActions - maxCascadeActions)\n", ""]],
    caughtBy: ["test/store/runs/settlement.test.ts"],
  },
  {
    without: "the other pairs of an item of first verdicts: one settled pair removes it",
    file: "lib/store/runs/settlement.ts",
    changes: [["heldItems\n      .filter((item) => item.every(", "heldItems\n      .filter((item) => item.some("]],
    caughtBy: ["test/store/runs/settlement.test.ts"],
  },
  {
    without: "the removal of first verdicts by a commit that is repeated for a missing trace",
    file: "lib/store/runs/settlement.ts",
    changes: [
      [
        "return await commit(storedSlice, metrics, rechecked, heldItems);",
        "return await commit(storedSlice, metrics, rechecked);",
      ],
    ],
    caughtBy: ["test/store/runs/settlement.test.ts"],
  },
  {
    without: "the difference of a call that fails because of its input: it is an outage of its model",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [["verdict.isDoubtful === true ? [] : [modelIn(verdict.metadata)]", "[modelIn(verdict.metadata)]"]],
    caughtBy: ["test/store/runs/doubts.test.ts"],
  },
  {
    without: "the instant of a model's answer: it is the end of its delivery",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [["answeredAt.set(model, at);\n", "answeredAt.set(model, now());\n"]],
    caughtBy: ["test/store/runs/doubts.test.ts"],
  },
  {
    without: "forgetting doubts about settled pairs",
    file: "lib/domain/runs/doubts.ts",
    changes: [
      ["[...earlier].filter(([pair]) => isOpen(pair))", "[...earlier].filter(([pair]) => isOpen(pair) || pair >= 0)"],
    ],
    caughtBy: ["test/unit/domain/runs/doubts.test.ts"],
  },
  {
    without: "the maximum number of pairs of a slice with a doubt",
    file: "lib/domain/runs/doubts.ts",
    changes: [["if (doubt !== undefined || doubts.size < maxDoubts) doubts", "doubts"]],
    caughtBy: ["test/unit/domain/runs/doubts.test.ts"],
  },
  {
    without: "forgetting attempts at a pair before its model answered about another one",
    file: "lib/domain/runs/doubts.ts",
    changes: [["attempts: 2, isAnswered: true", "attempts: earlier.attempts + 1, isAnswered: true"]],
    caughtBy: ["test/unit/domain/runs/doubts.test.ts"],
  },
  {
    without: "the second judge in the outages of a run's models",
    file: "lib/evaluation/slices/model-outages.ts",
    changes: [
      ['[resolvedModel, judge?.escalate.to ?? ""]', '[resolvedModel, judge === undefined ? "" : resolvedModel]'],
    ],
    caughtBy: ["test/unit/evaluation/model-outages.test.ts"],
  },
  {
    without: "one outage for all deliveries that meet it: each makes the pause longer",
    file: "lib/evaluation/slices/model-outages.ts",
    changes: [["if (until > now()) continue;", "if (until < 0) continue;"]],
    caughtBy: ["test/unit/evaluation/model-outages.test.ts"],
  },
  {
    without: "the end of an outage by an answer",
    file: "lib/evaluation/slices/model-outages.ts",
    changes: [["outages.delete(model);", "outages.has(model);"]],
    caughtBy: ["test/unit/evaluation/model-outages.test.ts"],
  },
  {
    without: "the number of open judgements in the recorded bound of calls",
    file: "lib/evaluation/slices/slice-budget.ts",
    changes: [["maxConcurrent: Math.min(maxConcurrent, judgements), committed", "maxConcurrent, committed"]],
    caughtBy: ["test/unit/evaluation/slice-budget.test.ts"],
  },
  {
    without: "ending the work of a slice whose calls cannot be recorded, as another worker has it",
    file: "lib/evaluation/slices/slice-budget.ts",
    changes: [
      [
        "if (!(await spend.recordCalls(delivery, spent, usd))) throw new LostLease();",
        "await spend.recordCalls(delivery, spent, usd);",
      ],
    ],
    caughtBy: ["test/unit/evaluation/slice-budget.test.ts"],
  },
  {
    without: "what a slice forfeited before, when calls are recorded",
    file: "lib/store/spend/ledger.ts",
    changes: [["forfeit = if_not_exists(forfeit, :none)", "forfeit = :none"]],
    caughtBy: ["test/store/spend/spend.test.ts"],
  },
  {
    without: "what a slice reserved under a ceiling that was removed, when calls are recorded",
    file: "lib/store/spend/ledger.ts",
    changes: [["books = if_not_exists(books, :empty)", "books = :empty"]],
    caughtBy: ["test/store/spend/spend.test.ts"],
  },
  {
    without: "one item for the first verdicts of a trace that was sent again: a commit removes it twice, and fails",
    file: "lib/evaluation/slices/evaluate-slice.ts",
    changes: [
      [
        "[...new Map([...openItems, ...storedItems].map((item) => [item[0], item])).values()]",
        "[...openItems, ...storedItems]",
      ],
    ],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the second judge's half of a delivery",
    file: "lib/evaluation/slices/judge-slice.ts",
    changes: [["canStart() && now() < firstDeadline", "canStart() && firstDeadline > 0"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the pairs that a delivery has settled in the share of a second judge",
    file: "lib/evaluation/slices/judge-slice.ts",
    changes: [["settled: scored + failed + settledPairs", "settled: scored + failed"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the pairs of earlier deliveries in the share of a second judge",
    file: "lib/evaluation/slices/judge-slice.ts",
    changes: [["escalated: slice.usage.escalated ?? 0", "escalated: 0"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the cost of calls for pairs that no money was left for",
    file: "lib/evaluation/slices/judge-slice.ts",
    changes: [["[...deferred, ...unfunded].map", "[...deferred, ...unfunded.slice(0, 0)].map"]],
    caughtBy: ["test/store/runs/evaluate-slice.test.ts"],
  },
  {
    without: "the incarnation of a trace in its first verdicts",
    file: "lib/evaluation/slices/trace-targets.ts",
    changes: [
      [
        "storedJudgements.filter(({ incarnation }) => incarnation === stored.row.incarnation)",
        "storedJudgements.filter(({ incarnation }) => incarnation !== stored.row.traceId)",
      ],
    ],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the incarnation of a trace whose first verdicts count when its slice is given up",
    file: "lib/evaluation/slices/give-up.ts",
    changes: [["checkedScore.check.incarnation === first.incarnation", "checkedScore.check.incarnation !== null"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the category in a first verdict",
    file: "lib/store/runs/held-judgements.ts",
    changes: [["        category: grounds?.category,\n", ""]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "first verdicts of another build: they are removed in place of the first pair's",
    file: "lib/store/runs/held-judgements.ts",
    changes: [["if (heldJudgements.length > 0) items.push", "items.push"]],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "the lack of money as the reason for a first verdict: lack of time is one too",
    file: "lib/evaluation/slices/escalate.ts",
    changes: [
      ["(second === undefined || second.unfunded) && isUnfundable()", "second === undefined || second.unfunded"],
    ],
    caughtBy: ["test/store/runs/cascades.test.ts"],
  },
  {
    without: "forgetting since when a slice's provider was away",
    file: "lib/store/runs/slices.ts",
    changes: [['"borrowed", "away_since", "waiting"', '"borrowed", "waiting"']],
    caughtBy: ["test/store/runs/slices.test.ts"],
  },
  {
    without: "forgetting the doubts of a slice that has none any more",
    file: "lib/store/runs/slices.ts",
    changes: [['"asleep", "doubts"]', '"asleep"]']],
    caughtBy: ["test/store/runs/slices.test.ts"],
  },
  {
    without: "forgetting what a slice waited for with its next commit",
    file: "lib/store/runs/settlement-writes.ts",
    changes: [['"REMOVE away_since, waiting"', '"REMOVE away_since"']],
    caughtBy: ["test/store/runs/slices.test.ts"],
  },
];

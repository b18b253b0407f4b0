import { mutantsOf, type Mutant } from "./mutant.ts";

/** Mutants of the work on slices: first verdicts that wait for a second judge, doubts, outages of models and recorded calls. */
export const slicesInWork: readonly Mutant[] = [
  ...mutantsOf("lib/evaluation/slices/evaluate-slice.ts", ["test/store/runs/cascades.test.ts"], {
    "forgetting first verdicts whose pairs are settled: each commit removes them again": [
      "const openItems = heldItems.filter((item) => !item.every((pair) => isSettled(leased.slice.bits, pair)));",
      "const openItems = heldItems.filter(() => leased.commits >= 0);",
    ],
    "room for the removal of first verdicts in a cascade's commits": [
      "order.judge === undefined ? maxCommitActions : maxCascadeActions",
      "maxCommitActions",
    ],
    "one item for the first verdicts of a trace that was sent again: a commit removes it twice, and fails": [
      "[...new Map([...openItems, ...storedItems].map((item) => [item[0], item])).values()]",
      "[...openItems, ...storedItems]",
    ],
  }),
  ...mutantsOf("lib/store/runs/settlement.ts", ["test/store/runs/settlement.test.ts"], {
    "the limit of first verdicts that one commit removes": [
      "      .slice(0, maxCommitActions - maxCascadeActions)\n",
      "",
    ],
    "the other pairs of an item of first verdicts: one settled pair removes it": [
      "heldItems\n      .filter((item) => item.every(",
      "heldItems\n      .filter((item) => item.some(",
    ],
    "the removal of first verdicts by a commit that is repeated for a missing trace": [
      "return await commit(storedSlice, metrics, rechecked, heldItems);",
      "return await commit(storedSlice, metrics, rechecked);",
    ],
  }),
  ...mutantsOf("lib/evaluation/slices/evaluate-slice.ts", ["test/store/runs/doubts.test.ts"], {
    "the difference of a call that fails because of its input: it is an outage of its model": [
      "verdict.isDoubtful === true ? [] : [modelIn(verdict.metadata)]",
      "[modelIn(verdict.metadata)]",
    ],
    "the instant of a model's answer: it is the end of its delivery": [
      "answeredAt.set(model, at);\n",
      "answeredAt.set(model, now());\n",
    ],
  }),
  ...mutantsOf("lib/domain/runs/doubts.ts", ["test/unit/domain/runs/doubts.test.ts"], {
    "forgetting doubts about settled pairs": [
      "[...earlier].filter(([pair]) => isOpen(pair))",
      "[...earlier].filter(([pair]) => isOpen(pair) || pair >= 0)",
    ],
    "the maximum number of pairs of a slice with a doubt": [
      "if (doubt !== undefined || doubts.size < maxDoubts) doubts",
      "doubts",
    ],
    "forgetting attempts at a pair before its model answered about another one": [
      "attempts: 2, isAnswered: true",
      "attempts: earlier.attempts + 1, isAnswered: true",
    ],
  }),
  ...mutantsOf("lib/evaluation/slices/model-outages.ts", ["test/unit/evaluation/model-outages.test.ts"], {
    "the second judge in the outages of a run's models": [
      '[resolvedModel, judge?.escalate.to ?? ""]',
      '[resolvedModel, judge === undefined ? "" : resolvedModel]',
    ],
    "one outage for all deliveries that meet it: each makes the pause longer": [
      "if (until > now()) continue;",
      "if (until < 0) continue;",
    ],
    "the end of an outage by an answer": ["outages.delete(model);", "outages.has(model);"],
  }),
  ...mutantsOf("lib/evaluation/slices/slice-budget.ts", ["test/unit/evaluation/slice-budget.test.ts"], {
    "the number of open judgements in the recorded bound of calls": [
      "maxConcurrent: Math.min(maxConcurrent, judgements), committed",
      "maxConcurrent, committed",
    ],
    "ending the work of a slice whose calls cannot be recorded, as another worker has it": [
      "if (!(await spend.recordCalls(delivery, spent, usd))) throw new LostLease();",
      "await spend.recordCalls(delivery, spent, usd);",
    ],
  }),
  ...mutantsOf("lib/store/spend/ledger.ts", ["test/store/spend/spend.test.ts"], {
    "what a slice forfeited before, when calls are recorded": [
      "forfeit = if_not_exists(forfeit, :none)",
      "forfeit = :none",
    ],
    "what a slice reserved under a ceiling that was removed, when calls are recorded": [
      "books = if_not_exists(books, :empty)",
      "books = :empty",
    ],
  }),
  ...mutantsOf("lib/evaluation/slices/judge-slice.ts", ["test/store/runs/cascades.test.ts"], {
    "the second judge's half of a delivery": ["canStart() && now() < firstDeadline", "canStart() && firstDeadline > 0"],
    "the pairs that a delivery has settled in the share of a second judge": [
      "settled: scored + failed + settledPairs",
      "settled: scored + failed",
    ],
    "the pairs of earlier deliveries in the share of a second judge": [
      "escalated: slice.usage.escalated ?? 0",
      "escalated: 0",
    ],
  }),
  ...mutantsOf("lib/evaluation/slices/judge-slice.ts", ["test/store/runs/evaluate-slice.test.ts"], {
    "the cost of calls for pairs that no money was left for": [
      "[...deferred, ...unfunded].map",
      "[...deferred, ...unfunded.slice(0, 0)].map",
    ],
  }),
  ...mutantsOf("lib/evaluation/slices/trace-targets.ts", ["test/store/runs/cascades.test.ts"], {
    "the incarnation of a trace in its first verdicts": [
      "storedJudgements.filter(({ incarnation }) => incarnation === stored.row.incarnation)",
      "storedJudgements.filter(({ incarnation }) => incarnation !== stored.row.traceId)",
    ],
  }),
  ...mutantsOf("lib/evaluation/slices/give-up.ts", ["test/store/runs/cascades.test.ts"], {
    "the incarnation of a trace whose first verdicts count when its slice is given up": [
      "checkedScore.check.incarnation === first.incarnation",
      "checkedScore.check.incarnation !== null",
    ],
  }),
  ...mutantsOf("lib/store/runs/held-judgements.ts", ["test/store/runs/cascades.test.ts"], {
    "the category in a first verdict": ["        category: grounds?.category,\n", ""],
    "first verdicts of another build: they are removed in place of the first pair's": [
      "if (heldJudgements.length > 0) items.push",
      "items.push",
    ],
  }),
  ...mutantsOf("lib/evaluation/slices/escalate.ts", ["test/store/runs/cascades.test.ts"], {
    "the lack of money as the reason for a first verdict: lack of time is one too": [
      "(second === undefined || second.unfunded) && isUnfundable()",
      "second === undefined || second.unfunded",
    ],
  }),
  ...mutantsOf("lib/store/runs/slices.ts", ["test/store/runs/slices.test.ts"], {
    "forgetting since when a slice's provider was away": [
      '"borrowed", "away_since", "waiting"',
      '"borrowed", "waiting"',
    ],
    "forgetting the doubts of a slice that has none any more": ['"asleep", "doubts"]', '"asleep"]'],
  }),
  ...mutantsOf("lib/store/runs/settlement-writes.ts", ["test/store/runs/slices.test.ts"], {
    "forgetting what a slice waited for with its next commit": ['"REMOVE away_since, waiting"', '"REMOVE away_since"'],
  }),
];

import { setTimeout as sleep } from "node:timers/promises";
import type { evaluateGate, GateInput, GateReply } from "../../contract/experiments/gates.ts";
import { uuidInProject } from "../../domain/access/identity.ts";
import type { ExperimentTrace } from "../../domain/experiments/experiment.ts";
import { comparedItems, type ItemTrace } from "../../domain/experiments/items.ts";
import { applyRule, comparesSides, decide, ruleKinds, type RuleKind } from "../../domain/experiments/rules.ts";
import { invalid } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { experimentReader, type ReadExperiment } from "./read.ts";

/** Seconds between two looks while a gate waits. */
const pause = 2;

type SentRule = GateInput["rules"][number];

const kindOf = (rule: SentRule): RuleKind => ruleKinds.find((kind) => rule[kind] !== undefined) ?? "max_drop";

const exitCodes = { pass: 0, fail: 1, cannot_tell: 3, running: 3 } as const;

/** Returns the measured values of traces: cost in US dollars, or latency of those that have ended. */
const measured = (traces: readonly ExperimentTrace[], kind: RuleKind): readonly ItemTrace[] =>
  traces.map(({ traceId, itemId, cost, latencyMilliseconds }) => {
    const value = kind === "max_cost_increase" ? cost : latencyMilliseconds;
    return { traceId, itemId, value: value === null ? { kind: "unjudged" } : { kind: "value", value, passed: null } };
  });

/** Returns the function that evaluates gates. */
export const gateEvaluation = (database: Database) => {
  const reader = experimentReader(database);

  const readBaseline = async (project: string, candidate: ReadExperiment, baseline: string) => {
    if (baseline !== "approved") return reader.read(project, uuidInProject(project, baseline));
    const approved = await reader.approvedOf(candidate.experiment);
    if (approved === null)
      throw invalid(["body", "baseline"], "The dataset of the candidate has no approved experiment");
    return reader.read(project, approved);
  };

  const evaluate = async (project: string, body: GateInput): Promise<GateReply> => {
    const candidate = await reader.read(project, uuidInProject(project, body.candidate));
    const baseline = body.baseline === undefined ? null : await readBaseline(project, candidate, body.baseline);
    const expected = await reader.expectedItems(candidate);
    const outcomeOf = async (rule: SentRule, at: number) => {
      const kind = kindOf(rule);
      if (comparesSides(kind) && baseline === null)
        throw invalid(["body", "rules", at], `A rule with ${kind} compares with a baseline`);
      const valuesOf = ({ traces }: ReadExperiment) =>
        rule.metric === undefined ? measured(traces, kind) : reader.values(project, traces, rule.metric);
      const [before, after] = await Promise.all([
        baseline === null || !comparesSides(kind) ? [] : valuesOf(baseline),
        valuesOf(candidate),
      ]);
      return {
        rule,
        isWatching: rule.watch,
        outcome: applyRule(kind, rule[kind] ?? 0, comparedItems(before, after, expected)),
      };
    };
    const outcomes = await Promise.all(body.rules.map(outcomeOf));
    const { verdict, failing } = decide(outcomes);
    const isRunning =
      candidate.traces.some(({ hasEnded }) => !hasEnded) || outcomes.some(({ outcome }) => outcome.items.unjudged > 0);
    const status = verdict === "cannot_tell" && isRunning ? "running" : verdict;
    const code = body.on_cannot_tell === undefined ? exitCodes[status] : exitCodes[body.on_cannot_tell];
    return {
      status,
      exit_code: status === "pass" || status === "fail" ? exitCodes[status] : code,
      candidate: candidate.experiment.id,
      baseline: baseline?.experiment.id ?? null,
      outcomes: outcomes.map((each) => {
        const { rule, outcome } = each;
        const { test, items, reason } = outcome;
        // What fails alone may be one of many rules of which some fail by chance.
        const isChance = outcome.verdict === "fail" && !each.isWatching && !failing.has(each);
        return {
          rule: Object.fromEntries(
            Object.entries(rule).filter(
              (entry): entry is [string, string | number | boolean] => entry[1] !== undefined,
            ),
          ),
          verdict: isChance ? ("cannot_tell" as const) : outcome.verdict,
          mean: test.mean,
          interval: test.interval,
          count: test.count,
          detectable_difference: test.detectable,
          items,
          reason,
          more_items: test.more,
        };
      }),
    };
  };

  return async ({ body, project }: HandlerRequest<typeof evaluateGate>): Promise<GateReply> => {
    const end = Date.now() + body.wait * 1_000;
    for (;;) {
      const reply = await evaluate(project.id, body);
      if (reply.status !== "running" || Date.now() + pause * 1_000 > end) return reply;
      await sleep(pause * 1_000);
    }
  };
};

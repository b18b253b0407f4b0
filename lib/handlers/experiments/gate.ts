import { setTimeout as sleep } from "node:timers/promises";
import { markdownType, type evaluateGate, type GateInput, type GateReply } from "../../contract/experiments/gates.ts";
import type { ExperimentTrace } from "../../domain/experiments/experiment.ts";
import { comparedItems } from "../../domain/experiments/items.ts";
import {
  applyRule,
  applyRuleWithoutPairs,
  comparesSides,
  decideGate,
  ruleKinds,
  type RuleKind,
  type RuleOutcome,
} from "../../domain/experiments/rules.ts";
import { epochOf } from "../../domain/instant.ts";
import { invalid } from "../../domain/refusal.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import type { Database } from "../../dynamo/database.ts";
import { acceptedType } from "../../http/accepted-type.ts";
import { gateMarkdown } from "../../http/datasets/gate-markdown.ts";
import { itemLabels, regressionsOf, testReply } from "../../http/datasets/experiment-reply.ts";
import { FixedText } from "../../http/documents/fixed-text.ts";
import { scoreNameCheck } from "../../http/metrics/unknown-score.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { runList } from "../../store/runs/list.ts";
import { openRunsOfProject } from "../../store/runs/open.ts";
import { correctionReader } from "../labels/corrections.ts";
import { correctedSides, type MetricSides } from "./corrected-sides.ts";
import { gateSides, type GateSide } from "./gate-sides.ts";
import { experimentReader, measured, unjudged } from "./read.ts";

/** Milliseconds between two looks while a gate waits, and after the request's start until the last look, of the gateway's 29 s. */
const [pause, lastLook] = [2_000, 20_000];

/** Most traces that the looks of one request read: each is up to one of the 20,000 look-ups of a request for each metric. */
const maxTracesRead = 15_000;

/** Milliseconds after the end of the last trace in which programs send the scores that they computed themselves. */
const scoreDelay = 120_000;

/** Milliseconds after the end of a run until its scores are read for sure. */
const scoreLag = 30_000;

/** Runs among which one is sought that has just ended, the newest; those that have not ended are sought apart, however many are newer. */
const maxRuns = 50;

/** Items of a rule that are named, and traces and runs that a gate waits for. */
const [maxNamed, maxAwaited] = [10, 20];

/** Milliseconds after its start in which a trace may end, as long as a project's longest `trace_silence`. */
const longestTrace = 86_400_000;

type SentRule = GateInput["rules"][number];

const kindOf = (rule: SentRule): RuleKind => ruleKinds.find((kind) => rule[kind] !== undefined) ?? "max_drop";

const exitCodes = { pass: 0, fail: 1, cannot_tell: 3, running: 3 } as const;

interface Outcome {
  readonly rule: SentRule;
  readonly isWatching: boolean;
  readonly outcome: RuleOutcome;
  readonly values: MetricSides;
}

const outcomeReply = ({ rule, isWatching, outcome }: Outcome, isFailing: boolean, sides: readonly GateSide[]) => ({
  rule: Object.fromEntries(
    Object.entries(rule).filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined),
  ),
  // What fails alone may be one of many rules of which some fail by chance.
  verdict: outcome.verdict === "fail" && !isWatching && !isFailing ? ("cannot_tell" as const) : outcome.verdict,
  ...testReply(outcome),
  more_items: outcome.test.more,
  regressions: regressionsOf(
    outcome.pairs,
    itemLabels(...sides.map(({ traces }) => traces)),
    kindOf(rule) === "max_drop" ? 1 : -1,
  ).slice(0, maxNamed),
});

/** True for a trace that has not ended in a day: what it has so far is no result, and nobody waits for it. */
const isAbandoned = ({ hasEnded, startedAt }: ExperimentTrace): boolean =>
  !hasEnded && Date.now() - epochOf(startedAt) >= longestTrace;

/** Milliseconds since the end of the last of some traces. */
const sinceLastEnd = (traces: readonly ExperimentTrace[]): number =>
  traces.reduce(
    (least, { startedAt, latencyMilliseconds }) =>
      Math.min(least, Date.now() - epochOf(startedAt) - (latencyMilliseconds ?? 0)),
    Infinity,
  );

/** Returns the function that evaluates gates. */
export const gateEvaluation = (database: Database) => {
  const reader = experimentReader(database);
  const checkScoreNames = scoreNameCheck(database, "trace");
  const [readSides, runs, openRuns] = [gateSides(database, reader), runList(database), openRunsOfProject(database)];
  const corrections = correctionReader(database);

  /** Returns the runs that have not ended, or have just ended, and may bring scores of one of these names. */
  const judgingRuns = async (project: string, names: ReadonlySet<string>): Promise<readonly string[]> => {
    const [newest, open] = await Promise.all([runs.page(project, "TRACE", {}, maxRuns, 0), openRuns(project)]);
    const judging = [...open, ...newest.runs].filter(
      ({ run: { status, order, completedAt } }) =>
        (!isTerminal(status) || (completedAt !== null && Date.now() - epochOf(completedAt) < scoreLag)) &&
        order.metrics.some((metric) => names.has(metric.split("@")[0] ?? metric)),
    );
    return [...new Set(judging.map(({ run }) => run.order.id))];
  };

  /** Returns what a gate waits for, null for nothing; neither traces nor runs while programs may still send scores. */
  const awaitedBy = async (project: string, sides: readonly GateSide[], outcomes: readonly Outcome[]) => {
    const traces = sides.flatMap((side) => side.traces);
    const ofExperiments = sides.flatMap((side) => (side.experiment === null ? [] : side.traces));
    const running = ofExperiments.filter((trace) => !trace.hasEnded && !isAbandoned(trace));
    if (running.length > 0)
      return { trace_ids: running.slice(0, maxAwaited).map(({ traceId }) => traceId), run_ids: [] };
    const missing = outcomes.flatMap(({ rule: { metric }, outcome }) =>
      metric !== undefined && outcome.items.unjudged > 0 ? metric : [],
    );
    if (missing.length === 0) return null;
    const runIds = await judgingRuns(project, new Set(missing));
    if (runIds.length === 0 && sinceLastEnd(traces) >= scoreDelay) return null;
    return { trace_ids: [], run_ids: runIds.slice(0, maxAwaited) };
  };

  const evaluate = async ({ body, project, query }: HandlerRequest<typeof evaluateGate>) => {
    body.rules.forEach((rule, at) => {
      if (comparesSides(kindOf(rule)) && body.baseline === undefined)
        throw invalid(["body", "rules", at], `A rule with ${kindOf(rule)} compares with a baseline`);
    });
    const { candidate, baseline } = await readSides(project, body);
    const sides = baseline === null ? [candidate] : [candidate, baseline];
    const names = [...new Set(body.rules.flatMap(({ metric }) => metric ?? []))];
    const valuesOf = ({ traces }: GateSide) => reader.values(project.id, traces, names, ["body", "rules"]);
    const [after, before] = await Promise.all(sides.map(valuesOf));
    const expected = candidate.experiment === null ? [] : await reader.expectedItems(candidate.experiment);
    const hasPairs = sides.every(({ experiment }) => experiment !== null);
    const outcomes = body.rules.map((rule): Outcome => {
      const kind = kindOf(rule);
      const ofSide = ({ experiment, traces }: GateSide, values: typeof after) => {
        const none = unjudged(traces);
        const measure = kind === "max_cost_increase" ? "cost" : "latency";
        const all = rule.metric === undefined ? measured(traces, measure) : (values?.get(rule.metric) ?? none);
        if (experiment === null) return all;
        return traces.flatMap((trace, at) => (isAbandoned(trace) ? none[at] : all[at]) ?? []);
      };
      const values = { baseline: baseline && ofSide(baseline, before), candidate: ofSide(candidate, after) };
      const both = [values.baseline ?? [], values.candidate] as const;
      const amount = rule[kind] ?? 0;
      return {
        rule,
        isWatching: rule.watch,
        outcome: hasPairs
          ? applyRule(kind, amount, comparedItems(...both, expected))
          : applyRuleWithoutPairs(kind, amount, ...both),
        values,
      };
    });
    const { verdict, failing } = decideGate(outcomes);
    // What is missing may be the slowest part: no verdict before all is there that may come.
    const awaited = await awaitedBy(project.id, sides, outcomes);
    const status = awaited === null ? verdict : ("running" as const);
    const correct = await corrections(project.id, query.corrected, names);
    const reply: GateReply = {
      status,
      exit_code: exitCodes[(status === "cannot_tell" ? body.on_cannot_tell : undefined) ?? status],
      candidate: candidate.experiment?.id ?? null,
      baseline: baseline?.experiment?.id ?? null,
      is_paired: hasPairs && baseline !== null,
      awaited,
      outcomes: outcomes.map((each) => {
        const { metric } = each.rule;
        const corrected = metric === undefined ? {} : correctedSides(correct, metric, each.values);
        return Object.assign(outcomeReply(each, failing.has(each), sides), corrected);
      }),
    };
    return { reply, traceCount: sides.reduce((sum, { traces }) => sum + traces.length, 0) };
  };

  const decided = async (request: HandlerRequest<typeof evaluateGate>): Promise<GateReply> => {
    const end = Math.min(Date.now() + request.body.wait * 1_000, request.startedAt + lastLook);
    for (let tracesRead = 0; ;) {
      const { reply, traceCount } = await evaluate(request);
      tracesRead += traceCount;
      const isLast = Date.now() + pause > end || tracesRead + traceCount > maxTracesRead;
      if (reply.status !== "running" || isLast) return reply;
      await sleep(pause);
    }
  };

  return async (request: HandlerRequest<typeof evaluateGate>): Promise<GateReply | FixedText> => {
    const reply = await decided(request);
    const { body, project, warn } = request;
    // Counters of scores may lag behind scores that the gate has read.
    const names = reply.outcomes.flatMap(({ reason }, at) =>
      reason === "no_scores" ? (body.rules[at]?.metric ?? []) : [],
    );
    await checkScoreNames(project.id, {}, warn, names);
    for (const side of [body.candidate, body.baseline])
      if (typeof side === "object") await checkScoreNames(project.id, side, warn);
    if (acceptedType(request.event, ["text/markdown"]) === null) return reply;
    return new FixedText(gateMarkdown(reply, request.serviceUrl), { "Content-Type": markdownType });
  };
};

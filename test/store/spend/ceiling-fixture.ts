import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import { createJudge } from "../../../lib/judge/create-judge.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Price } from "../../../lib/prices/price.ts";
import type { JudgeBudget } from "../../../lib/judge/spending/judge-budget.ts";
import { defaultTranscripts } from "../../../lib/judge/transcript/transcript.ts";
import { judgedMetrics } from "../../../lib/metrics/trace/definitions.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import type { Decide } from "../../support/faults/fault-kind.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { withoutFairShare } from "../../support/runs/without-fair-share.ts";
import { startBillingJudge, type BillingScript } from "../../support/runs/billing-judge.ts";
import { startFakeDecisions, type DecisionReply } from "../../support/runs/fake-decisions.ts";
import type { someTrace } from "../../support/traces/traces.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";
import { targetsOf } from "../runs/targets-fixture.ts";

/** A decision model's price and replies, and the cascade that it is the first judge of. */
export interface ScriptedDecisions {
  readonly price: Price;
  readonly says: () => DecisionReply;
  /** Share of pairs that the chat model may be asked about; null: none. */
  readonly atMost: number | null;
}

/** A run with a cost limit, and the behaviour of its judge. */
export interface CeilingScenario {
  readonly traces: number;
  readonly metrics: readonly string[];
  readonly text: (trace: number) => string;
  /** Fields of a trace with this index, instead of those made of `text` and `pictures`. */
  readonly fields?: (trace: number) => Parameters<typeof someTrace>[0];
  readonly model?: string;
  /** Decision model that judges in the place of the chat model, or before it; absent: the chat model alone. */
  readonly decisions?: ScriptedDecisions | undefined;
  readonly price: Price;
  readonly script: BillingScript;
  /** Cost limit of the run, US dollars; null: no limit. */
  readonly ceiling: number | null;
  /** Maximum number of parallel judge calls of a slice. */
  readonly calls: number;
  /** Number of images in each trace that the judge is sent. */
  readonly pictures: number;
  /** True if all slices are evaluated in parallel. */
  readonly together: boolean;
  /** Faults of a worker's connection to the database, drawn anew for each delivery; absent: none. */
  readonly faults?: () => Decide;
}

const pictureOf = (_: unknown, index: number): string =>
  `data:image/png;base64,iVBORw0KGgoA${String.fromCodePoint(65 + index).repeat(400)}`;

const functionMilliseconds = 175_000;
/** Milliseconds after which a dead worker's slice is delivered again, longer than a lease. */
const redeliveryMilliseconds = 45_000;

/**
 * Runs a scenario to its end, with slices in parallel or in sequence, on a clock that skips waiting times. `minReservation` is the
 * largest minimum reservation that a judge call requested, US dollars; 0 without a cost limit.
 */
export const runUnderCeiling = async (database: Database, scenario: CeilingScenario) => {
  const { traces, metrics, text, price, script, ceiling, calls, pictures, together, model = "openai/judge" } = scenario;
  const { faults = () => () => null } = scenario;
  const fake = await startBillingJudge(price, script);
  const first = await startFakeDecisions(0, scenario.decisions?.price.input);
  if (scenario.decisions !== undefined) first.script(scenario.decisions.says);
  const decisionModel = "systemone/jev";
  const prices = new Map([
    [model, price],
    [decisionModel, scenario.decisions?.price ?? price],
  ]);
  try {
    const fieldsOfText = (index: number) => ({
      input: { question: text(index), pictures: Array.from({ length: pictures }, pictureOf) },
      output: { answer: text(index + 1) },
    });
    const atMost = scenario.decisions?.atMost ?? null;
    const when = { confidence_below: 0.8, coverage_below: null };
    const order = {
      maxCostUsd: ceiling,
      resolvedModel: scenario.decisions === undefined ? model : decisionModel,
      ...(atMost !== null && { judge: { first: decisionModel, escalate: { to: model, when, at_most: atMost } } }),
    };
    const run = await storedRun(database, traces, metrics, order, scenario.fields ?? fieldsOfText);
    let at = Date.now();
    const now = (): number => at;
    const judge = createJudge({
      metrics: judgedMetrics,
      providers: { openai: { key: "/key", baseUrl: "/base-url" }, systemone: { baseUrl: "/decisions" } },
      parameter: async (name) =>
        name === "/key" ? "sk-test-0123456789abcdef" : name === "/decisions" ? first.url : fake.url,
      prices,
      transcripts: { ...defaultTranscripts, pictures: { [model]: pictures } },
      timing: {
        now,
        random: () => 0.5,
        maxCallTime: 30_000,
        // A sleep with a signal is the deadline guard, which ends with its call.
        sleep: (_, signal) =>
          new Promise((resolve) => {
            if (signal === undefined) resolve();
            else signal.addEventListener("abort", () => resolve(), { once: true });
          }),
      },
    });
    let minReservation = 0;
    /** Records the largest minimum that a judge call requests. */
    const recordingBudget = (budget: JudgeBudget): JudgeBudget => ({
      reserve: (request) => {
        minReservation = Math.max(minReservation, request.min);
        return budget.reserve(request);
      },
    });
    const recordingJudge: Judge = {
      ...judge,
      target: (request) => {
        const target = judge.target(request);
        return {
          ...target,
          score: (metric, deadline, budget) =>
            target.score(metric, deadline, ceiling === null || budget === undefined ? budget : recordingBudget(budget)),
        };
      },
    };
    const workerOn = (connection: Database) =>
      sliceEvaluation({
        runs: runStore(connection, now),
        slices: sliceStore(connection, now),
        settlement: settling(connection, now),
        runInTurn: withoutFairShare,
        targets: targetsOf(connection, recordingJudge, now),
        judge: recordingJudge,
        spending: {
          spend: spendStore(connection, now),
          priceOf: (name) => prices.get(name) ?? null,
          ceilings: { project: null, organization: null, deployment: null },
          organizationOf: async () => null,
        },
        calls,
        now,
      });
    const deliver = async (slice: string): Promise<SliceResult> => {
      const message = { project: run.order.projectId, run: run.order.id, slice };
      const connection = faultyDatabase(database, faults());
      try {
        return await workerOn(connection)(message, at + functionMilliseconds);
      } catch (error) {
        if (!connection.crashed) throw error;
        return { kind: "later", at: at + redeliveryMilliseconds };
      }
    };
    const due = new Map(run.slices.map((slice) => [slice, at]));
    for (let round = 0; due.size > 0 && round < 500; round += 1) {
      at = Math.max(at, Math.min(...due.values()));
      const ready = [...due].filter(([, until]) => until <= at).map(([slice]) => slice);
      await Promise.all(
        ready.slice(0, together ? undefined : 1).map(async (slice) => {
          const result = await deliver(slice);
          // What another one works on, or nobody was told to wake, the sweeper sends again.
          const next = "at" in result ? result.at : at + redeliveryMilliseconds;
          if (result.kind === "over") due.delete(slice);
          else due.set(slice, Math.max(next, at + 1));
        }),
      );
    }
    const endedRun = await run.runs.get(run.order.projectId, run.order.id);
    if (endedRun === null) throw new Error("The run is gone.");
    return { run: endedRun, billed: fake.billed() + first.billed(), prompts: fake.prompts(), minReservation };
  } finally {
    await fake.close();
    await first.close();
  }
};

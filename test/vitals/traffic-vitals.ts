import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { runEstimate } from "../../lib/contract/runs/estimate.ts";
import { createTraceRun } from "../../lib/contract/runs/trace-runs.ts";
import { createTraces } from "../../lib/contract/traces/batch.ts";
import { createTrace } from "../../lib/contract/traces/traces.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { defaultJudge } from "../../lib/judge/prices/listed-judges.ts";
import { priceOf } from "../../lib/prices/judge-prices.ts";
import { newProject } from "../support/service/client.ts";
import { storageOf } from "../support/service/service-database.ts";
import type { RunningService } from "../support/service/service.ts";
import { endedRun } from "../support/runs/ended-run.ts";
import { costOf } from "./cost.ts";
import type { CountedRequest } from "./counted-engine.ts";
import { loggedBytes, meanLineBytes } from "./logged-bytes.ts";
import { storedBytes } from "./stored-bytes.ts";
import {
  type Ingest,
  ingestDollars,
  judgingDollars,
  keepingDollars,
  logDollars,
  traceMonths,
  type Keeping,
  type Stored,
  workerDollars,
} from "./traffic-bill.ts";
import type { Vital } from "./vital.ts";

const times = 20;
/** Milliseconds, longer than the stream windows. */
const quietMilliseconds = 4_000;
/** Dearer judge to compare with the default one. */
const dearerJudge = "openai/gpt-5.4-mini";
const metrics = ["task_completion", "tool_correctness", "step_efficiency"];

const asUsual: Keeping = { tableClass: {}, withoutRecovery: [] };
const cheaper: Keeping = { tableClass: { bodies: "STANDARD_INFREQUENT_ACCESS" }, withoutRecovery: ["bodies"] };

const endpoints = /Authorizer|Routes/u;
const streamWorker = /AggregateTraces/u;

/** Ingestion at 40 traces a second, 100 million a month: about a hundred in each batch of the stream's worker. */
const atPace = (ingest: Ingest): Ingest => ({ ...ingest, batches: 0.01 });

const kibibytes = (trace: object): number => Buffer.byteLength(JSON.stringify(trace)) / 1024;

/** A copy of a trace with as many spans as fit into about `size` bytes. */
const cutTo = (trace: IdentifiedTrace, size: number): IdentifiedTrace => {
  const { spans = [], ...traceWithoutSpans } = trace;
  let cut: IdentifiedTrace = { ...traceWithoutSpans, spans: spans.slice(0, 1) };
  for (let count = 2; count <= spans.length && kibibytes(cut) < size; count += 1)
    cut = { ...traceWithoutSpans, spans: spans.slice(0, count) };
  return cut;
};

const dollars = (amount: number): string =>
  amount >= 1000 ? `$${Math.round(amount).toLocaleString("en-US")}` : `$${amount.toFixed(2)}`;

/** Costs per million traces of two sizes, computed from the measured DynamoDB requests and AWS prices. */
export const trafficVitals = async (
  service: RunningService,
  requests: readonly CountedRequest[],
  sample: readonly IdentifiedTrace[],
): Promise<readonly Vital[]> => {
  const quiet = async (): Promise<void> => {
    for (let before = -1; before !== requests.length;) {
      before = requests.length;
      await wait(quietMilliseconds);
    }
  };
  const countUnits = async (work: () => Promise<unknown>, count: number) => {
    await quiet();
    const from = requests.length;
    await work();
    await quiet();
    return costOf(
      requests.slice(from).filter(({ caller }) => /Authorizer|Routes|Worker/u.test(caller) && !/Sweep/u.test(caller)),
      count,
    );
  };
  const storage = storageOf(service);

  const ofSize = async (traces: readonly IdentifiedTrace[]) => {
    const project = newProject(service);
    const fresh = (trace: IdentifiedTrace) => ({ ...trace, trace_id: randomUUID() });
    const sendTrace = async () => {
      for (const trace of traces.slice(0, times)) await project.answer(createTrace, { body: fresh(trace) });
    };
    const batches = async () => {
      for (const from of [0, 10])
        await project.answer(createTraces, { body: { traces: traces.slice(from, from + 10).map(fresh) } });
    };
    // Warms up the project cache and the list of days.
    await sendTrace();
    const before = await storedBytes(storage);
    const loggedBefore = loggedBytes(service.directory, endpoints);
    const single = await countUnits(sendTrace, times);
    const loggedByCall = (loggedBytes(service.directory, endpoints) - loggedBefore) / times;
    const after = await storedBytes(storage);
    const batch = await countUnits(batches, times);
    const { limits: _counters, access: _people, ...projectTables } = after;
    const bytesByTable: Stored = Object.fromEntries(
      Object.entries(projectTables).map(([table, bytes]) => [
        table,
        (bytes - (Object.entries(before).find(([name]) => name === table)?.[1] ?? 0)) / times,
      ]),
    );
    const estimateOf = async (model: string) => {
      const reply = await project.call(createTraceRun, { query: { dry_run: "true" }, body: { metrics, model } });
      return v.parse(runEstimate, JSON.parse(reply.text));
    };
    const [estimate, dearer] = [await estimateOf(defaultJudge), await estimateOf(dearerJudge)];
    const logged = { loggedByCall, loggedByBatch: meanLineBytes(service.directory, streamWorker, "batch_begun") };
    return {
      project,
      single: { calls: 1, batches: 1, ...single, ...logged },
      batch: { calls: 0.1, batches: 0.1, ...batch, ...logged },
      stored: bytesByTable,
      estimate,
      dearer,
    };
  };

  const large = await ofSize(sample);
  const short = sample.map((trace) => cutTo(trace, 5));
  const small = await ofSize(short);
  const judged = await countUnits(
    async () =>
      endedRun(large.project, await large.project.answer(createTraceRun, { body: { metrics: [metrics[0]] } })),
    3 * times,
  );
  const price = priceOf(defaultJudge, new Map());
  if (price === null) throw new Error(`${defaultJudge} has no price.`);
  const meanSize = (traces: readonly IdentifiedTrace[]): string => {
    const sizes = traces.slice(0, times).map(kibibytes);
    return `${Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length)} KiB`;
  };
  const sizes = [sample, short].map(meanSize);
  const row = (name: string, figure: (one: typeof large) => string): Vital => ({
    name,
    figure: `${figure(large)} | ${figure(small)}`,
  });
  const judging = ({ estimate }: typeof large) => {
    const { judge_calls: calls, prompt_tokens: prompt, completion_tokens: completion, targets } = estimate;
    const each = {
      promptTokens: prompt / calls,
      completionTokens: completion / calls,
      read: judged.read,
      write: judged.write,
    };
    const { model, store } = judgingDollars(each, price);
    // A tenth of a million traces, each with the calls of three metrics.
    const judgements = (0.1 * calls) / targets;
    return { model: model * judgements, store: store * judgements };
  };
  /** US dollars for the model that judges a tenth of a million traces, with the provider's cache. */
  const cachedModel = ({ estimate: { cached_cost_usd: cached, targets } }: typeof large): number =>
    (100_000 * (cached ?? Number.NaN)) / targets;
  /** Formats the cost of judging a tenth of a million traces: without and with the provider's cache. */
  const tenth = (
    targets: number,
    cost: { readonly cost_usd: number | null; readonly cached_cost_usd: number | null },
  ) =>
    [cost.cost_usd, cost.cached_cost_usd].map((usd) => dollars((100_000 * (usd ?? Number.NaN)) / targets)).join("; ");
  return [
    { name: "per million traces of", figure: sizes.join(" | ") },
    { name: "---", figure: "--- | ---" },
    row(
      "sent one by one: write and read units of a trace",
      ({ single }) => `${single.write.toFixed(1)} and ${single.read.toFixed(1)}`,
    ),
    row("sent one by one", ({ single }) => dollars(ingestDollars(single))),
    row("of it the stream's worker: a batch for each trace; for a hundred", ({ single }) =>
      [single, atPace(single)].map((ingest) => dollars(workerDollars(ingest))).join("; "),
    ),
    row(
      "of it log lines, stored for a month",
      ({ single }) =>
        `${dollars(logDollars(single))} (${Math.round(single.loggedByCall)} and ${Math.round(single.loggedByBatch)} bytes)`,
    ),
    row("sent in batches of ten", ({ batch }) => dollars(ingestDollars(batch))),
    row(
      "bytes of a trace in `bodies`; in `rows` and its index",
      ({ stored }) =>
        `${Math.round(stored.bodies ?? 0).toLocaleString("en-US")}; ${Math.round(stored.rows ?? 0).toLocaleString("en-US")}`,
    ),
    row("kept for a month", ({ stored }) => dollars(keepingDollars(stored, asUsual))),
    row("kept for a month, `bodies` in Standard-IA without recovery", ({ stored }) =>
      dollars(keepingDollars(stored, cheaper)),
    ),
    row(`a tenth judged by three metrics, ${defaultJudge}`, (size) => dollars(judging(size).model)),
    row("the same with the provider's cache", (size) => dollars(cachedModel(size))),
    row("the same at its flex tier; with the cache", ({ estimate: { targets, alternatives } }) =>
      alternatives[0] === undefined ? "not sold" : tenth(targets, alternatives[0]),
    ),
    row(`the same by ${dearerJudge}; with the cache`, ({ dearer }) => tenth(dearer.targets, dearer)),
    row("the same: DynamoDB", (size) => dollars(judging(size).store)),
    row("sent one by one, kept for a month, a tenth judged; with the provider's cache", (size) => {
      const { model, store } = judging(size);
      const others = ingestDollars(size.single) + keepingDollars(size.stored, asUsual) + store;
      return [model, cachedModel(size)].map((judge) => dollars(others + judge)).join("; ");
    }),
    ...[1, 100].flatMap((millions) => [
      row(`${millions} million a month for three years: sending`, ({ single }) =>
        dollars(36 * millions * ingestDollars(millions === 1 ? single : atPace(single))),
      ),
      row(`${millions} million a month for three years: keeping all`, ({ stored }) =>
        dollars(traceMonths(millions, 36) * keepingDollars(stored, asUsual)),
      ),
      row(`${millions} million a month for three years: keeping all, \`bodies\` cheaper`, ({ stored }) =>
        dollars(traceMonths(millions, 36) * keepingDollars(stored, cheaper)),
      ),
      row(`${millions} million a month for three years: keeping 90 days`, ({ stored }) =>
        dollars(36 * 3 * millions * keepingDollars(stored, asUsual)),
      ),
    ]),
  ];
};

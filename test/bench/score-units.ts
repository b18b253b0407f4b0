import { randomUUID } from "node:crypto";
import Table from "cli-table3";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { judgedPair, judgementOf } from "../../lib/evaluation/slices/settled-pairs.ts";
import { traceScorer } from "../../lib/evaluation/slices/trace-targets.ts";
import type { Complete } from "../../lib/judge/providers/provider.ts";
import { noTokens } from "../../lib/prices/price.ts";
import { maxCommitActions } from "../../lib/store/runs/commit-size.ts";
import type { Settled } from "../../lib/store/runs/settled-pairs.ts";
import { scoreItems } from "../../lib/store/scores/codec.ts";
import { traceReader } from "../../lib/store/traces/reader.ts";
import { settling, storedRun } from "../store/runs/run-fixture.ts";
import { startDatabase } from "../support/database/database.ts";
import { judgeAnsweredBy } from "../support/runs/judge-answered-by.ts";
import { median } from "./median.ts";
import { anAnswer } from "./mock-judge.ts";

type Part = Readonly<Record<string, { readonly CapacityUnits?: number }>>;

interface Consumed {
  readonly TableName: string;
  readonly Table: { readonly CapacityUnits?: number };
  readonly GlobalSecondaryIndexes?: Part;
}

/** Sums the write units of all following transactions by table and index. @returns the sums, which grow. */
const transactionUnits = ({ client }: Database): ReadonlyMap<string, number> => {
  const units = new Map<string, number>();
  const add = (part: string, { CapacityUnits = 0 }: { readonly CapacityUnits?: number }): void => {
    units.set(part, (units.get(part) ?? 0) + CapacityUnits);
  };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "INDEXES" } });
      if (context["commandName"] !== "TransactWriteItemsCommand") return result;
      const output: unknown = result.output;
      for (const { TableName, Table, GlobalSecondaryIndexes = {} } of (output as { ConsumedCapacity: Consumed[] })
        .ConsumedCapacity) {
        add(TableName, Table);
        for (const [index, part] of Object.entries(GlobalSecondaryIndexes)) add(`${TableName}, ${index}`, part);
      }
      return result;
    },
    { step: "initialize", name: "transactionUnits" },
  );
  return units;
};

/** Bytes that DynamoDB counts for an item: the names and the values, numbers as texts. */
const itemBytes = (item: Readonly<Record<string, string | number | Uint8Array | undefined>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => {
    if (value === undefined) return sum;
    return sum + name.length + (value instanceof Uint8Array ? value.length : Buffer.byteLength(String(value)));
  }, 0);

/** A judge's reason of three statements, 287 characters. */
const longReason =
  "The agent looked up order 1042 and quoted its state correctly, but promised a refund within two days although the policy " +
  "in the record allows five; it never asked for the customer's confirmation before it cancelled the second parcel, and its " +
  "last message omits the number that was given.";

/** Commits scores of some metrics of each trace, as many at a time as a transaction takes. @param reason of each score; the judge's if null. */
const commitScores = async (sample: readonly IdentifiedTrace[], metrics: number, reason: string | null) => {
  const names = Array.from({ length: metrics }, (_, index) => `confidence_${index}`);
  const targets = Math.floor(maxCommitActions / (2 * metrics + 1));
  const database = await startDatabase();
  const run = await storedRun(database, targets, names, { resolvedModel: "openai/gpt-5.4-mini" }, (index) => ({
    ...sample[index % sample.length],
    trace_id: randomUUID(),
  }));
  const storedSlice = await run.claim(0);
  const settled: Settled[] = [];
  for (const [target, id] of storedSlice.slice.targets.entries()) {
    const stored = await traceReader(database).get(run.order.projectId, id);
    if (stored === null) throw new Error(`The trace ${id} is not stored.`);
    const scored = traceScorer({ order: run.order }, stored, Date.now);
    const complete: Complete = async ({ schema, question }) => ({
      kind: "answer",
      text: JSON.stringify(anAnswer(schema, question)),
      tokens: noTokens,
    });
    const verdict = await judgeAnsweredBy(complete, stored.trace).score("confidence", Date.now() + 60_000);
    const judged = judgementOf(verdict);
    const judgement = { ...judged, reason: reason ?? judged.reason };
    for (const [metric, name] of names.entries())
      settled.push(judgedPair(target * metrics + metric, judgement, scored(name, judgement)));
  }
  const units = transactionUnits(database);
  await settling(database).commit(storedSlice, metrics, settled);
  const sizes = settled.map(({ checkedScore }) => {
    if (checkedScore === null || !("trace_id" in checkedScore.score)) throw new Error("A pair has no score.");
    return scoreItems(checkedScore.score, checkedScore.check).map(itemBytes);
  });
  await database.close();
  return { scores: settled.length, units, sizes };
};

/**
 * Prints the write units of storing a score of a trace by table and index, and the bytes of its items, for runs of one
 * metric, three and 17, with short and long reasons. A full transaction stores the scores and ends the run.
 */
export const benchScoreUnits = async (sample: readonly IdentifiedTrace[]): Promise<void> => {
  const parts = ["scores", "scores, by-time", "scores, by-run", "rows"];
  const head = ["metrics", "reason", "scores a commit", ...parts, "runs", "all", "bytes: score, copy", "above 1 KB"];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const reason of [null, longReason])
    for (const metrics of [1, 3, 17]) {
      const { scores, units, sizes } = await commitScores(sample, metrics, reason);
      const perScore = (sum: number): string => (sum / scores).toFixed(2);
      const unitsOf = parts.map((part) => units.get(part) ?? 0);
      const total = [...units.values()].reduce((sum, each) => sum + each, 0);
      const middle = (item: number): number => median(sizes.map((bytes) => bytes[item] ?? 0));
      table.push([
        metrics,
        reason === null ? "short" : "long",
        scores,
        ...unitsOf.map(perScore),
        perScore(unitsOf.reduce((rest, each) => rest - each, total)),
        perScore(total),
        `${middle(0)}, ${middle(1)}`,
        sizes.filter(([bytes = 0]) => bytes > 1024).length,
      ]);
    }
  console.log(table.toString());
};

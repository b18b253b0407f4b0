import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as v from "valibot";
import type { JsonObject } from "../../domain/json.ts";
import type { HeldJudgement } from "../../domain/runs/cascade.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import type { InapplicableCode } from "../../domain/scores/inapplicable.ts";
import { judgeOfId } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf, type Write } from "../../dynamo/items.ts";
import { heldKey, heldPrefix, runPartition } from "./keys.ts";

/** Held judgements of one item: with 16 KB of metadata and a reason each, it stays below DynamoDB's 400 KB. */
const judgementsPerItem = 8;

/** Seconds (90 days) after which a judgement that no second judge was asked about is gone. */
const heldSeconds = 90 * 86_400;

/** The pairs of one item of held judgements, in their order. */
export type HeldItem = readonly number[];

/** A held judgement with the incarnation of its trace: a trace that was sent again is judged again. */
export interface StoredHeldJudgement extends HeldJudgement {
  readonly incarnation: string;
}

const orNull = v.nullable(v.string());

const packedJudgements = v.array(
  v.looseObject({
    pair: v.number(),
    confidence: v.nullable(v.number()),
    incarnation: v.string(),
    value: v.nullable(v.number()),
    reason: orNull,
    metadata: v.custom<JsonObject>((value) => typeof value === "object" && value !== null),
    /** Id of the judge, or of both judges. */
    judge: v.string(),
    inapplicable: v.nullable(v.custom<InapplicableCode>((value) => typeof value === "string")),
    evidence: v.nullable(
      v.object({ cited: v.array(v.object({ span_id: orNull, quote: orNull })), dropped: v.number() }),
    ),
    traceVersion: v.nullable(v.number()),
    category: v.optional(v.string()),
  }),
);

const pack = (judgements: readonly StoredHeldJudgement[]): Uint8Array =>
  deflateRawSync(
    JSON.stringify(
      judgements.map(({ judgement: { grounds, ...judgement }, ...heldJudgement }) => ({
        ...heldJudgement,
        ...judgement,
        judge: grounds?.judge.id ?? "",
        inapplicable: grounds?.inapplicable ?? null,
        evidence: grounds?.evidence ?? null,
        traceVersion: grounds?.traceVersion ?? null,
        category: grounds?.category,
      })),
    ),
  );

/** Unpacks held judgements; none if another build packed them in a way that this one cannot read. */
const unpack = (packed: Uint8Array): readonly StoredHeldJudgement[] => {
  const { success, output } = v.safeParse(packedJudgements, JSON.parse(inflateRawSync(packed).toString()));
  if (!success) return [];
  return output.map(({ pair, confidence, incarnation, value, reason, metadata, judge, ...basis }) => {
    const { inapplicable, evidence, traceVersion, category } = basis;
    const grounds =
      judge === "" ? undefined : { judge: judgeOfId(judge), inapplicable, evidence, traceVersion, category };
    return { pair, confidence, incarnation, judgement: { value, reason, metadata, grounds } };
  });
};

/**
 * Returns the writes that store judgements of one call beside their slice, for the transaction that counts their cost, and the items
 * that they make.
 */
export const heldWrites = (
  { projectId, runId, id }: Pick<Slice, "projectId" | "runId" | "id">,
  judgements: readonly StoredHeldJudgement[],
  now: number,
): { readonly writes: readonly Write[]; readonly items: readonly HeldItem[] } => {
  const writes: Write[] = [];
  const items: HeldItem[] = [];
  for (let start = 0; start < judgements.length; start += judgementsPerItem) {
    const part = judgements.slice(start, start + judgementsPerItem);
    const key = heldKey(projectId, runId, id, part[0]?.pair ?? 0);
    writes.push({ put: { ...key, d: pack(part), ttl: Math.floor(now / 1000) + heldSeconds } });
    items.push(part.map(({ pair }) => pair));
  }
  return { writes, items };
};

/** Returns the write that removes an item of held judgements. */
export const heldRemoval = (
  { projectId, runId, id }: Pick<Slice, "projectId" | "runId" | "id">,
  [firstPair = 0]: HeldItem,
): Write => ({ remove: heldKey(projectId, runId, id, firstPair) });

/** Reads the held judgements of a slice by their pairs, and their items. */
export type ReadHeldJudgements = (slice: Pick<Slice, "projectId" | "runId" | "id">) => Promise<{
  readonly judgements: Map<number, StoredHeldJudgement>;
  readonly items: readonly HeldItem[];
}>;

export const heldJudgementReader =
  (database: Database): ReadHeldJudgements =>
  async ({ projectId, runId, id }) => {
    const { pk, sk } = heldKey(projectId, runId, id);
    const judgements = new Map<number, StoredHeldJudgement>();
    const items: HeldItem[] = [];
    for (const { d } of await itemsOf(database, "runs").list({ pk, prefix: sk })) {
      const heldJudgements = d instanceof Uint8Array ? unpack(d) : [];
      for (const heldJudgement of heldJudgements) judgements.set(heldJudgement.pair, heldJudgement);
      if (heldJudgements.length > 0) items.push(heldJudgements.map(({ pair }) => pair));
    }
    return { judgements, items };
  };

/**
 * Removes the texts of held judgements about some incarnations of traces. Their pairs stay held, and are settled as missing.
 *
 * @param among returns those of some incarnations that are erased.
 * @returns the number of changed items.
 */
export const blankHeldJudgements = async (
  database: Database,
  project: string,
  run: string,
  among: (incarnations: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<number> => {
  const items = itemsOf(database, "runs");
  let changed = 0;
  for await (const { pk, sk, d } of items.query({ pk: runPartition(project, run), prefix: heldPrefix })) {
    const judgements = d instanceof Uint8Array ? unpack(d) : [];
    const erased = await among(judgements.map(({ incarnation }) => incarnation));
    const isBlank = ({ judgement: { reason, metadata, grounds } }: StoredHeldJudgement): boolean =>
      reason === null && grounds === undefined && Object.keys(metadata).length === 0;
    if (!judgements.some((each) => erased.has(each.incarnation) && !isBlank(each))) continue;
    const blank = judgements.map(({ judgement, ...each }) => ({
      pair: each.pair,
      confidence: each.confidence,
      incarnation: each.incarnation,
      judgement: erased.has(each.incarnation)
        ? { value: judgement.value, reason: null, metadata: {}, grounds: undefined }
        : judgement,
    }));
    // A commit that has removed the item meanwhile has removed its texts, too.
    await ifConditionHolds(
      items.update({ pk, sk }, "SET d = :after", { when: "d = :d", values: { ":d": d, ":after": pack(blank) } }),
    );
    changed += 1;
  }
  return changed;
};

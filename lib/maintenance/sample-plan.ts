import * as v from "valibot";
import { hourNumber, hourText, type Hour } from "../domain/analytics/bucket.ts";
import type { Cursor, CursorLocation } from "../dynamo/cursor.ts";
import { withPartition } from "../store/traces/keys.ts";

/** Cursor of the daily sample. An unfinished sample is dropped after two days. */
export const sampleCursor: CursorLocation = { table: "aggregates", name: "sum-sample-place", ttlSeconds: 2 * 86_400 };

/** Project days drawn per daily sample. */
const sampleSize = 20;

const hoursOfDay = 24;

/** A UTC day of a project, and the partition of its rows that is checked, by number. */
export interface SampledDay {
  readonly project: string;
  readonly day: string;
  readonly partition: number;
}

/** The next step of a sample: draw a random project day, or check an hour of the drawn day. */
export type SampleStep =
  | { readonly kind: "draw" }
  | { readonly kind: "hour"; readonly project: string; readonly partition: number; readonly hour: Hour };

const planSchema = v.object({
  /** Days still to be drawn. */
  left: v.number(),
  /** Days drawn so far, as `<project> <day>`. */
  seen: v.array(v.string()),
  /** The day being checked and its next hour, 0 to 23. */
  day: v.nullable(
    v.object({ project: v.string(), day: v.string(), partition: v.optional(v.number(), 0), next: v.number() }),
  ),
});

type Plan = Readonly<v.InferOutput<typeof planSchema>>;

const nameOf = ({ project, day, partition }: SampledDay): string => `${project} ${withPartition(day, partition)}`;

/** Returns the plan after a step. */
const afterStep = (plan: Plan, step: SampleStep): Plan => {
  if (step.kind === "draw") return { ...plan, left: plan.left - 1 };
  const next = (plan.day?.next ?? 0) + 1;
  return { ...plan, day: plan.day === null || next === hoursOfDay ? null : { ...plan.day, next } };
};

/**
 * The remaining steps of the daily sample, stored at a cursor.
 *
 * @param shouldBegin called when no sample is unfinished; true starts a new one.
 */
export const samplePlan = (cursor: Cursor, shouldBegin: () => Promise<boolean>) => {
  let plan: Plan | null = null;

  const savePlan = async (next: Plan | null): Promise<void> => {
    await cursor.set(next === null ? null : JSON.stringify(next));
    plan = next;
  };

  return {
    steps: async function* (): AsyncGenerator<SampleStep> {
      const text = await cursor.get();
      if (text !== null) plan = v.parse(planSchema, JSON.parse(text));
      else if (await shouldBegin()) plan = { left: sampleSize, seen: [], day: null };
      for (;;) {
        if (plan === null) return;
        const { left: remainingDraws, day }: Plan = plan;
        if (day !== null) {
          const { project, partition } = day;
          yield { kind: "hour", project, partition, hour: hourText(hourNumber(`${day.day}T00`) + day.next) };
        } else if (remainingDraws > 0) yield { kind: "draw" };
        else await savePlan(null);
      }
    },

    /** Records a step before it runs, so that a step that kills its worker is not repeated. */
    recordStep: async (step: SampleStep): Promise<boolean> => {
      if (plan !== null) await savePlan(afterStep(plan, step));
      return true;
    },

    /** Puts back an hour for which time ran out. */
    putBack: async (project: string, partition: number, hour: Hour): Promise<void> => {
      const next = hourNumber(hour) - hourNumber(`${hour.slice(0, 10)}T00`);
      if (plan !== null) await savePlan({ ...plan, day: { project, day: hour.slice(0, 10), partition, next } });
    },

    /** Adds a drawn day to the plan. @returns false if the sample has drawn that day before. */
    addDay: async (sampled: SampledDay): Promise<boolean> => {
      if (plan === null || plan.seen.includes(nameOf(sampled))) return false;
      await savePlan({ ...plan, seen: [...plan.seen, nameOf(sampled)], day: { ...sampled, next: 0 } });
      return true;
    },
  };
};

import * as v from "valibot";
import { hourNumber, hourText, type Hour } from "../domain/analytics/bucket.ts";
import type { Cursor, CursorPlace } from "../store/cursor.ts";

/** How far a sample has come. One that has not ended within two days is given up. */
export const samplePlace: CursorPlace = { table: "aggregates", name: "sum-sample-place", kept: 2 * 86_400 };

/** Days of projects that are looked at in a day. */
const sampleSize = 20;

const hoursOfDay = 24;

/** A UTC day of a project. */
export interface SampledDay {
  readonly project: string;
  readonly day: string;
}

/** What is to be done next: look for a day at random, or look at an hour of the one that was found. */
export type SampleStep =
  | { readonly kind: "draw" }
  | { readonly kind: "hour"; readonly project: string; readonly hour: Hour };

const planned = v.object({
  /** Days that are still to be drawn. */
  left: v.number(),
  /** What was drawn before. */
  seen: v.array(v.string()),
  /** The day that is being looked at, and its next hour. */
  day: v.nullable(v.object({ project: v.string(), day: v.string(), next: v.number() })),
});

type Planned = Readonly<v.InferOutput<typeof planned>>;

const nameOf = ({ project, day }: SampledDay): string => `${project} ${day}`;

/** The plan once a step of it has been taken. */
const without = (plan: Planned, step: SampleStep): Planned => {
  if (step.kind === "draw") return { ...plan, left: plan.left - 1 };
  const next = (plan.day?.next ?? 0) + 1;
  return { ...plan, day: plan.day === null || next === hoursOfDay ? null : { ...plan.day, next } };
};

/**
 * The steps of a day's sample, from where it ended.
 *
 * @param begin whether a new sample is to begin, asked when none is under way.
 */
export const samplePlan = (cursor: Cursor, begin: () => Promise<boolean>) => {
  let plan: Planned | null = null;

  const note = async (next: Planned | null): Promise<void> => {
    await cursor.set(next === null ? null : JSON.stringify(next));
    plan = next;
  };

  return {
    steps: async function* (): AsyncGenerator<SampleStep> {
      const text = await cursor.get();
      if (text !== null) plan = v.parse(planned, JSON.parse(text));
      else if (await begin()) plan = { left: sampleSize, seen: [], day: null };
      for (;;) {
        if (plan === null) return;
        const { left, day }: Planned = plan;
        if (day !== null) {
          yield { kind: "hour", project: day.project, hour: hourText(hourNumber(`${day.day}T00`) + day.next) };
        } else if (left > 0) yield { kind: "draw" };
        else await note(null);
      }
    },

    /** Notes that a step is being taken: one that its worker dies of is not taken again. */
    take: async (step: SampleStep): Promise<boolean> => {
      if (plan !== null) await note(without(plan, step));
      return true;
    },

    /** Puts an hour back for which there was no more time. */
    putBack: async (project: string, hour: Hour): Promise<void> => {
      const next = hourNumber(hour) - hourNumber(`${hour.slice(0, 10)}T00`);
      if (plan !== null) await note({ ...plan, day: { project, day: hour.slice(0, 10), next } });
    },

    /** Takes a day that was drawn into the plan. @returns false when it was there before. */
    look: async ({ project, day }: SampledDay): Promise<boolean> => {
      if (plan === null || plan.seen.includes(nameOf({ project, day }))) return false;
      await note({ ...plan, seen: [...plan.seen, nameOf({ project, day })], day: { project, day, next: 0 } });
      return true;
    },
  };
};

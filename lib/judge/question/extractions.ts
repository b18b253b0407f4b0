import type { Asked } from "./ask.ts";

/** The answer of an extraction, and whether this request made the call that pays for it. */
interface Extracted {
  readonly asked: Asked<unknown>;
  readonly own: boolean;
}

/** What several metrics need from one target by name, each asked once. */
export type Extractions = (name: string, asking: () => Promise<Asked<unknown>>) => Promise<Extracted>;

/** Nothing extracted yet. What failed is forgotten, so a pair that is tried again asks again. */
export const extractions = (): Extractions => {
  const kept = new Map<string, Promise<Asked<unknown>>>();
  return async (name, asking) => {
    const known = kept.get(name);
    if (known !== undefined) return { asked: await known, own: false };
    const running = asking();
    kept.set(name, running);
    try {
      const asked = await running;
      if (asked.kind === "failed") kept.delete(name);
      return { asked, own: true };
    } catch (error) {
      kept.delete(name);
      throw error;
    }
  };
};

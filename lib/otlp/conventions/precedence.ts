import type { ExportedSpan } from "../exported-span.ts";
import type { Convention, Ways } from "./convention.ts";
import { genAi, genAiEvents } from "./gen-ai.ts";
import { openInference } from "./open-inference.ts";
import { previousGenAi } from "./previous-gen-ai.ts";
import { traceloop } from "./traceloop.ts";
import { vercelAi } from "./vercel-ai.ts";

/**
 * The conventions, in the order in which they are asked, each thing for itself: a span may tell its model in one and its
 * messages in another.
 */
const precedence: readonly Convention[] = [genAi, genAiEvents, openInference, previousGenAi, traceloop, vercelAi];

type ValueOf<Told> = Told extends Ways<infer Value> ? Value : never;
type Things = { readonly [Thing in keyof Convention]-?: ValueOf<NonNullable<Convention[Thing]>> };

/** What the conventions tell of a span. */
export interface Reading {
  readonly told: Partial<Things>;
  /** Attributes that something was read from. */
  readonly used: ReadonlySet<string>;
  /** Attributes that say again, in another way, what was read already. */
  readonly again: ReadonlySet<string>;
}

const things = [
  "kind",
  "model",
  "input",
  "output",
  "parameters",
  "usage",
  "cost",
  "toolName",
  "session",
  "user",
  "tags",
  "firstToken",
  "metadata",
] as const satisfies readonly (keyof Convention)[];

/** Asks every convention for everything: the first that tells a thing is believed. */
export const readingOf = (span: ExportedSpan): Reading => {
  const told: Record<string, unknown> = {};
  const [used, again] = [new Set<string>(), new Set<string>()];
  for (const thing of things) {
    const ways: Ways<unknown> = precedence.flatMap((convention): Ways<unknown> => convention[thing] ?? []);
    for (const read of ways) {
      const found = read(span);
      if (found === null) continue;
      const into = thing in told ? again : used;
      for (const key of found.keys) into.add(key);
      if (!(thing in told)) told[thing] = found.value;
    }
  }
  return { told, used, again: again.difference(used) };
};

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

type ValueOf<ReadIn> = ReadIn extends Ways<infer Value> ? Value : never;
type Thing = Exclude<keyof Convention, "bookkeeping">;
type Things = { readonly [Each in Thing]-?: ValueOf<NonNullable<Convention[Each]>> };

/** What the conventions tell of a span. */
export interface Reading {
  /** The value of each thing that one of them knows. */
  readonly values: Partial<Things>;
  /** Attributes that something was read from. */
  readonly used: ReadonlySet<string>;
  /** Attributes that say again, in another way, what was read already, and those that only measure. */
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
  "agentName",
  "chainName",
  "session",
  "user",
  "tags",
  "firstToken",
  "metadata",
] as const satisfies readonly Thing[];

/** Things of many entries, each for itself: one convention may tell the tokens, another which of them were cached. */
const gathered = new Set<Thing>(["parameters", "usage", "cost", "metadata"]);

const joined = (first: unknown, second: unknown): unknown =>
  typeof first === "object" && typeof second === "object" ? { ...second, ...first } : first;

const bookkeeping = precedence.flatMap((convention) => convention.bookkeeping ?? []);
const measures = (key: string): boolean =>
  bookkeeping.some((name) => (name.endsWith(".") ? key.startsWith(name) : key === name));

/** Asks every convention for everything: the first that tells a thing, or an entry of one that is gathered, is believed. */
export const readingOf = (span: ExportedSpan): Reading => {
  const values: Record<string, unknown> = {};
  const [used, again] = [new Set<string>(), new Set<string>()];
  for (const thing of things) {
    const ways: Ways<unknown> = precedence.flatMap((convention): Ways<unknown> => convention[thing] ?? []);
    for (const read of ways) {
      const found = read(span);
      if (found === null) continue;
      const into = thing in values ? again : used;
      for (const key of found.keys) into.add(key);
      if (!(thing in values)) values[thing] = found.value;
      else if (gathered.has(thing)) values[thing] = joined(values[thing], found.value);
    }
  }
  for (const key of Object.keys(span.attributes)) if (measures(key)) again.add(key);
  return { values, used, again: again.difference(used) };
};

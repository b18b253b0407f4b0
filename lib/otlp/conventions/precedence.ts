import type { ExportedSpan } from "../exported-span.ts";
import { saysSomething } from "../payloads/messages.ts";
import { autoGen } from "./autogen.ts";
import type { Convention, Ways } from "./convention.ts";
import { genAiEvents } from "./gen-ai-events.ts";
import { genAi } from "./gen-ai.ts";
import { general } from "./general.ts";
import { langfuse } from "./langfuse.ts";
import { langSmith } from "./langsmith.ts";
import { liteLlm } from "./litellm.ts";
import { logfire } from "./logfire.ts";
import { mlflow } from "./mlflow.ts";
import { openInference } from "./open-inference.ts";
import { previousGenAi } from "./previous-gen-ai.ts";
import { pydanticAi } from "./pydantic-ai.ts";
import { strands } from "./strands.ts";
import { traceloop } from "./traceloop.ts";
import { vercelAi } from "./vercel-ai.ts";

/**
 * The conventions, in the order in which they are asked, each thing for itself: a span may tell its model in one and its
 * messages in another. What an SDK says in its own words is said on purpose and comes before what is common to all.
 */
const precedence: readonly Convention[] = [
  langfuse,
  langSmith,
  mlflow,
  pydanticAi,
  autoGen,
  strands,
  liteLlm,
  genAi,
  genAiEvents,
  openInference,
  previousGenAi,
  traceloop,
  vercelAi,
  logfire,
  general,
];

type ValueOf<ReadIn> = ReadIn extends Ways<infer Value> ? Value : never;
type Thing = Exclude<keyof Convention, "applies" | "bookkeeping">;
type Things = { readonly [Each in Thing]-?: ValueOf<NonNullable<Convention[Each]>> };

/** What the conventions tell of a span. */
export interface Reading {
  /** The value of each thing that one of them knows. */
  readonly values: Partial<Things>;
  /** Attributes that the input and the output were read from. */
  readonly sources: Readonly<Partial<Record<"input" | "output", readonly string[]>>>;
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
  "system",
  "parameters",
  "usage",
  "cost",
  "toolName",
  "agentName",
  "chainName",
  "label",
  "session",
  "user",
  "traceName",
  "environment",
  "release",
  "tags",
  "firstToken",
  "firstTokenAt",
  "failure",
  "metadata",
] as const satisfies readonly Thing[];

/** Things of many entries, each for itself: one convention may tell the tokens, another which of them were cached. */
const gathered = new Set<Thing>(["parameters", "usage", "cost", "metadata"]);

const joined = (first: unknown, second: unknown): unknown =>
  typeof first === "object" && typeof second === "object" ? { ...second, ...first } : first;

const namespacesOf = ({ attributes }: ExportedSpan): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const key of Object.keys(attributes)) {
    const dot = key.indexOf(".");
    found.add(dot < 0 ? key : key.slice(0, dot));
  }
  return found;
};

/** Names of bookkeeping as a set of whole names and a list of beginnings. */
const bookkeepingOf = ({ bookkeeping = [] }: Convention) => ({
  names: new Set(bookkeeping.filter((name) => !name.endsWith("."))),
  beginnings: bookkeeping.filter((name) => name.endsWith(".")),
});

const books = precedence.map(bookkeepingOf);

/** Names that were looked up; attributes with numbers in their names could be any number of them. */
const known = new Map<string, readonly Convention[]>();
const mostKnown = 10_000;

/** The conventions of which an attribute is bookkeeping. */
const keepersOf = (key: string): readonly Convention[] => {
  const found = known.get(key);
  if (found !== undefined) return found;
  const keepers = precedence.filter((_, index) => {
    const { names, beginnings } = books[index] ?? { names: new Set<string>(), beginnings: [] };
    return names.has(key) || beginnings.some((name) => key.startsWith(name));
  });
  if (known.size >= mostKnown) known.clear();
  known.set(key, keepers);
  return keepers;
};

/** Messages without content, calls or reasoning leave it to the next convention to tell what was said. */
const isSaid = (thing: Thing, value: unknown): boolean =>
  (thing !== "input" && thing !== "output") || saysSomething(value);

/** Asks every convention for everything: the first that tells a thing, or an entry of one that is gathered, is believed. */
export const readingOf = (span: ExportedSpan): Reading => {
  const values: Record<string, unknown> = {};
  const sources: Partial<Record<"input" | "output", readonly string[]>> = {};
  const [used, again] = [new Set<string>(), new Set<string>()];
  const namespaces = namespacesOf(span);
  const spoken = precedence.filter(({ applies }) => applies(namespaces, span));
  for (const thing of things) {
    for (const convention of spoken) {
      const ways: Ways<unknown> = convention[thing] ?? [];
      for (const read of ways) {
        if (read.names !== undefined && thing in values && !gathered.has(thing)) {
          for (const key of read.names) if (Object.hasOwn(span.attributes, key)) again.add(key);
          continue;
        }
        const found = read(span);
        if (found === null) continue;
        const isNew = !(thing in values) && isSaid(thing, found.value);
        for (const key of found.keys) (isNew ? used : again).add(key);
        for (const key of found.kept ?? []) again.add(key);
        if (isNew) {
          values[thing] = found.value;
          if (thing === "input" || thing === "output") sources[thing] = found.keys;
        } else if (gathered.has(thing)) values[thing] = joined(values[thing], found.value);
      }
    }
  }
  for (const key of Object.keys(span.attributes)) {
    if (keepersOf(key).some((convention) => spoken.includes(convention))) again.add(key);
  }
  return { values, sources, used, again: again.difference(used) };
};

import { assay } from "./assay.ts";
import type { ExportedSpan } from "./attributes/exported-span.ts";
import { hasContent } from "./payloads/messages.ts";
import { autoGen } from "./autogen.ts";
import { claudeCode } from "./claude-code.ts";
import type { Convention, Readers } from "./convention.ts";
import { genAiEvents } from "./gen-ai-events.ts";
import { genAi } from "./gen-ai.ts";
import { general } from "./general.ts";
import { langfuse } from "./langfuse.ts";
import { langSmith } from "./langsmith.ts";
import { liteLlm } from "./litellm.ts";
import { logfire } from "./logfire.ts";
import { mastra } from "./mastra.ts";
import { mlflow } from "./mlflow.ts";
import { openInference } from "./open-inference.ts";
import { openLit } from "./openlit.ts";
import { previousGenAi } from "./previous-gen-ai.ts";
import { pydanticAi } from "./pydantic-ai.ts";
import { strands } from "./strands.ts";
import { traceloop } from "./traceloop.ts";
import { vercelAi } from "./vercel-ai.ts";

/**
 * The conventions in order of precedence, applied to each field separately: a span may have its model in one convention and its
 * messages in another. Attributes specific to an SDK precede those of general conventions.
 */
export const precedence: readonly Convention[] = [
  assay,
  langfuse,
  langSmith,
  mlflow,
  pydanticAi,
  autoGen,
  strands,
  liteLlm,
  claudeCode,
  mastra,
  openLit,
  genAi,
  genAiEvents,
  openInference,
  previousGenAi,
  traceloop,
  vercelAi,
  logfire,
  general,
];

type ValueOf<ReadIn> = ReadIn extends Readers<infer Value> ? Value : never;
export type SpanField = Exclude<
  keyof Convention,
  "applies" | "bookkeeping" | "product" | "isExceptionFailure" | "isOkUnfounded"
>;
type SpanFields = { readonly [Each in SpanField]-?: ValueOf<NonNullable<Convention[Each]>> };

/** The fields that the conventions read from a span, and the attributes that they used. */
export interface SpanReading {
  /** Values by field; a field without a value is absent. */
  readonly values: Partial<SpanFields>;
  /** Names of the attributes that the input and the output were read from. */
  readonly sources: Readonly<Partial<Record<"input" | "output" | "system", readonly string[]>>>;
  /** Names of the attributes that contain the value of a field. */
  readonly usedKeys: ReadonlySet<string>;
  /** Names of attributes that duplicate a field in another form, or are bookkeeping of a convention. */
  readonly redundantKeys: ReadonlySet<string>;
  /** The span's status: ERROR also where a convention reports failures by an attribute, or as exception events beside the status OK. */
  readonly status: ExportedSpan["status"];
}

/** The fields that conventions read. */
export const spanFields = [
  "kind",
  "model",
  "modelHost",
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
  "isRoot",
  "traceName",
  "traceInput",
  "traceOutput",
  "environment",
  "release",
  "promptName",
  "promptVersion",
  "experiment",
  "experimentId",
  "experimentItem",
  "dataset",
  "tags",
  "firstToken",
  "firstTokenAt",
  "failure",
  "isFailure",
  "metadata",
  "traceMetadata",
  "callId",
] as const satisfies readonly SpanField[];

/** Fields that are merged from all conventions, since a convention may report the tokens and another the cached tokens. */
const mergedFields = new Set<SpanField>(["parameters", "usage", "cost", "metadata", "traceMetadata"]);

const mergeValues = (first: unknown, second: unknown): unknown =>
  typeof first === "object" && typeof second === "object" ? { ...second, ...first } : first;

const namespacesOf = ({ attributes }: ExportedSpan): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const key of Object.keys(attributes)) {
    const dot = key.indexOf(".");
    names.add(dot < 0 ? key : key.slice(0, dot));
  }
  return names;
};

/** Splits the bookkeeping attributes of a convention into full names and prefixes. */
const bookkeepingNamesOf = ({ bookkeeping = [] }: Convention) => ({
  names: new Set(bookkeeping.filter((name) => !name.endsWith("."))),
  prefixes: bookkeeping.filter((name) => name.endsWith(".")),
});

const bookkeepingNames = precedence.map(bookkeepingNamesOf);

/** Cached results of `bookkeepersOf` by attribute name, bounded because attribute names may contain numbers. */
const bookkeepersByKey = new Map<string, readonly Convention[]>();
const maxCachedKeys = 10_000;

/** Returns the conventions that list an attribute as bookkeeping. */
const bookkeepersOf = (key: string): readonly Convention[] => {
  const cachedConventions = bookkeepersByKey.get(key);
  if (cachedConventions !== undefined) return cachedConventions;
  const conventions = precedence.filter((_, index) => {
    const { names, prefixes } = bookkeepingNames[index] ?? { names: new Set<string>(), prefixes: [] };
    return names.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
  });
  if (bookkeepersByKey.size >= maxCachedKeys) bookkeepersByKey.clear();
  bookkeepersByKey.set(key, conventions);
  return conventions;
};

/** False for messages without content, calls or reasoning: input and output are then read from the next convention. */
const isUsable = (field: SpanField, value: unknown): boolean =>
  (field !== "input" && field !== "output") || hasContent(value);

/** Reads all fields of a span. The first convention with a value wins; merged fields take each entry from the first convention with that entry. */
export const readSpan = (span: ExportedSpan): SpanReading => {
  const values: Record<string, unknown> = {};
  const sources: Partial<Record<"input" | "output" | "system", readonly string[]>> = {};
  const [usedKeys, redundantKeys, retainedKeys] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const namespaces = namespacesOf(span);
  const applicable = precedence.filter(({ applies }) => applies(namespaces, span));
  for (const field of spanFields) {
    for (const convention of applicable) {
      const readers: Readers<unknown> = convention[field] ?? [];
      for (const reader of readers) {
        if (reader.names !== undefined && field in values && !mergedFields.has(field)) {
          for (const key of reader.names) if (Object.hasOwn(span.attributes, key)) redundantKeys.add(key);
          continue;
        }
        const result = reader(span);
        if (result === null) continue;
        const isNew = !(field in values) && isUsable(field, result.value);
        for (const key of result.keys) (isNew ? usedKeys : redundantKeys).add(key);
        for (const key of result.retainedKeys ?? []) retainedKeys.add(key);
        if (isNew) {
          values[field] = result.value;
          if (field === "input" || field === "output" || field === "system") sources[field] = result.keys;
        } else if (mergedFields.has(field)) values[field] = mergeValues(values[field], result.value);
      }
    }
  }
  for (const key of Object.keys(span.attributes)) {
    if (bookkeepersOf(key).some((convention) => applicable.includes(convention))) redundantKeys.add(key);
  }
  const hasFailed =
    (span.status === "UNSET" && values["isFailure"] === true) ||
    (span.events.some(({ name }) => name === "exception") &&
      applicable.some(({ isExceptionFailure = false }) => isExceptionFailure));
  const isOkUnfounded = span.status === "OK" && applicable.some(({ isOkUnfounded: test }) => test?.(span) === true);
  return {
    values,
    sources,
    usedKeys,
    redundantKeys: redundantKeys.difference(usedKeys).union(retainedKeys),
    status: hasFailed ? "ERROR" : isOkUnfounded ? "UNSET" : span.status,
  };
};

import { isList, parseEmbeddedJson } from "../../conventions/attributes/embedded-json.ts";
import { isTransportAttribute, metadataBookkeeping } from "../../conventions/general.ts";
import { areMessages, hasContent } from "../../conventions/payloads/messages.ts";
import { normalizeInput, normalizeOutput } from "../../conventions/payloads/normalize.ts";
import { instructionText, withInstructions } from "../../conventions/payloads/requests.ts";
import { withoutVectors } from "../../conventions/payloads/vectors.ts";
import type { SpanReading } from "../../conventions/precedence.ts";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { telemetryKeys } from "../../domain/traces/telemetry.ts";
import type { Span } from "../../domain/traces/trace.ts";

const usualFinishReason = /^(?:stop|end_turn|tool[-_](?:calls?|use)|function_call)$/iu;

const finishReasons = new Set(["gen_ai.response.finish_reasons", "ai.response.finishReason"]);

/** True for the finish reasons of a normal end, which add nothing to the reply. */
const isUsualFinish = (key: string, value: Json): boolean => {
  if (!finishReasons.has(key)) return false;
  const reasons = parseEmbeddedJson(value);
  return (isList(reasons) ? reasons : [reasons]).every(
    (each) => typeof each === "string" && usualFinishReason.test(each),
  );
};

/** True if a value is null, an empty text, list or object, or the text `null`. */
const isEmptyValue = (value: Json): boolean =>
  value === null ||
  value === "" ||
  value === "null" ||
  (typeof value === "object" && !JSON.isRawJSON(value) && Object.keys(value).length === 0);

/** True for the versions of LangChain's packages, which it adds to the program's metadata. */
const areLangChainVersions = (key: string, value: Json | undefined): boolean =>
  key === "versions" && isObject(value) && Object.keys(value).every((name) => /lang(?:chain|graph)/u.test(name));

const isMetadataBookkeeping = ([key, value]: readonly [string, Json | undefined]): boolean =>
  areLangChainVersions(key, value) ||
  metadataBookkeeping.some((name) => (name.endsWith("_") ? key.startsWith(name) : key === name));

const vectors = /^(?:embedding\.embeddings\.|ai\.embeddings?$)/u;

/**
 * Returns the keys of a span's metadata that are also metadata of its trace. Those of a root are all that the program set: metadata of a
 * convention, and attributes without a namespace.
 */
export const traceMetadataKeys = (
  { values }: SpanReading,
  metadata: JsonObject,
  isRoot: boolean,
): readonly string[] => {
  const { traceMetadata = {}, metadata: spanMetadata = {} } = values;
  const isOfProgram = (key: string): boolean => Object.hasOwn(spanMetadata, key) || !key.includes(".");
  return Object.keys(metadata).filter((key) => Object.hasOwn(traceMetadata, key) || (isRoot && isOfProgram(key)));
};

type Entry = readonly [key: string, value: Json];

/** Removes vectors from attributes that repeat the span's embedding attributes, so that the numbers are stored once. */
const withoutRepeatedVectors = (entries: readonly Entry[]): readonly Entry[] =>
  entries.some(([key]) => vectors.test(key))
    ? entries.map(([key, value]): Entry => [key, vectors.test(key) ? value : withoutVectors(value)])
    : entries;

/**
 * Splits the attributes that no field of a span contains into `metadata`, stored under their own names, and `internal`, stored in
 * `otel.attributes`, which judges do not see.
 *
 * @param retainedKeys attributes that contain more than the field they were read from; they become internal.
 */
export const remainingAttributes = (
  attributes: JsonObject,
  kind: Span["kind"],
  name: string,
  { values, usedKeys, redundantKeys }: SpanReading,
  retainedKeys: ReadonlySet<string>,
): { readonly metadata: JsonObject; readonly internal: JsonObject } => {
  const [metadata, internal]: [Entry[], Entry[]] = [[], []];
  for (const entry of Object.entries({ ...values.traceMetadata, ...values.metadata }))
    (isMetadataBookkeeping(entry) ? internal : metadata).push(entry);
  const isInternal = (key: string, value: Json): boolean =>
    isEmptyValue(value) ||
    isUsualFinish(key, value) ||
    (kind !== "OTHER" && isTransportAttribute(key)) ||
    (kind === "AGENT" && key === "gen_ai.agent.name" && value === name);
  const internalAttributes: Entry[] = [];
  for (const entry of Object.entries(attributes)) {
    const [key, value] = entry;
    if (redundantKeys.has(key) || retainedKeys.has(key)) internalAttributes.push(entry);
    else if (!usedKeys.has(key)) (isInternal(key, value) ? internalAttributes : metadata).push(entry);
  }
  return {
    metadata: Object.fromEntries(metadata),
    internal: Object.fromEntries([
      ...internal,
      ...(kind === "EMBEDDING" ? withoutRepeatedVectors(internalAttributes) : internalAttributes),
    ]),
  };
};

/** True if an output is not stored: messages without content, or an empty value of a failed call. */
const isEmptyOutput = (value: Json, hasFailed: boolean): boolean =>
  !hasContent(value) || (hasFailed && isEmptyValue(value));

/** Returns the input and output that the program set for the trace, as metadata of the span. */
export const traceContentOf = ({ values: { traceInput = null, traceOutput = null } }: SpanReading): JsonObject => ({
  [telemetryKeys.traceInput]: traceInput === null ? null : normalizeInput("CHAIN", traceInput).value,
  [telemetryKeys.traceOutput]: traceOutput === null ? null : normalizeOutput("CHAIN", traceOutput).value,
});

/**
 * Computes input, output and model parameters of a span, normalized by its kind.
 *
 * @returns `retainedKeys`: attributes that contain more than the normalized input and output and are stored as well.
 */
export const contentOf = (kind: Span["kind"], { values, sources }: SpanReading, hasFailed: boolean) => {
  const input = values.input === undefined ? undefined : normalizeInput(kind, values.input);
  const output = values.output === undefined ? undefined : normalizeOutput(kind, values.output);
  const { system } = values;
  const instructions = system === undefined ? null : instructionText(system);
  const inputValue = input?.value === "" ? undefined : input?.value;
  const isConversation = areMessages(inputValue);
  const parameters: JsonObject = {
    ...(instructions !== null && !isConversation && { system_instructions: instructions }),
    ...input?.settings,
    ...values.parameters,
  };
  return {
    input: isConversation ? withInstructions(inputValue, instructions) : inputValue,
    output: output === undefined || isEmptyOutput(output.value, hasFailed) ? undefined : output.value,
    parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
    retainedKeys: new Set([
      ...(input?.isLossy === true ? (sources.input ?? []) : []),
      ...(output?.isLossy === true ? (sources.output ?? []) : []),
      ...(instructions === null ? (sources.system ?? []) : []),
    ]),
  };
};

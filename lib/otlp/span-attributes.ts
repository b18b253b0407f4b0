import type { Json, JsonObject } from "../domain/json.ts";
import type { Span } from "../domain/traces/trace.ts";
import { isTransport, notedBookkeeping } from "./conventions/general.ts";
import type { Reading } from "./conventions/precedence.ts";
import { withoutVectors } from "./payloads/vectors.ts";
import { isList, structured } from "./reader.ts";

const usualEnd = /^(?:stop|end_turn|tool[-_](?:calls?|use)|function_call)$/iu;

/** Finish reasons that say no more than the reply does. */
const isUsualEnd = (key: string, value: Json): boolean => {
  const reasons = key === "gen_ai.response.finish_reasons" ? structured(value) : null;
  return isList(reasons) && reasons.every((each) => typeof each === "string" && usualEnd.test(each));
};

/** Whether a value is empty. */
export const saysNothing = (value: Json): boolean =>
  value === null ||
  value === "" ||
  value === "null" ||
  (typeof value === "object" && !JSON.isRawJSON(value) && Object.keys(value).length === 0);

const isNotedBookkeeping = (key: string): boolean =>
  notedBookkeeping.some((name) => (name.endsWith("_") ? key.startsWith(name) : key === name));

const vectors = /^(?:embedding\.embeddings\.|ai\.embeddings?$)/u;

type Entry = readonly [key: string, value: Json];

/** The numbers of vectors are kept once: where they stand for themselves, if they do. */
const withVectorsOnce = (entries: readonly Entry[]): readonly Entry[] =>
  entries.some(([key]) => vectors.test(key))
    ? entries.map(([key, value]): Entry => [key, vectors.test(key) ? value : withoutVectors(value)])
    : entries;

/**
 * What no field of a span took: what everybody is shown, under its own name, and what is kept out of sight.
 *
 * @param kept attributes of which a field says less than they do.
 */
export const leftOver = (
  attributes: JsonObject,
  kind: Span["kind"],
  name: string,
  { values, used, again }: Reading,
  kept: ReadonlySet<string>,
): { readonly shown: JsonObject; readonly aside: JsonObject } => {
  const [shown, aside]: [Entry[], Entry[]] = [[], []];
  for (const entry of Object.entries(values.metadata ?? {})) (isNotedBookkeeping(entry[0]) ? aside : shown).push(entry);
  const isNoise = (key: string, value: Json): boolean =>
    saysNothing(value) ||
    isUsualEnd(key, value) ||
    (kind !== "OTHER" && isTransport(key)) ||
    (kind === "AGENT" && key === "gen_ai.agent.name" && value === name);
  const own: Entry[] = [];
  for (const entry of Object.entries(attributes)) {
    const [key, value] = entry;
    if (again.has(key) || kept.has(key)) own.push(entry);
    else if (!used.has(key)) (isNoise(key, value) ? own : shown).push(entry);
  }
  return {
    shown: Object.fromEntries(shown),
    aside: Object.fromEntries([...aside, ...(kind === "EMBEDDING" ? withVectorsOnce(own) : own)]),
  };
};

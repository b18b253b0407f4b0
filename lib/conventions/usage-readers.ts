import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import { inclusiveCounts, reportedCounts } from "../domain/traces/usage/call-tokens.ts";
import { parseObject, parsePython } from "./payloads/python-text.ts";
import { parseEmbeddedJson } from "./attributes/embedded-json.ts";
import { attributesUnder, jsonAt, like, mapReader, retainingOthers, type Reader } from "./attributes/reader.ts";

const decodeText = (value: Json): Json => {
  const parsed = parseEmbeddedJson(value);
  if (typeof parsed !== "string" || !/^\s*(?:\{|[A-Z]\w*\()/u.test(parsed)) return parsed;
  return parsePython(parsed) ?? parseObject(parsed) ?? parsed;
};

const decode = (value: Json): Json => {
  const parsed = decodeText(value);
  return isObject(parsed)
    ? Object.fromEntries(Object.entries(parsed).map(([key, each]) => [key, decode(each)]))
    : parsed;
};

const tierWord = /(?:^|[._])(flex|priority)(?:$|[._])/u;

/** Returns the service tier of a usage: Anthropic's field, or LangChain's word in names of counts, such as `flex_cache_read`. */
const tierIn = (usage: JsonObject): string | null => {
  const { service_tier: tier } = usage;
  if (typeof tier === "string") return tier;
  const inner = Object.values(usage).flatMap((value) => (isObject(value) ? Object.keys(value) : []));
  return (
    [...Object.keys(usage), ...inner].map((name) => tierWord.exec(name)?.[1]).find((word) => word !== undefined) ?? null
  );
};

const countsWith =
  (read: (usage: JsonObject) => JsonObject) =>
  (value: Json): JsonObject | null => {
    const usage = decode(value);
    if (!isObject(usage)) return null;
    const [counts, tier] = [read(usage), tierIn(usage)];
    if (Object.keys(counts).length === 0 && tier === null) return null;
    return { ...counts, ...(tier !== null && { service_tier: tier }) };
  };

/** Reads the token counts of all attributes with a prefix, in any spelling that the table of usage fields has. */
export const usageUnder = (prefix: string): Reader<JsonObject> => {
  const counts = mapReader(attributesUnder(prefix), countsWith(reportedCounts));
  return like(counts, (span) => {
    const result = counts(span);
    if (result === null) return null;
    const isStored = (key: string): boolean => {
      const counted = Object.entries(reportedCounts({ [key.slice(prefix.length)]: span.attributes[key] ?? null }));
      return counted.length > 0 && counted.every(([name, count]) => result.value[name] === count);
    };
    // Objects of details have more than their counts, and a count may have several names.
    return { value: result.value, keys: result.keys.filter(isStored) };
  });
};

const isCounted = (key: string, value: Json): boolean =>
  value === null || key === "service_tier" || Object.keys(reportedCounts({ [key]: value })).length > 0;

/** Reads the token counts of an attribute that has the usage as its maker reports it. One with further counts is stored as well. */
export const usageAt = (name: string): Reader<JsonObject> =>
  retainingOthers(name, isCounted, mapReader(jsonAt(name), countsWith(inclusiveCounts)));

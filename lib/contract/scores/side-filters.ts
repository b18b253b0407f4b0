import * as v from "valibot";
import { nameAdvice } from "../../domain/nearest-name.ts";
import { invalid } from "../../domain/refusal.ts";
import type { ComparisonSide } from "../../domain/scores/comparison.ts";
import type { TraceFilters } from "../../domain/traces/filter.ts";
import { filtersFromQuery } from "../list-query.ts";
import { scoreTraceParameters, scoreTraceQuery } from "./trace-filters.ts";

const { score: _score, no_score: _noScore, ...sideQuery } = scoreTraceQuery;
const { score: __score, no_score: __noScore, ...sideParameters } = scoreTraceParameters;

const sideSchema = v.object(sideQuery);

const metadataPrefix = "metadata.";
const names = Object.keys(sideQuery);

/** Splits a text at its commas; a backslash before a comma or a backslash is not part of the text. */
const splitAtCommas = (text: string): readonly string[] => {
  const parts = [""];
  for (let at = 0; at < text.length; at += 1) {
    const isEscape = text[at] === "\\" && (text[at + 1] === "," || text[at + 1] === "\\");
    if (isEscape) at += 1;
    if (text[at] === "," && !isEscape) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${text[at] ?? ""}`);
  }
  return parts;
};

/**
 * Parses the filters of one side of a comparison, `<name>:<value>` separated by commas.
 *
 * @param side query parameter that has the text.
 * @throws Refusal `invalid` for an unknown name, a part without a colon or an invalid value.
 *
 * @example
 * sideFilters("baseline", "release:2.2,environment:production");
 */
export const sideFilters = (side: ComparisonSide, text: string): TraceFilters => {
  const loc = ["query", side];
  const values = new Map<string, string[]>();
  const metadata = new Map<string, string[]>();
  for (const part of splitAtCommas(text)) {
    const colon = part.indexOf(":");
    const [name, value] = [part.slice(0, Math.max(0, colon)), part.slice(colon + 1)];
    if (colon === -1)
      throw invalid(loc, `Input should be filters as <name>:<value>, separated by commas; this is none: ${part}`);
    const isMetadata = name.startsWith(metadataPrefix);
    if (!isMetadata && (name === "metadata" || !names.includes(name)))
      throw invalid(loc, `Unknown filter ${name}${nameAdvice(name, names)}`);
    const [target, key] = isMetadata ? [metadata, name.slice(metadataPrefix.length)] : [values, name];
    target.set(key, [...(target.get(key) ?? []), value]);
  }
  const query: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(values),
    ...(metadata.size > 0 && { metadata: Object.fromEntries(metadata) }),
  };
  const { success, output, issues } = v.safeParse(sideSchema, query);
  if (success) return filtersFromQuery(sideParameters, output);
  const [issue] = issues;
  throw invalid(loc, `${v.getDotPath(issue) ?? ""}: ${issue.message}`);
};

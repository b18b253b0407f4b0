import type { Json } from "../json.ts";
import { hasAtMost } from "../text.ts";
import { telemetryKeys } from "./telemetry.ts";
import type { Span } from "./trace.ts";

/** Prompt of a prompt library that a span used; one of name and version may be unknown. */
export interface Prompt {
  readonly name: string | null;
  readonly version: string | null;
}

/** Prompts that the spans of a trace used, and the item of an experiment that the trace ran. */
export interface TraceProvenance {
  /** Distinct prompts in the order of their texts; only the first 16. */
  readonly prompts: readonly Prompt[];
  readonly experiment: string | null;
  readonly experimentItem: string | null;
}

/** Maximum prompts in a row. */
const maxPrompts = 16;

/** Maximum characters of a name, a version or an id; telemetry cuts longer ones. */
export const maxProvenanceCharacters = 200;

export const noProvenance: TraceProvenance = { prompts: [], experiment: null, experimentItem: null };

/** Returns a prompt as `name@version`; without the part that is unknown. */
export const promptText = ({ name, version }: Prompt): string =>
  version === null ? (name ?? "") : `${name ?? ""}@${version}`;

const label = (value: Json | undefined): string | null =>
  typeof value === "string" && value !== "" && hasAtMost(value, maxProvenanceCharacters) ? value : null;

const distinctPrompts = (prompts: readonly Prompt[]): readonly Prompt[] =>
  [...new Map(prompts.map((prompt) => [promptText(prompt), prompt]))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, maxPrompts)
    .map(([, prompt]) => prompt);

/** The lower of two texts, so that the order of spans does not matter. */
const lower = (a: string | null, b: string | null): string | null => {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
};

/** Merges what two groups of spans say; the result does not depend on their order. */
export const mergeProvenance = (a: TraceProvenance, b: TraceProvenance): TraceProvenance => ({
  prompts: b.prompts.length === 0 ? a.prompts : distinctPrompts([...a.prompts, ...b.prompts]),
  experiment: lower(a.experiment, b.experiment),
  experimentItem: lower(a.experimentItem, b.experimentItem),
});

/** Returns the prompts and the experiment that spans name. */
export const provenanceOf = (spans: readonly Span[]): TraceProvenance => {
  const labels = (key: string): readonly (string | null)[] => spans.map(({ metadata }) => label(metadata[key]));
  const prompts = spans
    .map(({ metadata }) => ({
      name: label(metadata[telemetryKeys.promptName]),
      version: label(metadata[telemetryKeys.promptVersion]),
    }))
    .filter(({ name, version }) => name !== null || version !== null);
  return {
    prompts: distinctPrompts(prompts),
    experiment: labels(telemetryKeys.experiment).reduce(lower, null),
    experimentItem: labels(telemetryKeys.experimentItem).reduce(lower, null),
  };
};

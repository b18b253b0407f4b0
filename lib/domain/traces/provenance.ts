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
  /** Name of the experiment, else its id. */
  readonly experiment: string | null;
  /** Id of the experiment as the client has it; null without one. */
  readonly experimentId: string | null;
  readonly experimentItem: string | null;
  /** Dataset of the experiment: its id, or its name. */
  readonly dataset: string | null;
}

/** Maximum prompts in a row. */
const maxPrompts = 16;

/** Maximum characters of a name, a version or an id; telemetry cuts longer ones. */
export const maxProvenanceCharacters = 200;

/** Labels of an experiment by their metadata keys. */
const experimentKeys = {
  experiment: telemetryKeys.experiment,
  experimentId: telemetryKeys.experimentId,
  experimentItem: telemetryKeys.experimentItem,
  dataset: telemetryKeys.dataset,
} as const;

type ExperimentLabels = Omit<TraceProvenance, "prompts">;

const experimentLabels = (labelOf: (name: keyof ExperimentLabels) => string | null): ExperimentLabels => ({
  experiment: labelOf("experiment"),
  experimentId: labelOf("experimentId"),
  experimentItem: labelOf("experimentItem"),
  dataset: labelOf("dataset"),
});

export const noProvenance: TraceProvenance = { prompts: [], ...experimentLabels(() => null) };

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
  ...experimentLabels((name) => lower(a[name], b[name])),
});

/** Returns the prompts and the experiment that spans name; a trace that was linked to an experiment names it in its own metadata. */
export const provenanceOf = (spans: readonly Pick<Span, "metadata">[]): TraceProvenance => {
  const labels = (key: string): readonly (string | null)[] => spans.map(({ metadata }) => label(metadata[key]));
  const prompts = spans
    .map(({ metadata }) => ({
      name: label(metadata[telemetryKeys.promptName]),
      version: label(metadata[telemetryKeys.promptVersion]),
    }))
    .filter(({ name, version }) => name !== null || version !== null);
  return {
    prompts: distinctPrompts(prompts),
    ...experimentLabels((name) => labels(experimentKeys[name]).reduce(lower, null)),
  };
};

import type { ModelName } from "../../domain/runs/model.ts";

/** A model under its maker's name, and the factor of the reseller's price. */
interface MakerName {
  readonly name: string;
  readonly factor: number;
}

/** Dated versions cost what the model does: `-2026-03-17`, `-20251001`, and Google's `-001`. */
const undated = (name: string): string => name.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|00\d)$/u, "");

const direct = (name: string): MakerName => ({ name: undated(name), factor: 1 });

/**
 * Claude on Bedrock: `anthropic.claude-sonnet-4-5-20250929-v1:0`, with `global.` in front at Anthropic's prices, with
 * another Region's prefix or none at 10 % more. The names of others are not their makers'.
 */
const onBedrock = (id: string): MakerName | null => {
  const found = /^(?:(global|[a-z]{2,4}(?:-gov)?)\.)?anthropic\.(claude-.+?)(?:-v\d+(?::\d+)?)?$/u.exec(id);
  return found?.[2] === undefined ? null : { name: undated(found[2]), factor: found[1] === "global" ? 1 : 1.1 };
};

/** OpenRouter passes its makers' prices on; Claude has a dot in its version there. */
const onOpenRouter = (id: string): MakerName | null => {
  const found = /^(?:openai|anthropic|google)\/(?<name>[a-z0-9.-]+)$/u.exec(id)?.groups?.["name"];
  if (found === undefined) return null;
  return direct(found.startsWith("claude-") ? found.replaceAll(".", "-") : found);
};

/** What the maker calls a provider's model; null where nobody but the operator knows. */
export const makerName = ({ provider, name }: ModelName): MakerName | null => {
  switch (provider) {
    case "openai":
    case "anthropic":
    case "gemini":
      return direct(name);
    case "vertex_ai":
      return direct(name.replace(/^google\//u, ""));
    case "bedrock":
      return onBedrock(name);
    case "openrouter":
      return onOpenRouter(name);
    default:
      return null;
  }
};

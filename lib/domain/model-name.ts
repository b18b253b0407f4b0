/** Where a model's name says that it runs, where that has an effect on its price. */
type ModelService = "azure" | "bedrock" | "vertex";

/** A model's name without what gateways, clouds and SDKs write around it, in lower case. */
export interface ModelSpelling {
  /** Name with the prefix of another host (`groq/`), if it has one. */
  readonly name: string;
  readonly service: ModelService | null;
  /** False for a name of a global endpoint, and for one that names no place. */
  readonly isRegional: boolean;
}

/** Beginnings of names by gateways and SDKs, which say nothing about the price: the model's maker, and proxies. */
const prefixes: readonly (readonly [prefix: RegExp, service?: ModelService])[] = [
  [/^(?:litellm(?:_proxy)?|gateway|helicone|vercel(?:[-_]ai[-_]gateway)?|text-completion-openai)[/:]/u],
  [/^azure(?:[-_](?:ai|ml|openai|text))?[/:](?:(?:global(?:-standard)?|gpt5_series|o_series|responses)\/)*/u, "azure"],
  [
    /^(?:amazon[-_]|aws[-_.])?bedrock(?:[-_]converse)?[/:](?:(?:converse|invoke)\/)?(?:[a-z]{2}(?:-[a-z]+)+-\d\/)?/u,
    "bedrock",
  ],
  [/^arn:aws[a-z-]*:bedrock:[a-z\d-]*:\d*:(?:foundation-model|inference-profile)\//u, "bedrock"],
  [/^(?:\/\/aiplatform\.googleapis\.com\/)?projects\/[^/]+\/locations\/[^/]+\/(?=publishers\/)/u, "vertex"],
  [/^publishers\/(?:google|anthropic)\/models\//u],
  [
    /^(?:models|openai(?:[-_.](?:chat|completions?|responses))?|anthropic(?:_text)?|google(?:[-_](?:ai[-_]studio|genai|generativeai|gla|vertex|vertexai))?|gemini|vertex(?:_?ai)?(?:_beta)?|x-?ai|cohere(?:[-_]chat)?|mistral(?:[-_]?ai)?)[/:](?:responses\/)?/u,
  ],
];

/** Prefixes with which Bedrock names where a model runs, and the maker behind them. */
const bedrockRegion = /^(?:(global)|[a-z]{2,4}(?:-gov)?)\.(?=[a-z\d]+\.)/u;

/** The length of the context behind a name, as Claude Code writes it; prices depend on that of the prompt. */
const contextLength = /\[\d{1,4}[km]\]$/u;

/** Removes gateways, clouds, resource paths and the maker's name in front of a model's name. @param keepsMaker leaves the maker's name. */
export const modelSpelling = (text: string, keepsMaker = false): ModelSpelling => {
  let name = text
    .trim()
    .toLowerCase()
    .replace(contextLength, "")
    .trimEnd()
    .replaceAll("%3a", ":")
    .replaceAll("%2f", "/");
  let service: ModelService | null = null;
  let isRegional = false;
  const removable = keepsMaker ? prefixes.slice(0, -1) : prefixes;
  for (let before = ""; before !== name;) {
    before = name;
    for (const [prefix, ofService] of removable) {
      const [match] = prefix.exec(name) ?? [];
      if (match === undefined || match === name) continue;
      service ??= ofService ?? null;
      isRegional ||= ofService === "vertex" && !match.includes("/locations/global/");
      name = name.slice(match.length);
    }
  }
  return { name, service, isRegional };
};

/** A Bedrock id (`eu.amazon.nova-pro-v1:0`) without version, with its place. */
export const bedrockSpelling = (
  id: string,
): { readonly name: string; readonly plainName: string; readonly isGlobal: boolean } => {
  const name = id.replace(/(?:-v\d+)?(?::\d+)?(?::\d+k)?$/u, "");
  return { name, plainName: name.replace(bedrockRegion, ""), isGlobal: bedrockRegion.exec(name)?.[1] !== undefined };
};

/** Words of OpenRouter's ids with no effect on the price of tokens. */
const variant = /:(?:beta|extended|online|thinking)$/u;

/**
 * Date of a model version: `-2026-03-17`, `-20251001`, `-latest`, Google's `-001` and `-preview-06-05`. Mistral's `-latest` is another
 * model each year.
 */
const versionDate =
  /-(?:\d{4}-\d{2}-\d{2}|\d{8}|00\d|(?<!stral.*-)latest|(?<=^gemini-.*-)\d{2}-\d{2}|(?<=^gemini-.*-)\d{2}-20\d{2})$/u;

/** Rewrites a name as its maker spells it: `gpt-35-turbo`, `gpt-4-1`, `claude-4.5-sonnet`, `claude-sonnet-4@20250514`. */
const madeBy = (name: string): string => {
  const plain = name
    .replace(variant, "")
    .replace(/@(?:default|latest)$/u, "")
    .replace(/@(?=\d+$)/u, "-");
  if (!plain.startsWith("claude-"))
    return plain.replace(
      /^((?:ft:)?gpt-)(?:(3)5(?=-turbo)|(\d)-(\d)(?!\d))/u,
      (_, start: string, old?: string, major = "", minor = "") =>
        start + (old === undefined ? `${major}.${minor}` : "3.5"),
    );
  return plain.replace(/-v\d+(?=$|-\d{8}$)/u, "").replaceAll(".", "-");
};

const familyFirst = (name: string): string => name.replace(/^claude-(\d+(?:-\d)?)-([a-z]+)/u, "claude-$2-$1");

/** The base of a fine-tuned model, as `ft:` and its name; any other name unchanged. */
const withoutTuning = (name: string): string => {
  const [, azureBase] = /^([^/]+)\.ft-/u.exec(name) ?? [];
  return azureBase === undefined ? name.replace(/^(ft:[^:]+):.*$/u, "$1") : `ft:${azureBase}`;
};

/** Returns the names under which a list may have a model, the most exact first: as written, as its maker spells it, without its date. */
export const modelSpellings = (name: string): readonly string[] => {
  const spelled = madeBy(withoutTuning(name));
  const dateless = spelled.replace(versionDate, "");
  const released = dateless.replace(/^(gemini-.*)-preview$/u, "$1");
  return [...new Set([name, spelled, dateless, familyFirst(dateless), released])];
};

/**
 * Returns a name of a model by which two spellings of it are compared: without hosts, dates and variants. `azure/gpt-4o-2024-08-06`
 * and `gpt-4o` are equal; a fine-tuned model keeps its id.
 */
export const modelIdentity = (text: string): string => {
  const { name } = modelSpelling(text);
  if (/^ft:|\.ft-/u.test(name)) return name;
  const { plainName } = bedrockSpelling(name.slice(name.lastIndexOf("/") + 1));
  const id = plainName.replace(/^[a-z\d]+\.(?=[a-z])/u, "").replace(/:(?:batch|exacto|floor|free|nitro)$/u, "");
  const [released = id] = modelSpellings(id).toReversed();
  return familyFirst(released.replace(/-\d{4}(?:-preview)?$/u, ""));
};

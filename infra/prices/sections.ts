/** A section of a price list: the models of one maker, or of one host of other makers' models. */
export interface Section {
  /** Beginning of the names in the list; empty for names as the maker writes them. */
  readonly prefix: string;
  /** Id in the publisher's data. */
  readonly provider: string;
  /** Page of the prices. */
  readonly source: string;
  /** Names that the section has. */
  readonly isIncluded: RegExp;
  /** Names that are left out. */
  readonly isExcluded: RegExp;
  /** Returns the name under which a model is looked up. @param id the publisher's id or alias, in lower case. */
  readonly nameOf: (id: string) => string;
  /** Names that only a pattern of the publisher matches. */
  readonly alsoNamed: readonly string[];
}

const none = /^$/u;

/** Names that only Mistral's own service has, though other models of Mistral have open weights. */
const onlyAtMistral = /^mistral-(?:large|medium)|-latest$/u;

const makerOf = (prefix: string, provider: string, source: string, fields: Partial<Section> = {}): Section => ({
  prefix,
  provider,
  source,
  isIncluded: /^/u,
  isExcluded: none,
  nameOf: (id) => id,
  alsoNamed: [],
  ...fields,
});

/** Removes the version of a Bedrock id, which has no effect on the price but for embeddings, and the publisher's word for ids with the prefix of a Region. */
const bedrockName = (id: string): string =>
  id.startsWith("amazon.titan-embed") ? id : id.replace(/^regional\./u, "").replace(/(?:-v\d+)?(?::\d+)?$/u, "");

/**
 * The makers' own price lists, with the maker before the names of open weights, which other hosts serve at other prices; and Bedrock's for
 * models other than Claude.
 */
export const makerSections: readonly Section[] = [
  makerOf("", "openai", "https://developers.openai.com/api/docs/pricing", {
    // Completions of the first generations, fine-tuned models, and open weights, which each host prices itself.
    isExcluded:
      /^(?:ada|babbage|curie|davinci|text-davinci|ft:|gpt-oss|gpt-3\.5-(?!turbo)|gpt-35|gpt-4-32k|gpt-4o:|gpt-4o-mini-2024-07-18\.ft)/u,
  }),
  makerOf("", "anthropic", "https://platform.claude.com/docs", {
    isExcluded: /-latest$|^claude-(?:2|v1)$/u,
    alsoNamed: ["claude-3-5-haiku", "claude-3-7-sonnet", "claude-3-opus"],
  }),
  makerOf("", "google", "https://ai.google.dev/gemini-api/docs/pricing", {
    isExcluded: /claude|^gemma|^gemini-(?:1|flash|pro)/u,
  }),
  makerOf("mistral/", "mistral", "https://mistral.ai/pricing", { isExcluded: onlyAtMistral }),
  makerOf("", "mistral", "https://mistral.ai/pricing", { isIncluded: onlyAtMistral }),
  makerOf("deepseek/", "deepseek", "https://api-docs.deepseek.com/quick_start/pricing"),
  makerOf("", "x-ai", "https://docs.x.ai/docs/models", { nameOf: (id) => id.replace(/^x-ai\//u, "") }),
  makerOf("", "cohere", "https://cohere.com/pricing"),
  makerOf("moonshotai/", "moonshotai", "https://platform.moonshot.ai/docs/pricing"),
  makerOf("zhipuai/", "zhipuai", "https://docs.z.ai/guides/overview/pricing"),
  makerOf("minimax/", "minimax", "https://platform.minimax.io/docs/guides/pricing"),
  // Claude costs what Anthropic charges, with a surcharge for ids of a Region.
  makerOf("", "aws", "https://aws.amazon.com/bedrock/pricing", {
    isExcluded: /claude/u,
    nameOf: bedrockName,
  }),
  makerOf("groq/", "groq", "https://groq.com/pricing"),
];

/** Prices of OpenRouter, by its ids. */
export const hostedSections: readonly Section[] = [
  makerOf("", "openrouter", "https://openrouter.ai/models", { isExcluded: /:free$/u }),
];

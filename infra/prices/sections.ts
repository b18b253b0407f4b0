/** A section of a price list: the models of one maker, or of one host of other makers' models. */
export interface Section {
  /** Beginning of the names in the list; empty for names as the maker writes them. */
  readonly prefix: string;
  /** Id in the publisher's data. */
  readonly provider: string;
  /** Page of the prices. */
  readonly source: string;
  /** Ids of the publisher that the section has. */
  readonly isIncluded: RegExp;
  /** Ids of the publisher that are left out. */
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
    // Completions of the first generations, and open weights, which each host prices itself.
    isExcluded:
      /^(?:ada|text-(?:ada|curie)|babbage|curie|davinci|text-davinci|gpt-oss|gpt-3\.5-(?!turbo)|gpt-35|gpt-4-32k|gpt-4o:|gpt-4o-mini-2024-07-18\.ft)/u,
    nameOf: (id) => id.replace(/^(ft:.*)-$/u, "$1"),
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
  // Z.ai, the same maker's service for other countries, has prices of its own.
  makerOf("zhipuai/", "zhipuai", "https://open.bigmodel.cn/pricing", { isExcluded: /^glm-4-/u }),
  makerOf("minimax/", "minimax", "https://platform.minimax.io/docs/guides/pricing"),
  // Claude costs what Anthropic charges, with a surcharge for ids of a Region.
  makerOf("", "aws", "https://aws.amazon.com/bedrock/pricing", {
    isExcluded: /claude/u,
    nameOf: bedrockName,
  }),
];

/** Makers at OpenRouter, each a section; few agents use the models of others. */
const makersOnOpenRouter =
  "anthropic deepseek google meta-llama minimax mistralai moonshotai nvidia openai qwen x-ai z-ai";

const onOpenRouter = (prefix: string, isIncluded: RegExp, nameOf: Section["nameOf"]): Section =>
  makerOf(prefix, "openrouter", "https://openrouter.ai/models", {
    isIncluded,
    // Free ids, spellings with a date that look-ups drop, and generations before 2025.
    isExcluded:
      /:(?:free|extended)$|-pro:batch$|-(?:2509|07-25|04-02)$|audio|customtools|claude-(?:[23]|4\.|.*-20\d{6})|deepseek-(?:chat$|chat-v3-0|r1$)|distill|gemini-(?:pro|flash|2\.0|2\.5.*-preview)|gemma-[12]|gpt-(?:3|4-|4\.5)|grok-(?:2|3|beta)|guard|kimi-k2(?:$|-0)|llama-(?:2|3-|3\.1-(?:405b$|nemotron))|minimax-(?:01|m1)|-her|m[a-z]+stral-(?:[378]b|12b|tiny|saba|small$|large$|large-24|medium$|mamba)|codestral-(?:2501|mamba)|palm-2|pixtral|mixtral|qwen-?2-|qwen-2\.5-(?:7b|vl)|qwen2|qwen3-vl-(?:8|3[02])b|qwq/u,
    nameOf,
  });

/** Prices of hosts of other makers' models, by their ids; those that charge for requests too are left out. */
export const hostSections: readonly Section[] = [
  makerOf("groq/", "groq", "https://groq.com/pricing", {
    isExcluded: /^(?:gemma-7b|llama2|llama3-|llama-3\.2|llama-3\.1-(?:405|70)b|mixtral)|distill|saba|specdec/u,
  }),
  makerOf("cerebras/", "cerebras", "https://www.cerebras.ai/pricing"),
  makerOf("fireworks/", "fireworks", "https://fireworks.ai/pricing", {
    nameOf: (id) => id.replace(/^accounts\/fireworks\/(?:models|routers)\//u, ""),
  }),
  makerOf("together/", "together", "https://www.together.ai/pricing", {
    // Weights before Llama 3.1 are no longer served; Llama 3.3 has become dearer than the publisher has it.
    isIncluded: /^meta-llama\/(?:meta-)?llama-(?:3\.1|4)/u,
  }),
  ...makersOnOpenRouter
    .split(" ")
    .map((maker) =>
      onOpenRouter(`openrouter/${maker}/`, new RegExp(`^${maker}/`, "u"), (id) => id.slice(maker.length + 1)),
    ),
];

/**
 * Kinds of counts in the usage of a call. `cacheWrite` has all that was written to a cache, `writtenMinutes` and `writtenHour` are its
 * parts by how long it is kept. `otherInput` and `otherOutput` are texts, pictures in a prompt and unknown types.
 */
export type CountKind = Side | UsagePart | "total" | "audioCacheRead" | "writtenMinutes" | "writtenHour";

export type Side = "input" | "output";
export type UsagePart = (typeof parts)[number][0];

/** The parts of each side, in the order in which a total is tried to have them beside the side's own count. */
export const parts = [
  ["cacheRead", "input"],
  ["cacheWrite", "input"],
  ["audioInput", "input"],
  ["toolInput", "input"],
  ["otherInput", "input"],
  ["reasoning", "output"],
  ["audioOutput", "output"],
  ["imageOutput", "output"],
  ["otherOutput", "output"],
] as const satisfies readonly (readonly [string, Side])[];

/** Names under which counts are stored that conventions read. */
export const storedNames = [
  ["input", "prompt_tokens"],
  ["output", "completion_tokens"],
  ["total", "total_tokens"],
  ["cacheRead", "cache_read_tokens"],
  ["audioCacheRead", "cache_read_audio_tokens"],
  ["cacheWrite", "cache_write_tokens"],
  ["writtenHour", "cache_write_1h_tokens"],
  ["toolInput", "tool_input_tokens"],
  ["audioInput", "input_audio_tokens"],
  ["reasoning", "reasoning_tokens"],
  ["audioOutput", "output_audio_tokens"],
  ["imageOutput", "output_image_tokens"],
] as const satisfies readonly (readonly [CountKind, string])[];

/** Words of names by what they mean: those of clients, frameworks and makers. */
const synonyms: readonly (readonly [meaning: string, words: string])[] = [
  ["input", "input prompt in evaluated"],
  ["output", "output completion candidate candidates generated out predicted"],
  // Ollama: `prompt_eval_count` and `eval_count`.
  ["eval", "eval"],
  ["cache", "cache"],
  ["read", "read reads hit"],
  ["cache read", "cached"],
  ["write", "write writes written creation created"],
  ["cache write", "ephemeral"],
  ["5m", "5m"],
  ["1h", "1h hour"],
  ["reasoning", "reasoning thinking thought thoughts"],
  ["total", "total"],
  ["tool", "tool"],
  ["audio", "audio"],
  ["picture", "image video"],
  ["text", "text"],
  // Words without a meaning of their own; the last line has service tiers, which LangChain writes in front of a count.
  ["", "content count counts detail details num number raw token tokens usage use"],
  ["", "batch default flex priority standard"],
];

const meanings: ReadonlyMap<string, string> = new Map(
  synonyms.flatMap(([meaning, words]) => words.split(" ").map((word): [string, string] => [word, meaning])),
);

/** Kinds by the meanings of a name in alphabetical order, without the side of what was cached or reasoned. */
const fields: ReadonlyMap<string, CountKind> = new Map([
  ["input", "input"],
  ["input total", "input"],
  ["output", "output"],
  ["output total", "output"],
  ["eval", "output"],
  ["eval input", "input"],
  ["total", "total"],
  ["cache", "cacheRead"],
  ["cache read", "cacheRead"],
  ["audio cache", "audioCacheRead"],
  ["audio cache read", "audioCacheRead"],
  ["cache write", "cacheWrite"],
  ["5m cache write", "writtenMinutes"],
  ["1h cache write", "writtenHour"],
  ["input tool", "toolInput"],
  ["audio input", "audioInput"],
  ["input picture", "otherInput"],
  ["input text", "otherInput"],
  ["reasoning", "reasoning"],
  ["audio output", "audioOutput"],
  ["output picture", "imageOutput"],
  ["output text", "otherOutput"],
]);

/** Langfuse's usage types, which exclude each other. */
export const usageType = /^(?:input|output)(?!.*token)/u;

/** Langfuse's types with unknown words, which it counts by their first one, but for amounts of something else than tokens. */
const unknownType = /^(input|output)_(?!.*(?:char|cost|limit|max|ms|price|second|usd))[a-z\d_]+$/u;

/**
 * Where a maker or a convention has a part beside the count that it seems to belong to, by the names of that count and of the part. All
 * other parts lie inside it: those of details, of OpenTelemetry's attributes, of OpenAI.
 */
export const besides: readonly (readonly [side: RegExp, part: RegExp])[] = [
  [usageType, /^[^.]+$/u],
  // Anthropic and Bedrock.
  [/^input_tokens$/u, /^cache_(?:creation|read|write)_input_tokens$|^cache_creation\./u],
  // Google.
  [/^candidates_token_count$/u, /^thoughts_token_count$/u],
  [/^prompt_token_count$/u, /^tool_use_prompt_token_count$/u],
];

/** Returns the meanings of the words of a name; null if one is unknown. */
const meaningsOf = (name: string): readonly string[] | null => {
  const words = name
    .replaceAll(/([a-z])(?=\d)/gu, "$1_")
    .split(/[^a-z\d]+/u)
    .filter((word) => word !== "")
    .map((word) => meanings.get(word));
  return words.includes(undefined)
    ? null
    : words
        .join(" ")
        .split(" ")
        .filter((word) => word !== "");
};

const kindOf = (name: string): CountKind | null => {
  const all = meaningsOf(name);
  if (all === null) {
    const side = unknownType.exec(name)?.[1];
    return side === undefined ? null : side === "input" ? "otherInput" : "otherOutput";
  }
  // The last key says what is counted: `input_token_details.flex` has no kind of its own.
  if (meaningsOf(name.slice(name.lastIndexOf(".") + 1))?.length === 0) return null;
  const distinct = new Set(all);
  if (distinct.has("cache")) distinct.delete("input");
  if (distinct.has("reasoning")) distinct.delete("output");
  return fields.get([...distinct].toSorted().join(" ")) ?? null;
};

/** Cached kinds by name, bounded because names are the client's. */
const kinds = new Map<string, CountKind | null>();
const maxNames = 2_000;

/** Returns the kind of a count by its name; null if it counts something else. @param name in snake case, with dots between the keys of nested objects. */
export const countKind = (name: string): CountKind | null => {
  const cachedKind = kinds.get(name);
  if (cachedKind !== undefined) return cachedKind;
  const kind = kindOf(name);
  if (kinds.size < maxNames) kinds.set(name, kind);
  return kind;
};

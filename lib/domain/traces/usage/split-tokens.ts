import type { JsonObject } from "../../json.ts";
import { modelIdentity } from "../../model-name.ts";
import type { TokenPrices } from "../model-price.ts";
import { callTokensOf, type CallTokens } from "./call-tokens.ts";

/** Kinds that the tokens of a prompt and of an answer are split into, with the price of each; null for those that no price knows. */
export const tokenKinds = {
  prompt: [
    ["prompt", "input"],
    ["audio", "audio"],
    ["cached", "cached"],
    ["audioCached", "audioCached"],
    ["written", "written"],
    ["writtenHour", "writtenHour"],
    ["otherPrompt", null],
  ],
  completion: [
    ["completion", "output"],
    ["reasoning", "reasoning"],
    ["audioOutput", "audioOutput"],
    ["imageOutput", null],
    ["otherCompletion", null],
  ],
} as const satisfies Record<string, readonly (readonly [kind: string, price: keyof TokenPrices | null])[]>;

type Side = keyof typeof tokenKinds;

/** Numbers of a call's tokens by kind. */
export type SplitTokens = Readonly<Record<(typeof tokenKinds)[Side][number][0], number>>;

/** The part of a span that tells its tokens. */
interface SpanWithUsage {
  readonly token_usage: JsonObject | null;
  readonly model: string | null;
}

const splitPrompt = ({ input, cacheRead, cacheWrite, writtenHour, audioInput, audioCacheRead }: CallTokens) => {
  const uncached = input - cacheRead - cacheWrite;
  // Sound that the uncached tokens have no room for was read from the cache.
  const audioCached = Math.min(cacheRead, audioCacheRead ?? Math.max(0, audioInput - uncached));
  const audio = Math.min(Math.max(0, audioInput - audioCached), uncached);
  return {
    prompt: uncached - audio,
    audio,
    cached: cacheRead - audioCached,
    audioCached,
    written: cacheWrite - writtenHour,
    writtenHour,
  };
};

const splitAnswer = (tokens: CallTokens) => {
  const { output } = tokens;
  const audioOutput = Math.min(tokens.audioOutput, output);
  const imageOutput = Math.min(tokens.imageOutput, output - audioOutput);
  const reasoning = Math.min(tokens.reasoning, output - audioOutput - imageOutput);
  return { completion: output - audioOutput - imageOutput - reasoning, reasoning, audioOutput, imageOutput };
};

/**
 * Splits the tokens of a span by the price that applies to them. Those that only the reported total has are the prompt's if nothing
 * else is reported; else the answer's, at Google as thinking, which it bills so, elsewhere without a price.
 */
export const splitTokens = ({ token_usage: usage, model }: SpanWithUsage): SplitTokens => {
  const tokens = callTokensOf(usage ?? {});
  const isTotalOnly = tokens.input + tokens.output === 0;
  const isThinking = tokens.remainder > 0 && !isTotalOnly && modelIdentity(model ?? "").startsWith("gemini-");
  return {
    ...splitPrompt(tokens),
    otherPrompt: isTotalOnly ? tokens.remainder : 0,
    ...splitAnswer(isThinking ? { ...tokens, output: tokens.output + tokens.remainder } : tokens),
    otherCompletion: isTotalOnly || isThinking ? 0 : tokens.remainder,
  };
};

/** Returns the number of tokens on one side of a call. */
export const tokensOfSide = (tokens: SplitTokens, side: Side): number =>
  tokenKinds[side].reduce((sum, [kind]) => sum + tokens[kind], 0);

/** Returns the tokens of a span as they are counted. */
export const countedTokens = (span: SpanWithUsage): { readonly prompt: number; readonly completion: number } => {
  const tokens = splitTokens(span);
  return { prompt: tokensOfSide(tokens, "prompt"), completion: tokensOfSide(tokens, "completion") };
};

import { describe, expect, test } from "vitest";
import { isObject, parseLossless, type JsonObject } from "../../../../lib/domain/json.ts";
import { modelPrice } from "../../../../lib/domain/traces/model-price.ts";
import { costOfSpan, unpricedTokensOf } from "../../../../lib/domain/traces/span-cost.ts";
import { countedTokens } from "../../../../lib/domain/traces/usage/split-tokens.ts";
import { callTokensOf } from "../../../../lib/domain/traces/usage/call-tokens.ts";

/** Rows of a table: title, usage, and what is expected, as JSON. */
const rowsOf = (table: string): readonly (readonly [title: string, usage: string, expected: string])[] =>
  table
    .trim()
    .split("\n")
    .map((row) => row.split(" | ").map((cell) => cell.trim()))
    .map(([title = "", usage = "", expected = ""]) => [title, usage, expected]);

const usageIn = (text: string): JsonObject => {
  const usage = parseLossless(text);
  if (!isObject(usage)) throw new Error(`${text} is no usage.`);
  return usage;
};

test.each(
  rowsOf(`
OpenAI's details | {"prompt_tokens":1000,"completion_tokens":200,"prompt_tokens_details":{"cached_tokens":600,"audio_tokens":100},"completion_tokens_details":{"reasoning_tokens":50,"audio_tokens":20,"accepted_prediction_tokens":3}} | {"input":1000,"output":200,"cacheRead":600,"audioInput":100,"reasoning":50,"audioOutput":20}
OpenAI's Responses | {"input_tokens":90,"output_tokens":9,"input_tokens_details":{"cached_tokens":60}} | {"input":90,"output":9,"cacheRead":60}
Anthropic's buckets | {"input_tokens":2500,"output_tokens":300,"cache_read_input_tokens":1000,"cache_creation_input_tokens":785} | {"input":4285,"output":300,"cacheRead":1000,"cacheWrite":785}
Anthropic's buckets with their hours | {"input_tokens":2500,"output_tokens":300,"cache_read_input_tokens":1000,"cache_creation_input_tokens":785,"cache_creation":{"ephemeral_5m_input_tokens":700,"ephemeral_1h_input_tokens":85}} | {"input":4285,"output":300,"cacheRead":1000,"cacheWrite":785,"writtenHour":85}
Anthropic's buckets with a total without them | {"input_tokens":2500,"output_tokens":300,"cache_read_input_tokens":1000,"total_tokens":2800} | {"input":2500,"output":300,"cacheRead":1000}
names of Anthropic beside OpenAI's, as LiteLLM has them | {"prompt_tokens":2500,"completion_tokens":3,"cache_read_input_tokens":1000} | {"input":2500,"output":3,"cacheRead":1000}
Bedrock's names | {"inputTokens":12,"outputTokens":9,"cacheReadInputTokens":5,"cacheWriteInputTokens":2} | {"input":19,"output":9,"cacheRead":5,"cacheWrite":2}
Google's thinking | {"promptTokenCount":10,"candidatesTokenCount":200,"thoughtsTokenCount":5000} | {"input":10,"output":5200,"reasoning":5000}
Google's modalities and tools | {"promptTokenCount":10,"candidatesTokenCount":2,"toolUsePromptTokenCount":7,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":4},{"modality":"TEXT","tokenCount":6}]} | {"input":17,"output":2,"audioInput":4}
Langfuse's types | {"input":2500,"output":300,"cache_read_input_tokens":41000,"cache_creation_input_tokens":785} | {"input":44285,"output":300,"cacheRead":41000,"cacheWrite":785}
Langfuse's types of text, sound and unknown kinds | {"input":5,"input_text_tokens":10,"input_audio_tokens":7,"input_scans":2,"output":1,"output_reasoning":4} | {"input":24,"output":5,"audioInput":7,"reasoning":4}
Langfuse's types with a total without them | {"input":2500,"output":300,"input_cached_tokens":1000,"total":2800} | {"input":2500,"output":300,"cacheRead":1000}
LangChain's placeholder of what was written | {"input_tokens":100,"output_tokens":5,"input_token_details":{"cache_read":40,"cache_creation":0,"ephemeral_5m_input_tokens":30,"ephemeral_1h_input_tokens":20}} | {"input":100,"output":5,"cacheRead":40,"cacheWrite":50,"writtenHour":20}
objects of the AI SDK | {"inputTokens":{"total":100,"noCache":60,"cacheRead":40},"outputTokens":{"total":20,"text":5,"reasoning":15}} | {"input":100,"output":20,"cacheRead":40,"reasoning":15}
DeepSeek's hits and misses | {"prompt_tokens":100,"completion_tokens":2,"prompt_cache_hit_tokens":60,"prompt_cache_miss_tokens":40} | {"input":100,"output":2,"cacheRead":60}
cached sound | {"input_tokens":100,"input_token_details":{"audio_tokens":90,"cached_tokens":30,"cached_tokens_details":{"text_tokens":10,"audio_tokens":20}}} | {"input":100,"cacheRead":30,"audioCacheRead":20,"audioInput":90}
two makers' names, one of them zero | {"prompt_tokens":0,"completion_tokens":0,"input_tokens":10,"output_tokens":5} | {"input":10,"output":5}
details that repeat the prompt without its cache | {"input_tokens":100,"output_tokens":2,"details":{"input_tokens":40,"cache_read_input_tokens":60}} | {"input":100,"output":2,"cacheRead":60}
a total that only the cache beside the prompt explains | {"prompt_tokens":100,"completion_tokens":10,"cache_read_tokens":30,"cache_write_tokens":20,"total_tokens":160} | {"input":150,"output":10,"cacheRead":30,"cacheWrite":20}
a total that only thoughts beside the answer explain | {"prompt_tokens":26,"completion_tokens":50,"total_tokens":96,"reasoning_tokens":20} | {"input":26,"output":70,"reasoning":20}
more thoughts than answer | {"prompt_tokens":26,"completion_tokens":5,"reasoning_tokens":120} | {"input":26,"output":125,"reasoning":120}
more cached than sent | {"prompt_tokens":12,"completion_tokens":1,"cache_read_tokens":41000} | {"input":41012,"output":1,"cacheRead":41000}
more cached than sent, and a total without it | {"prompt_tokens":12,"completion_tokens":1,"cache_read_tokens":41000,"total_tokens":13} | {"input":41012,"output":1,"cacheRead":41000}
a total above its counts | {"prompt_tokens":10,"completion_tokens":200,"total_tokens":5210} | {"input":10,"output":200,"remainder":5000}
a total alone | {"total_tokens":50} | {"remainder":50}
a total below its counts | {"prompt_tokens":10,"completion_tokens":5,"total_tokens":3} | {"input":10,"output":5}
no counts | {"prompt_tokens":-1,"completion_tokens":"many","max_output_tokens":9,"input_cost":2,"constructor":4,"tokens_per_second":7} | {}
`),
)("the tokens of %s are read", (_, usage, tokens) => {
  const positive = Object.entries(callTokensOf(usageIn(usage))).filter(([, count]) => count !== null && count !== 0);

  expect(Object.fromEntries(positive)).toEqual(JSON.parse(tokens));
});

describe("the bill of a call", () => {
  const textPrices = { input: 1, output: 10, cached: 0.1, written: 2, reasoning: 10, from: null };
  const textPrice = modelPrice([textPrices]);
  const price = modelPrice([{ ...textPrices, audio: 5, audioCached: 0.5, writtenHour: 4 }]);
  /** Counted tokens of prompt and answer, dollars per million of both, unpriced tokens. */
  const billOf = (usage: string, spanPrice = price, model = "some-model") => {
    const started_at = "2026-11-21T09:00:00+00:00";
    const span = { token_usage: usageIn(usage), model, price: spanPrice, cost: null, started_at };
    const { prompt, completion } = countedTokens(span);
    const { input = null, output = null } = costOfSpan(span) ?? {};
    const dollars = [input, output].map((each) => (typeof each === "number" ? Math.round(each * 1e9) / 1e3 : null));
    return [prompt, completion, ...dollars, unpricedTokensOf(span)];
  };

  test.each(
    rowsOf(`
sound has its own price | {"prompt_tokens":1000,"input_audio_tokens":900,"completion_tokens":1} | [1000,1,4600,10,0]
sound read from a cache has its own | {"prompt_tokens":100,"cache_read_tokens":60,"cache_read_audio_tokens":50,"input_audio_tokens":70} | [100,0,146,0,0]
sound with no room among the uncached was cached | {"prompt_tokens":100,"cache_read_tokens":60,"input_audio_tokens":70} | [100,0,218,0,0]
an answer in sound is unpriced without a price | {"completion_tokens":50,"output_audio_tokens":30} | [0,50,0,200,30]
a picture as an answer is unpriced | {"completion_tokens":50,"completion_tokens_details":{"image_tokens":40}} | [0,50,0,100,40]
an hour in the cache has its own price | {"prompt_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":30,"ephemeral_1h_input_tokens":20}} | [100,0,190,0,0]
what only the total has is unpriced | {"prompt_tokens":10,"completion_tokens":200,"total_tokens":5210} | [10,5200,10,2000,5000]
a total alone is counted and unpriced | {"total_tokens":50} | [50,0,null,null,50]
a prompt alone is priced | {"input_tokens":7} | [7,0,7,0,0]
`),
  )("%s", (_, usage, bill) => {
    expect(billOf(usage)).toEqual(JSON.parse(bill));
  });

  test.each(
    rowsOf(`
sound | {"prompt_tokens":1000,"input_audio_tokens":900} | [1000,0,100,0,900]
cached sound | {"prompt_tokens":100,"cache_read_tokens":100,"input_audio_tokens":40} | [100,0,6,0,40]
sound alone | {"prompt_tokens":900,"input_audio_tokens":900} | [900,0,null,null,900]
an hour in the cache | {"prompt_tokens":100,"cache_write_tokens":50,"cache_write_1h_tokens":20} | [100,0,110,0,20]
`),
  )("%s is unpriced by a model without a price for it, never at that of text", (_, usage, bill) => {
    expect(billOf(usage, textPrice)).toEqual(JSON.parse(bill));
  });

  test("what only the total has is thinking at Google, which bills it as the answer", () => {
    const usage = '{"prompt_tokens":10,"completion_tokens":200,"total_tokens":5210}';

    expect(billOf(usage, price, "gemini-2.5-pro")).toEqual([10, 5200, 10, 52_000, 0]);
    expect(billOf(usage, price, "google/gemini-2.5-pro-preview-06-05")).toEqual([10, 5200, 10, 52_000, 0]);
    expect(billOf('{"total_tokens":50}', price, "gemini-2.5-pro")).toEqual([50, 0, null, null, 50]);
  });
});

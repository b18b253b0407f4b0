import { array, assert, constantFrom, integer, property, shuffledSubarray } from "fast-check";
import { expect, test } from "vitest";
import { fittingShare, tokensLeftOf, windowUseOf } from "../../../../lib/judge/providers/window.ts";

/** Refusals, and the tokens that the prompt leaves beside a refused limit of 8,192; null for none that are worth a call. */
const rows: readonly (readonly [sentence: string, left: number | null])[] = [
  [
    "You passed 13187 input tokens and requested 8192 output tokens. However, the model's context length is only 16384 tokens, resulting in a maximum input length of 8192 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=13187)",
    3197,
  ],
  [
    "This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens and your prompt contains at least 8193 input tokens, for a total of at least 16385 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=8193)",
    4096,
  ],
  [
    "This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens and your prompt contains at least 15700 input tokens.",
    null,
  ],
  [
    "You passed 60001 input characters and requested 8192 output tokens. However, the model's context length is only 16384 tokens, resulting in a maximum input length of 8192 tokens (at most 32768 characters). (parameter=input_text, value=60001)",
    4096,
  ],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 6000 input tokens (8192 > 8192 - 6000).",
    2192,
  ],
  [
    "'max_tokens' is too large: 8192. This model's maximum context length is 14000 tokens and your request has 13186 input tokens (8192 > 14000 - 13186).",
    null,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9502 tokens (1160 in the messages, 150 in the response_format, and 8192 in the completion).",
    6882,
  ],
  [
    "This model's maximum context length is 8,192 tokens, however you requested 9,502 tokens (1,310 in your prompt; 8,192 for the completion).",
    6882,
  ],
  [
    "This endpoint's maximum context length is 16384 tokens. However, you requested about 18392 tokens (10000 of text input, 200 of tool input, 8192 in the output). Please reduce it.",
    6184,
  ],
  ["Context length is 16384: 10000 of text input, 200 of tool input", 6184],
  ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", null],
  ["This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens", null],
  [
    "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 14192 tokens: 6000 tokens from the input messages and 8192 tokens for the completion.",
    2192,
  ],
  ["`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 6000 `inputs` tokens and 8192 `max_new_tokens`", 2192],
  ["input length and `max_tokens` exceed context limit: 6000 + 8192 > 8192, decrease them", 2192],
  ["input length and `max_tokens` exceed context limit: 13186 + 8192 > 14000", null],
  [
    "Request too large for model `llama-3.3-70b-v1` in organization `org_1` on tokens per minute (TPM): Limit 12000, Requested 14192, please reduce your message size.",
    6000,
  ],
  ["gpt-4.1 has a context window of 16384 tokens. The prompt has 13187 tokens.", 3197],
  [
    "The decoder prompt (length 13187) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller.",
    null,
  ],
  ["Prompt contains 30000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 2768],
  ["request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it", null],
  ["Your request exceeded model token limit: 16384 (requested: 21379)", 3197],
  ["the sum of prompt tokens (13187) and max_tokens (8192) exceeds the model's context length (16384)", 3197],
  [
    "You requested 8192 output tokens, which together with your prompt of 13,187 tokens is more than the 16,384 token context window.",
    3197,
  ],
  ["Input length 13187 exceeds the maximum allowed token length of 8192", null],
  ["prompt is too long: 210000 tokens > 200000 maximum", null],
];

const leftOf = (sentence: string): number | null => {
  const use = windowUseOf(sentence.toLowerCase());
  return use === null ? null : tokensLeftOf(use, 8192);
};

test.each(rows)("%s", (sentence, tokensLeft) => {
  expect(leftOf(sentence)).toBe(tokensLeft);
  // A gateway repeats the sentence of its provider beside codes.
  expect(leftOf(`Error 400\n${sentence}\n400\n${sentence}\nbad_request`)).toBe(tokensLeft);
});

test.each([
  "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
  "max_tokens: must be at most 4096, given 8192",
  "input tokens: must be at most 4096, given 8192",
  "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
  "The maximum tokens you requested exceeds the model limit of 4096. Try a maximum that is lower than 4096.",
  "This model's maximum prompt length is 8192 but the request contains 13187 tokens.",
  "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Use a shorter prompt.",
  "Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
  "context_length_exceeded\n400",
  "",
])("a refusal that names no window beside a prompt leaves nothing to reckon with: %s", (sentence) => {
  expect(windowUseOf(sentence.toLowerCase())).toBeNull();
});

test("a shortened prompt fits into its window beside an answer, as long as its tokens have as many characters as before", () => {
  const characters = integer({ min: 1000, max: 400_000 });
  assert(
    property(characters, characters, integer({ min: 2, max: 6 }), integer({ min: 1100, max: 99_000 }), (...sizes) => {
      const [transcript, others, perToken, window] = sizes;
      const prompt = Math.ceil((transcript + others) / perToken);
      const share = fittingShare({ window, prompt, total: null, isAtLeast: false }, transcript, others);
      const rest = (share * transcript + others) / perToken;

      // Half, where what cannot be shortened fills the window, or where the prompt was not what is too long.
      expect(share === 1 / 2 || (share < 1 && rest <= window - 1024)).toBe(true);
    }),
  );
  for (const use of [null, { window: 8192, prompt: null, total: 9000, isAtLeast: false }])
    expect(fittingShare(use, 9000, 6000)).toBe(1 / 2);
});

test("numbers count what the words beside them say, in any order and wording of the clauses", () => {
  const tokens = integer({ min: 2000, max: 400_000 });
  const separators = array(constantFrom(". ", ", ", "; ", " and ", ", but ", ". However, "), { minLength: 3 });
  assert(
    property(
      tokens,
      integer({ min: 0, max: 300_000 }),
      integer({ min: 1, max: 900 }),
      constantFrom("maximum context length is only #", "the context window has # tokens", "context size: #"),
      constantFrom("your prompt has # input tokens", "you passed # tokens in the messages", "the prompt (# tokens)"),
      constantFrom("you requested # output tokens", "# in the completion", "max_tokens is #"),
      constantFrom("# of tool input", "# in the response_format", "# in the functions"),
      shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
      separators,
      (window, prompt, part, ...[windowText, promptText, outputText, partText, order, ends]) => {
        const texts: readonly (readonly [string, number])[] = [
          [windowText, window + 10_000],
          [promptText, prompt + 1000],
          [outputText, 8192],
          [partText, part],
        ];
        const sentence = order
          .map((index, at) => {
            const [text, number] = texts[index] ?? ["", 0];
            return `${text.replace("#", String(number))}${ends[at % ends.length] ?? ""}`;
          })
          .join("");

        expect(windowUseOf(sentence)).toEqual({
          window: window + 10_000,
          prompt: prompt + 1000 + part,
          total: null,
          isAtLeast: false,
        });
      },
    ),
  );
});

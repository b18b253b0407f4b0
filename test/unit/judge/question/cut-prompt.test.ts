import { afterAll, beforeAll, expect, test } from "vitest";
import { cutPromptFailure } from "../../../../lib/judge/question/cut-prompt.ts";
import {
  completion,
  completionAnswer,
  reply,
  startFakeJudge,
  type FakeJudge,
} from "../../../support/runs/fake-judge.ts";
import { judgeOf, span, trace } from "../fixtures.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

/** A trace whose transcript is long and repeats nothing. */
const long = trace({
  spans: Array.from({ length: 80 }, (_, index) =>
    span(`s${index}`, {
      kind: "TOOL",
      output: Array.from({ length: 60 }, (_each, n) => `${index * 7919 + n * 104729}`).join(" "),
    }),
  ),
});

const verdictWith = async (usage: object) => {
  fake.script(
    reply(200, { ...completion(JSON.stringify(completionAnswer())), usage: { completion_tokens: 10, ...usage } }),
  );
  const { judge, request, deadline } = judgeOf(fake);
  const verdict = await judge.target({ ...request, trace: long }).score("task_completion", deadline());
  return { verdict, sent: JSON.stringify(fake.calls[0]?.body["messages"]).length };
};

test("an answer to a prompt that the server cut is no score, and says that the window is too small", async () => {
  const { verdict, sent } = await verdictWith({ prompt_tokens: 4096 });

  expect(sent).toBeGreaterThan(33_000);
  expect(verdict).toMatchObject({
    kind: "failed",
    code: "insufficient_evidence",
    reason: expect.stringMatching(
      /^The judge's server read 4,096 tokens of a prompt of \d\d,\d{3} characters: .* window/u,
    ),
    metadata: { attempts: 1, tokens: { prompt: 4096 } },
  });
});

test.each([
  ["of its whole prompt", { prompt_tokens: 20_000 }],
  ["with tokens of the cache", { prompt_tokens: 20_000, prompt_tokens_details: { cached_tokens: 19_000 } }],
  ["without counts", { prompt_tokens: 0 }],
  ["with a count that no window has", { prompt_tokens: 100 }],
])("an answer %s is a score", async (_title, usage) => {
  expect((await verdictWith(usage)).verdict).toMatchObject({ kind: "scored" });
});

test("after a refusal of a longer prompt a count of a few hundred tokens is none of a window", async () => {
  const refusal = reply(400, { error: { message: "The prompt is too long.", code: "context_length_exceeded" } });
  const verdictOf = async (prompt_tokens: number) => {
    fake.script(
      refusal,
      reply(200, {
        ...completion(JSON.stringify(completionAnswer())),
        usage: { completion_tokens: 10, prompt_tokens },
      }),
    );
    const { judge, request, deadline } = judgeOf(fake);
    return await judge.target({ ...request, trace: long }).score("task_completion", deadline());
  };

  expect(await verdictOf(1_000)).toMatchObject({ kind: "scored" });
  expect(await verdictOf(1_100)).toMatchObject({ kind: "failed", code: "insufficient_evidence" });
});

test("runs of one character do not count, and a token has eight characters at most", () => {
  const tokens = (prompt: number) => ({ prompt, completion: 1, cached: 0, written: 0 });
  const words = "ab".repeat(10_000);

  expect(cutPromptFailure([words, "-".repeat(100_000)], tokens(2501))).toBeNull();
  expect(cutPromptFailure([words, "abcdefghij"], tokens(2501))).toMatchObject({ code: "insufficient_evidence" });
  expect(cutPromptFailure([" ".repeat(50_000), "\n".repeat(50_000)], tokens(1024))).toBeNull();
  expect(cutPromptFailure([words], tokens(512))).toMatchObject({ code: "insufficient_evidence" });
});

import type { ServerResponse } from "node:http";
import { array, object, picklist, string } from "valibot";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { judgeIdentity } from "../../../lib/domain/scores/score.ts";
import {
  promptVersion,
  sampledVersion,
  setupVersion,
  defineMetric,
  type Extraction,
} from "../../../lib/judge/metric/metric.ts";
import type { JudgeBudget } from "../../../lib/judge/spending/judge-budget.ts";
import { type TranscriptSettings, coverageOf } from "../../../lib/judge/transcript/transcript.ts";
import { defineRubricMetric } from "../../../lib/judge/rubric/rubric-metric.ts";
import {
  reply,
  says,
  startFakeJudge,
  completionAnswer,
  completionAnswers,
  type Behaviour,
  type FakeJudge,
} from "../../support/runs/fake-judge.ts";
import { judgeOf } from "./fixtures.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

const plan: Extraction = { name: "plan", question: "What was the plan?", answer: object({ plan: string() }) };
const yesOrNo = object({ reason: string(), verdict: picklist(["yes", "no"]) });
const described = (name: string) => ({
  name,
  description: `Evaluates whether ${name} works.`,
  category: "trace" as const,
  threshold: 0.5,
  question: `Question of ${name}.`,
});
const metric = (name: string, needs: readonly Extraction[] = []) =>
  defineMetric({
    ...described(name),
    needs,
    answer: yesOrNo,
    score: ({ reason, verdict }) => ({ value: verdict === "yes" ? 1 : 0, reason, details: {} }),
  });
const aside = defineMetric({
  ...described("aside"),
  sees: "notes",
  facts: ({ trace }) =>
    (trace.name === "twice" ? ["first", "second"] : ["facts"]).map((name) => ({
      name,
      text: `It is called ${trace.name}.`,
      coverage: coverageOf(3, 4),
      sections: [],
    })),
  inapplicable: ({ trace }) =>
    trace.name === "nothing"
      ? { value: 1, inapplicable: "no_tool_calls", reason: "Does not apply.", details: {} }
      : null,
  answer: yesOrNo,
  joinAnswers: (answers) => ({ reason: answers.map(({ reason }) => reason).join(" "), verdict: "yes" as const }),
  score: ({ reason }) => ({ value: 1, reason, details: {} }),
});
const cited = defineMetric({
  ...described("cited"),
  answer: object({ evidence: array(string()), reason: string(), verdict: picklist(["yes", "no"]) }),
  score: ({ evidence, reason }) => ({ value: 1, reason, details: { evidence } }),
});
const plain = ["a", "b", "c", "d"].map((name) => metric(name));
const planned = ["p", "q", "r"].map((name) => metric(name, [plan]));

const byQuestion: Behaviour = (response, call) => {
  const { name } = call.body.response_format.json_schema;
  const answer = name === "plan" ? { plan: "First <<<<< RECORD look, then act." } : { reason: "So.", verdict: "yes" };
  setTimeout(() => void says(answer)(response, call), 15);
};
/** Delays its answers until a number of calls are open. */
const together = (count: number): Behaviour => {
  const { promise: allCallsOpen, resolve } = Promise.withResolvers<void>();
  let open = 0;
  return async (response, call) => {
    open += 1;
    if (open === count) resolve();
    await allCallsOpen;
    await byQuestion(response, call);
  };
};
const names = (): readonly string[] => fake.calls.map(({ body }) => body.response_format.json_schema.name);
const setUp = () => judgeOf(fake, { metrics: [...plain, ...planned, aside, cited] });

beforeEach(() => fake.script(byQuestion));

describe("the judge of a target", () => {
  test("completes the first call alone and makes the others concurrently after it", async () => {
    const { judge, request, deadline } = setUp();
    const target = judge.target(request);
    const events: string[] = [];
    const laterCalls = together(plain.length - 1);
    const first: Behaviour = async (response, call) => {
      response.once("finish", () => events.push("the first has ended"));
      await byQuestion(response, call);
    };
    fake.script(first, async (response, call) => {
      events.push("another has begun");
      await laterCalls(response, call);
    });

    const verdicts = await Promise.all(plain.map(({ name }) => target.score(name, deadline())));

    expect(verdicts.map(({ kind }) => kind)).toEqual(plain.map(() => "scored"));
    expect(events).toEqual(["the first has ended", ...plain.slice(1).map(() => "another has begun")]);
  });

  test("makes the other calls when the first one fails", async () => {
    const { judge, request, deadline } = setUp();
    const target = judge.target(request);
    fake.script(reply(400, {}), byQuestion);

    const verdicts = await Promise.all(plain.map(({ name }) => target.score(name, deadline())));

    expect(verdicts.map(({ kind }) => kind)).toEqual(["failed", "scored", "scored", "scored"]);
  });

  test("sends every metric the same beginning, so that a provider's cache pays for the transcript once", async () => {
    const { judge, request, deadline } = setUp();
    const target = judge.target(request);
    await Promise.all(plain.map(({ name }) => target.score(name, deadline())));

    const beginnings = fake.calls.map(({ body }) =>
      body.messages.map(({ content }) => content.split("\n\nQuestion of")[0]),
    );
    expect(new Set(beginnings.map((parts) => JSON.stringify(parts))).size).toBe(1);
  });

  test("sends an extraction that several metrics need once, and counts it for one of them", async () => {
    const { judge, request, deadline } = setUp();
    const target = judge.target(request);

    const verdicts = await Promise.all(planned.map(({ name }) => target.score(name, deadline())));

    expect(names()).toEqual(["plan", "p", "q", "r"]);
    expect(verdicts.map(({ metadata }) => metadata["attempts"])).toEqual([2, 1, 1]);
    expect(verdicts.map(({ metadata }) => metadata["tokens"])).toMatchObject([
      { prompt: 200, completion: 40, cached: 80, written: 0 },
      { prompt: 100, completion: 20, cached: 40, written: 0 },
      { prompt: 100, completion: 20, cached: 40, written: 0 },
    ]);
  });

  test("puts extracted texts between delimiters of their own", async () => {
    const { judge, request, deadline } = setUp();
    await judge.target(request).score("p", deadline());

    const user = fake.calls[1]?.body.messages[1]?.content ?? "";
    expect(user).toMatch(
      /<<<<< NOTES (?<code>[0-9a-f]{32}) BEGINS >>>>>\n[^<]*First < < < < < RECORD look[^<]*\n<<<<< NOTES \k<code> ENDS >>>>>/u,
    );
    expect(user.endsWith("Question of p.")).toBe(true);
  });

  test("sends facts instead of the transcript where a question is about these alone", async () => {
    const { judge, request, deadline } = setUp();

    const verdict = await judge.target(request).score("aside", deadline());

    const [system, user] = fake.calls[0]?.body.messages ?? [];
    expect(system?.content).toContain("You are an impartial evaluator.");
    expect(user?.content).toMatch(
      /^Codes of this evaluation: (?<code>\w+) and [a-z]{4}\.\n\nNotes: facts\n<<<<< NOTES \k<code> BEGINS >>>>>\nIt is called support-agent\.\n<<<<< NOTES \k<code> ENDS >>>>>\n\nQuestion of aside\.$/u,
    );
    expect(verdict.metadata["coverage"]).toEqual({ shown_characters: 3, total_characters: 4, ratio: 0.75 });
  });

  test("sends a question for each of several groups of facts, and sums their usage for the pair", async () => {
    const { judge, request, deadline } = setUp();

    const verdict = await judge
      .target({ ...request, trace: { ...request.trace, name: "twice" } })
      .score("aside", deadline());

    expect(fake.calls.map(({ body }) => /Notes: (\w+)/u.exec(body.messages[1]?.content ?? "")?.[1]).toSorted()).toEqual(
      ["first", "second"],
    );
    expect(verdict).toMatchObject({ kind: "scored", reason: "So. So.", metadata: { attempts: 2 } });
    expect(verdict.metadata["coverage"]).toEqual({ shown_characters: 6, total_characters: 8, ratio: 0.75 });
  });

  test("does not delay a question without the transcript for the first one with it", async () => {
    const { judge, request, deadline } = setUp();
    const target = judge.target(request);

    await Promise.all([target.score("aside", deadline()), target.score("a", deadline())]);

    expect(fake.peak()).toBeGreaterThanOrEqual(2);
  });

  test("sends no question about a trace to which a metric does not apply", async () => {
    const { judge, request, deadline } = setUp();
    const nothing = { ...request, trace: { ...request.trace, name: "nothing" } };

    const verdict = await judge.target(nothing).score("aside", deadline());

    expect(verdict).toMatchObject({ kind: "scored", value: 1, reason: "Does not apply.", metadata: { attempts: 0 } });
    expect(verdict.grounds).toMatchObject({ inapplicable: "no_tool_calls", evidence: null, traceVersion: 3 });
    expect(fake.calls).toHaveLength(0);
  });

  test("records judge and prompt version, and cites the record", async () => {
    const { judge, request, deadline } = setUp();
    const target = judge.target(request);
    const evidence = ["shipped on Monday", "#2", "Never said."];
    fake.script(says({ evidence, reason: "So.", verdict: "yes" }));
    const verdict = await target.score("cited", deadline());
    fake.script(byQuestion);
    const [plainly, aside] = [await target.score("a", deadline()), await target.score("aside", deadline())];
    fake.script(reply(400, {}));
    const failure = await target.score("b", deadline());

    expect(verdict.metadata["prompt_version"]).toBe(promptVersion(cited));
    expect(verdict.grounds?.judge).toMatchObject({ provider: "openai", model: "judge" });
    expect(verdict.grounds).toEqual({
      judge: judgeIdentity(
        "openai/judge",
        sampledVersion(setupVersion(cited, promptVersion(cited), 60_000, 0.25, null), { temperature: 0, effort: null }),
      ),
      inapplicable: null,
      evidence: {
        cited: [
          { span_id: null, quote: "shipped on Monday" },
          { span_id: "b", quote: null },
        ],
        dropped: 1,
      },
      traceVersion: 3,
    });
    expect(plainly.grounds?.judge.id).not.toBe(verdict.grounds?.judge.id);
    expect([plainly, aside].map(({ grounds }) => grounds?.evidence)).toEqual([null, null]);
    expect(failure).toMatchObject({ kind: "failed", grounds: { judge: { model: "judge" }, inapplicable: null } });
  });

  test("is another judge version where it is sent pictures, for which room is reserved", async () => {
    const png = `iVBORw0KGgo${"Ab1".repeat(999)}AA`.slice(0, 3000);
    const put = async (pictures: Readonly<Record<string, number>>) => {
      fake.script(says(completionAnswer()));
      const { judge, request, deadline } = judgeOf(fake, {
        transcripts: { characters: {}, leastCoverage: 0.25, pictures },
        prices: new Map([["openai/judge", { input: 1e6, cached: 1e6, written: 1e6, output: 0 }]]),
      });
      const wants: number[] = [];
      const budget: JudgeBudget = {
        reserve: async ({ min: least }) => {
          wants.push(least);
          return {
            remaining: () => Infinity,
            extend: () => true,
            begin: async () => () => undefined,
            close: () => undefined,
          };
        },
      };
      const trace = { ...request.trace, input: { url: `data:image/png;base64,${png}` } };
      const before = fake.calls.length;
      const verdict = await judge.target({ ...request, trace }).score("task_completion", deadline(), budget);
      const bodiesText = JSON.stringify(
        fake.calls.slice(Math.min(before, fake.calls.length - 1)).map(({ body }) => body),
      );
      return { id: verdict.grounds?.judge.id, want: wants[0] ?? 0, isSent: bodiesText.includes(png) };
    };
    const [blind, seeing] = [await put({}), await put({ "openai/judge": 1 })];

    expect([blind.isSent, seeing.isSent]).toEqual([false, true]);
    expect(seeing.id).not.toBe(blind.id);
    expect(seeing.want - blind.want).toBeGreaterThan(49_900);
  });

  test("is another judge version where more or less of a trace is shown", async () => {
    const idWith = async (transcripts: TranscriptSettings) => {
      fake.script(says(completionAnswer()));
      const { judge, request, deadline } = judgeOf(fake, { transcripts });
      return (await judge.target(request).score("task_completion", deadline())).grounds?.judge.id;
    };
    const [usual, same, longer, stricter] = await Promise.all([
      idWith({ characters: {}, leastCoverage: 0.25 }),
      idWith({ characters: { default: 60_000 }, leastCoverage: 0.25 }),
      idWith({ characters: { "openai/judge": 100_000 }, leastCoverage: 0.25 }),
      idWith({ characters: {}, leastCoverage: 0.5 }),
    ]);

    expect(same).toBe(usual);
    expect(new Set([usual, longer, stricter]).size).toBe(3);
  });

  test.each([
    ["away", 500, "deferred"],
    ["refusing", 400, "failed"],
  ] as const)("repeats an extraction that failed when the provider was %s", async (_, status, kind) => {
    const { judge, request, deadline } = setUp();
    const target = judge.target(request);
    fake.script(reply(status, {}));
    expect(await target.score("p", deadline())).toMatchObject({ kind });
    fake.script(byQuestion);

    expect(await target.score("p", deadline())).toMatchObject({ kind: "scored", value: 1 });
    expect(names()).toEqual(["plan", "p"]);
  });

  test("makes twenty concurrent calls over connections that stay open", async () => {
    const { judge, request, deadline } = setUp();
    fake.script(together(20));

    const verdicts = await Promise.all(Array.from({ length: 20 }, () => judge.target(request).score("a", deadline())));

    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(["scored"]));
    expect(fake.peak()).toBeGreaterThanOrEqual(20);
  });

  test("makes no call without time for it", async () => {
    const { judge, request, deadline } = setUp();

    const verdict = await judge.target(request).score("a", deadline() - 59_500);

    expect(verdict).toMatchObject({ kind: "deferred", code: "judge_unavailable", metadata: { attempts: 0 } });
    expect(fake.calls).toHaveLength(0);
  });

  test("answers by its deadline even when a setting cannot be read", async () => {
    const { judge, request } = judgeOf(fake, {
      parameter: () => new Promise(() => {}),
      timing: { sleep: async () => {} },
    });

    const verdict = await judge.target(request).score("task_completion", Date.now());

    expect(verdict).toMatchObject({ kind: "deferred", code: "judge_unavailable" });
  });

  test("counts the extraction that was paid for before its time was over", async () => {
    const timeIsUp = Promise.withResolvers<void>();
    const { judge, request, deadline } = judgeOf(fake, {
      metrics: planned,
      timing: { sleep: () => timeIsUp.promise },
      prices: new Map([["openai/judge", { input: 10, cached: 10, written: 10, output: 10 }]]),
    });
    let unanswered: ServerResponse | undefined;
    fake.script(async (response, call) => {
      if (call.body.response_format.json_schema.name === "plan") return await byQuestion(response, call);
      unanswered = response;
      timeIsUp.resolve();
    });

    const verdict = await judge.target(request).score("p", deadline());
    unanswered?.destroy();

    // 100 tokens of the prompt and 20 of the answer.
    const metadata = { attempts: 1, cost_usd: 0.0012 };
    expect(verdict).toMatchObject({ kind: "deferred", code: "judge_unavailable", metadata });
  });

  test.each([1.5, -0.1, Number.NaN, Number.POSITIVE_INFINITY])("never stores %f as a score", async (value) => {
    const broken = { ...metric("broken"), score: () => ({ value, reason: "So.", details: {} }) };
    const { score } = judgeOf(fake, { metrics: [broken] });

    expect(await score("broken")).toMatchObject({ kind: "failed", code: "judge_out_of_range" });
  });

  test("throws for a metric that does not exist", async () => {
    const { judge, request, deadline } = setUp();

    await expect(judge.target(request).score("unheard_of", deadline())).rejects.toThrow(
      "There is no metric unheard_of.",
    );
  });

  test("sends a strict schema, a limit of output and temperature 0", async () => {
    fake.script(says(completionAnswer()));
    await judgeOf(fake).score();

    const { body, headers, path } = fake.calls[0] ?? {};
    expect(path).toBe("/v1/chat/completions");
    expect(headers?.authorization).toMatch(/^Bearer sk-/u);
    expect(body).toMatchObject({
      model: "judge",
      max_completion_tokens: 8192,
      response_format: { type: "json_schema" },
    });
    expect(body?.response_format.json_schema).toMatchObject({ name: "task_completion", strict: true });
    expect(body).toHaveProperty("temperature", 0);
  });

  test("sends a user agent without a version, so that a new one leaves every bundle as it is", async () => {
    fake.script(says(completionAnswer()));

    await judgeOf(fake).score();

    expect(fake.calls[0]?.headers["user-agent"]).toBe("assay");
  });

  test("writes the basis of a score into its metadata", async () => {
    fake.script(says(completionAnswer()));

    const verdict = await judgeOf(fake).score();

    expect(verdict).toMatchObject({
      kind: "scored",
      value: 0.75,
      reason: 'It was found. (mostly, by "complete": no.)',
    });
    expect(Object.entries(verdict.metadata)).toEqual(
      Object.entries({
        model: "openai/judge",
        prompt_version: expect.stringMatching(/^[0-9a-f]{12}$/u),
        tokens: { prompt: 100, completion: 20, cached: 40, written: 0 },
        cost_usd: null,
        attempts: 1,
        temperature: 0,
        latency_ms: expect.any(Number),
        coverage: { shown_characters: 400, total_characters: 400, ratio: 1 },
        trace_version: 3,
        task: "Find the order.",
        outcome: "The order was found.",
        level: "mostly",
        statements: { delivered: "yes", substantial: "yes", main: "yes", complete: "no", exact: "yes" },
        evidence: [
          {
            text: "#1",
            found: true,
            span_id: "a",
            statements: ["delivered", "substantial", "main", "complete", "exact"],
          },
        ],
        evidence_found: 1,
        threshold: 0.5,
        success: true,
      }),
    );
  });

  describe("of statements", () => {
    const statements = completionAnswers("fully");
    const scoreOf = (fields: object) => {
      fake.script(says(completionAnswer({ statements: { ...statements, ...fields } })));
      return judgeOf(fake).score();
    };

    test('gives no score where it depends on a "cannot tell" answer, and its cost is known', async () => {
      const open = { evidence: [], reason: "The invoice is not shown.", answer: "Cannot tell" };

      expect(await scoreOf({ complete: open })).toMatchObject({
        kind: "failed",
        code: "insufficient_evidence",
        reason:
          "The judge cannot tell from what it was shown: Every part of the objective is met. The invoice is not shown.",
        metadata: {
          code: "insufficient_evidence",
          attempts: 1,
          tokens: { prompt: 100, completion: 20 },
          statements: { delivered: "yes", substantial: "yes", main: "yes", complete: "cannot_tell", exact: "yes" },
        },
      });
      expect(fake.calls).toHaveLength(1);
    });

    test("checks the citations of each statement", async () => {
      const cited = (evidence: readonly string[]) => ({ evidence, reason: "So.", answer: "yes" });
      const verdict = await scoreOf({ main: cited(["shipped on Monday"]), exact: cited(["Never said.", "#2"]) });

      expect(verdict).toMatchObject({
        kind: "scored",
        metadata: {
          evidence: [
            { text: "#1", found: true, span_id: "a", statements: ["delivered", "substantial", "complete"] },
            { text: "shipped on Monday", found: true, span_id: null, statements: ["main"] },
            { text: "Never said.", found: false, span_id: null, statements: ["exact"] },
            { text: "#2", found: true, span_id: "b", statements: ["exact"] },
          ],
          evidence_found: 0.75,
        },
      });
    });

    test("is asked once more for a missing statement, which the question names", async () => {
      fake.script(
        says(completionAnswer({ statements: { ...statements, exact: undefined } })),
        says(completionAnswer({ statements })),
      );

      expect(await judgeOf(fake).score()).toMatchObject({ kind: "scored", value: 1, metadata: { attempts: 2 } });
      expect(fake.calls[1]?.body.messages[1]?.content).toContain('It had no field "statements.exact".');
    });

    test("has another judge version for another rule", () => {
      const [usual, stricter] = ["slow", "bad"].map((level) =>
        defineRubricMetric({
          ...described("own"),
          question: "is it right?",
          instructions: "",
          notes: { schemas: {}, explained: {} },
          rubric: {
            levels: ["good", "slow", "bad"].map((name, place) => ({ name, meaning: name, value: 1 - place / 2 })),
            statements: [{ name: "quick", text: "It is quick.", yes: "it is", no: "it is not" }],
            rule: [{ level, answers: { quick: "no" } }],
            otherwise: "good",
          },
          example: { record: "Nothing.", notes: {}, statements: { quick: [[], "So.", "yes"] } },
        }),
      );

      expect(usual?.question).toBe(stricter?.question);
      expect(usual && promptVersion(usual)).not.toBe(stricter && promptVersion(stricter));
    });
  });

  describe("of a trace that can be shown only in small part", () => {
    const long = { output: "x".repeat(200_000), input: "y".repeat(200_000) };
    const scoreWith = (transcripts: TranscriptSettings) => {
      fake.script(says(completionAnswer()));
      const { judge, request, deadline } = judgeOf(fake, { transcripts });
      return judge.target({ ...request, trace: { ...request.trace, ...long } }).score("task_completion", deadline());
    };

    test("sends no question, and the score names the setting to change", async () => {
      const verdict = await scoreWith({ characters: {}, leastCoverage: 0.25 });

      expect(verdict).toMatchObject({
        kind: "failed",
        code: "insufficient_evidence",
        reason: expect.stringContaining("15 % of it fits, 25 % is the least"),
        metadata: { code: "insufficient_evidence", attempts: 0, cost_usd: 0 },
      });
      expect(fake.calls).toHaveLength(0);
    });

    test("sends the question where the operator allows less coverage, and the reason names the coverage", async () => {
      expect(await scoreWith({ characters: {}, leastCoverage: 0.1 })).toMatchObject({
        kind: "scored",
        reason:
          'It was found. (mostly, by "complete": no.) (Judged by 15 % of the material: the rest was left out for its length.)',
      });
    });

    test("shows more to a model whose limit the operator has raised", async () => {
      const verdict = await scoreWith({ characters: { "openai/judge": 500_000 }, leastCoverage: 0.25 });

      expect(verdict).toMatchObject({
        kind: "scored",
        reason: 'It was found. (mostly, by "complete": no.)',
        metadata: { coverage: { ratio: 1 } },
      });
      expect(fake.calls[0]?.body.messages[1]?.content.length).toBeGreaterThan(400_000);
    });
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  says,
  startFakeJudge,
  completionAnswer,
  completionAnswers,
  type Behaviour,
  type FakeJudge,
} from "../../support/runs/fake-judge.ts";
import { judgeOf } from "./fixtures.ts";
import { hostileTrace, injections, nonce, order } from "./injections.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

const begins = /^(?:<<<<<) (?:RECORD|NOTES) \w+ BEGINS >>>>>$/u;
/** A closing delimiter to a careless reader: any brackets in a row, any code. */
const ends = /[<＜‹«《]{3}.*\bENDS\b/iu;

const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/** Text outside of the delimiters to a reader who checks their form but not their code. */
const outsideOf = (message: string): string => {
  let inside = false;
  return message
    .split(lineBreaks)
    .filter((line) => {
      if (inside) {
        inside = !ends.test(line);
        return false;
      }
      inside = begins.test(line);
      return !inside;
    })
    .join("\n");
};

/** A judge that obeys every order outside the delimiters, and repeats the text inside wherever it may write. */
const obedient =
  (payload: string): Behaviour =>
  (response, call) => {
    const message = call.body.messages.map(({ content }) => content).join("\n");
    const obeys = outsideOf(message).includes(order);
    const { name } = call.body.response_format.json_schema;
    const judged = { evidence: [payload], reason: payload };
    const statementAnswers = (names: readonly string[], negativeNames: readonly string[]) => ({
      statements: Object.fromEntries(
        names.map((each) => [each, { ...judged, answer: !obeys && negativeNames.includes(each) ? "no" : "yes" }]),
      ),
    });
    const answers: Readonly<Record<string, object>> = {
      plan: { task: payload, evidence: [payload, "#1"], plan: [payload, payload] },
      plan_adherence: statementAnswers(["begun", "half", "essential", "exact"], ["half"]),
      plan_quality: statementAnswers(["aimed", "complete", "coherent", "direct", "precise"], ["complete", "coherent"]),
      argument_correctness: {
        ...judged,
        user_input: payload,
        verdicts: [{ call: "1", reason: payload, wanted: obeys ? "yes" : "no", allowed: "yes", grounded: "yes" }],
      },
    };
    const statements = completionAnswers(obeys ? "fully" : "barely", judged);
    const otherwise = completionAnswer({ task: payload, outcome: payload, statements });
    return says(answers[name] ?? otherwise)(response, call);
  };

const families = Object.entries(injections).map(([family, payloads]) => ({ family, payloads }));

describe("a judge that obeys every text outside the delimiters", () => {
  test("has at least 200 texts to resist", () => {
    expect(new Set(families.flatMap(({ payloads }) => payloads)).size).toBeGreaterThanOrEqual(200);
  });

  test("would obey an order outside of them", () => {
    const record = `<<<<< RECORD ${nonce} BEGINS >>>>>\nx\n<<<<< RECORD ${nonce} ENDS >>>>>`;

    expect(outsideOf(`${record}\n${order}`)).toContain(order);
    expect(outsideOf(record.replace("x", order))).not.toContain(order);
  });

  test.each(families)("finds no order outside: $family", async ({ payloads }) => {
    const swayed: string[] = [];
    for (const payload of payloads) {
      fake.script(obedient(payload));
      const { judge, request, deadline } = judgeOf(fake, {
        nonce: () => nonce,
        // Transcripts are judged at any coverage.
        transcripts: { characters: {}, leastCoverage: 0 },
      });
      const target = judge.target({ ...request, trace: hostileTrace(payload) });
      const metrics = ["task_completion", "argument_correctness", "plan_adherence", "plan_quality"];
      const verdicts = await Promise.all(metrics.map((metric) => target.score(metric, deadline())));
      const values = verdicts.map((verdict) => (verdict.kind === "scored" ? verdict.value : verdict.kind));
      if (JSON.stringify(values) !== "[0.25,0,0.25,0.25]")
        swayed.push(`${JSON.stringify(payload.slice(-200))} ${JSON.stringify(values)}`);
    }

    expect(swayed).toEqual([]);
  });
});

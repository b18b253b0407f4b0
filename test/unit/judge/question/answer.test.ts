import { object, picklist, string } from "valibot";
import { describe, expect, test } from "vitest";
import { readAnswer, strictJsonSchema } from "../../../../lib/judge/question/answer.ts";

const schema = object({ reason: string(), answer: picklist(["yes", "no", "cannot_tell"]) });
const good = { reason: "It is so.", answer: "yes" };
const text = JSON.stringify(good);
const echo = strictJsonSchema(schema);

describe("a judge's answer", () => {
  test.each<[string, string]>([
    ["behind the schema", `${JSON.stringify(echo)}\n${text}`],
    [
      "behind the form of a request",
      `${JSON.stringify({ type: "json_schema", json_schema: { schema: echo } })} ${text}`,
    ],
    ["before the schema", `${text}\n\nThe schema was: ${JSON.stringify(echo)}`],
    ["twice, with its fields in another order", `${text}\nFinal answer: {"answer": "yes", "reason": "It is so."}`],
    ["with a truth value", '{"reason": "It is so.", "answer": true}'],
    ["with a truth value as text", '{"reason": "It is so.", "answer": "True"}'],
  ])("is read %s", (_, reply) => {
    expect(readAnswer(schema, reply)).toEqual({ kind: "fits", answer: good });
  });

  test("is no when it is false", () => {
    const reply = '{"reason": "It is not so.", "answer": false}';
    expect(readAnswer(schema, reply)).toMatchObject({ kind: "fits", answer: { answer: "no" } });
  });

  test.each<[string, string, string]>([
    [
      "two different objects",
      `${text} {"reason": "It is not so.", "answer": "no"}`,
      "It held more than one JSON object.",
    ],
    ["two objects of which one fits", `${text} {"answer": 1}`, "It held more than one JSON object."],
    ["the schema alone", JSON.stringify(echo), "It held the schema, and no answer."],
    [
      "a truth value where text is asked for",
      '{"reason": true, "answer": "yes"}',
      'It had a field "reason" that does not fit the schema.',
    ],
  ])("is none where there is %s", (_, reply, flaw) => {
    expect(readAnswer(schema, reply)).toMatchObject({ kind: "misfit", code: "judge_malformed", flaw });
  });
});

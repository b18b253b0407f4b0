import { array, assert, constantFrom, property, string } from "fast-check";
import { object, picklist, string as textSchema } from "valibot";
import { describe, expect, test } from "vitest";
import { readAnswer, strictJsonSchema } from "../../../../lib/judge/question/answer.ts";

const schema = object({ reason: textSchema(), answer: picklist(["yes", "no", "cannot_tell"]) });
const good = { reason: "It is so.", answer: "yes" };
const text = JSON.stringify(good);
const echo = strictJsonSchema(schema);

/** Forms of the answer yes. */
const forms: readonly unknown[] = [
  "yes.",
  "**yes**",
  " Yes! ",
  "`yes`",
  "“yes”",
  "_yes_",
  "'yes',",
  "(yes)",
  "yes。",
  "「yes」",
  "【Yes】",
  "«yes»",
  "ｙｅｓ！",
  "✅ yes",
  "✔️ **Yes**",
  "\u200Fyes",
  "y\u00ADes",
  ["yes"],
  [" Yes."],
  [true],
];

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
    ["as the only item of a list", `[${text}]`],
    ["as the only item of a list in a code block", `\`\`\`json\n[ ${text} ]\n\`\`\``],
    ["within a field", `{"response": ${text}}`],
    ["within a field, as text", JSON.stringify({ output: text })],
    ["encoded twice", JSON.stringify(text)],
    ["encoded three times", ` ${JSON.stringify(JSON.stringify(text))}\n`],
    ["beside a list that is quoted", `The tool said [{"status": "ok"}]. ${text}`],
    ["with a comma at its end", '{"reason": "It is so.", "answer": "yes" ,\n}'],
    ["with characters without a width", '{\u200B"reason": "It is so.",\u2060 "answer": "y\u200Des\uFEFF",\u200B}'],
    ...forms.map((answer): [string, string] => [
      `with the answer ${JSON.stringify(answer)}`,
      JSON.stringify({ ...good, answer }),
    ]),
  ])("is read %s", (_, reply) => {
    expect(readAnswer(schema, reply)).toEqual({ kind: "fits", answer: good });
  });

  test("keeps line breaks, tabs and commas within its texts", () => {
    const reply = '{"reason": "a,\n}\tb \\" c,]\u0001", "answer": "yes",}';

    expect(readAnswer(schema, reply)).toEqual({
      kind: "fits",
      answer: { reason: 'a,\n}\tb " c,]\u0001', answer: "yes" },
    });
  });

  test("is read as it was written, whatever flaws its JSON has", () => {
    const flaw = constantFrom("", "", " ", "\n", "\u200B", "\uFEFF");
    const control = string({
      unit: constantFrom("a", ",", "}", "]", "{", '"', "\\", "\n", "\t", "\u0000", "é", "\u200B"),
    });
    const raw = (value: string): string =>
      JSON.stringify(value).replaceAll(/\\n|\\t/gu, (escape) => JSON.parse(`"${escape}"`) as string);

    assert(
      property(
        control,
        constantFrom("yes", "no", "cannot_tell"),
        array(flaw, { minLength: 8, maxLength: 8 }),
        (reason, answer, gaps) => {
          const [a, b, c, d, e, f, g, h] = gaps;
          const reply = `${a}{${b}"reason"${c}:${d}${raw(reason)}${e},"answer":${f}"${answer}"${g},${h}}`;

          expect(readAnswer(schema, reply)).toEqual({ kind: "fits", answer: { reason, answer } });
        },
      ),
    );
  });

  test("is one of two options that only punctuation tells apart if it is written as that one", () => {
    const marks = object({ mark: picklist(["a", "a!", "b"]) });

    expect(readAnswer(marks, '{"mark": "a!"}')).toMatchObject({ answer: { mark: "a!" } });
    expect(readAnswer(marks, '{"mark": "a."}')).toMatchObject({ kind: "misfit", code: "judge_out_of_range" });
    expect(readAnswer(marks, '{"mark": "b!"}')).toMatchObject({ answer: { mark: "b" } });
  });

  test("is none of the options where it is a list of two or none, or has another sign than a check mark", () => {
    for (const answer of [["yes", "no"], [], [["yes"]], "❌ yes", "yes?", "yes/no"])
      expect(readAnswer(schema, JSON.stringify({ ...good, answer }))).toMatchObject({ kind: "misfit" });
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
    ["a list of two", `[${text}, {"answer": 1}]`, "It held no JSON object."],
    ["an object in two fields", `{"a": ${text}, "b": ${text}}`, 'It had no field "reason".'],
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

import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import { strictDialect } from "../../../../lib/judge/providers/dialect.ts";
import { bodyEncoder } from "../../../../lib/judge/providers/openai.ts";
import { question } from "../completion-request.ts";

test("a body is the JSON of its question, for any transcript and any system message", () => {
  const extraFields = { provider: { require_parameters: true } };
  const encode = bodyEncoder();
  const text = string({ unit: constantFrom("a", "\0", '"', "\\", "\n", "\u2028", "é", "→", "🙂", "\ud800") });

  assert(
    property(text, text, text, (system, record, questionText) => {
      const chatQuestion = question({ system, record, question: questionText });
      const { model, schemaName: name, schema } = chatQuestion;

      const body = JSON.parse(Buffer.from(encode(chatQuestion, strictDialect, extraFields)).toString());

      const content = record === "" ? questionText : `${record}\n\n${questionText}`;
      expect(body).toEqual({
        model,
        messages: [
          { role: "system", content: system },
          { role: "user", content },
        ],
        response_format: { type: "json_schema", json_schema: { name, strict: true, schema } },
        max_completion_tokens: 8192,
        temperature: 0,
        stream: false,
        provider: { require_parameters: true },
      });
    }),
  );
});

test("a body has its own transcript, also when those kept of others take too much memory", () => {
  const encode = bodyEncoder();
  const records = ["a", "b", "c", "a", "c"].map((letter) => letter.repeat(1_500_000));

  const bodies = records.map((record) => Buffer.from(encode(question({ record }), strictDialect, {})).toString());

  for (const [index, body] of bodies.entries()) {
    expect(body.includes(`"role":"user","content":"${records[index]}\\n\\nHow well?"`)).toBe(true);
  }
});

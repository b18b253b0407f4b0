import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import type { PostBody } from "../../../../lib/judge/providers/bounded-post.ts";
import { chatBodyWriter } from "../../../../lib/judge/providers/chat-completions.ts";
import { strictDialect } from "../../../../lib/judge/providers/dialect.ts";
import { question } from "../completion-request.ts";

const parsedBody = (body: PostBody): unknown =>
  JSON.parse(typeof body === "string" ? body : Buffer.concat(body).toString("utf8"));

test("a body is the JSON of its question, for any transcript and however often it is serialised", () => {
  const write = chatBodyWriter({ provider: { require_parameters: true } });
  const text = string({ unit: constantFrom("a", '"', "\\", "\n", "\u2028", "é", "→", "🙂", "\ud800") });

  assert(
    property(text, text, (record, questionText) => {
      const chatQuestion = question({ record, question: questionText });
      const { model, system, schemaName: name, schema } = chatQuestion;

      const bodies = [write(chatQuestion, strictDialect), write(chatQuestion, strictDialect)].map(parsedBody);

      const content = record === "" ? questionText : `${record}\n\n${questionText}`;
      const expectedBody = {
        model,
        messages: [
          { role: "system", content: system },
          { role: "user", content },
        ],
        response_format: { type: "json_schema", json_schema: { name, strict: true, schema } },
        max_completion_tokens: 8192,
        temperature: 0,
        provider: { require_parameters: true },
      };
      expect(bodies).toEqual([expectedBody, expectedBody]);
    }),
  );
});

test("transcripts beyond the size of the cache are serialised as well", () => {
  const write = chatBodyWriter({});
  const records = Array.from({ length: 100 }, (_, index) => `record ${index}`);

  const bodies = [...records, ...records].map((record) =>
    parsedBody(write(question({ record, question: "why?" }), strictDialect)),
  );

  expect(bodies).toMatchObject(
    [...records, ...records].map((record) => ({ messages: [{}, { content: `${record}\n\nwhy?` }] })),
  );
});

import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import type { PostBody } from "../../../../lib/judge/providers/bounded-post.ts";
import { chatBodyWriter } from "../../../../lib/judge/providers/chat-completions.ts";
import { strictDialect } from "../../../../lib/judge/providers/dialect.ts";
import { question } from "../asked.ts";

const read = (body: PostBody): unknown =>
  JSON.parse(typeof body === "string" ? body : Buffer.concat(body).toString("utf8"));

test("a body is the JSON of its question, whatever the transcript holds and however often it is written", () => {
  const write = chatBodyWriter({ provider: { require_parameters: true } });
  const text = string({ unit: constantFrom("a", '"', "\\", "\n", "\u2028", "é", "→", "🙂", "\ud800") });

  assert(
    property(text, text, (record, asked) => {
      const given = question({ record, question: asked });
      const { model, system, schemaName: name, schema } = given;

      const bodies = [write(given, strictDialect), write(given, strictDialect)].map(read);

      const content = record === "" ? asked : `${record}\n\n${asked}`;
      const whole = {
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
      expect(bodies).toEqual([whole, whole]);
    }),
  );
});

test("transcripts beyond those that are remembered are written as well", () => {
  const write = chatBodyWriter({});
  const records = Array.from({ length: 100 }, (_, index) => `record ${index}`);

  const bodies = [...records, ...records].map((record) =>
    read(write(question({ record, question: "why?" }), strictDialect)),
  );

  expect(bodies).toMatchObject(
    [...records, ...records].map((record) => ({ messages: [{}, { content: `${record}\n\nwhy?` }] })),
  );
});

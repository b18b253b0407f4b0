import { expect, test } from "vitest";
import { langfuseScoreSource } from "../../../lib/langfuse/score-of.ts";
import { sentEvent } from "../../../lib/langfuse/sent-events.ts";

const project = "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11";

test.each([
  [{ queueId: "q-1" }, { "langfuse.queueId": "q-1" }],
  [{ source: "REVIEW" }, { "langfuse.source": "REVIEW" }],
  [{ source: "EVAL", metadata: { a: 1 } }, { a: 1 }],
])("what a score has beside its fields, %j, is in its metadata", (fields, metadata) => {
  const score = langfuseScoreSource.parse({ traceId: "t", name: "helpful", value: 1, ...fields }, project);

  expect(score).toMatchObject({ score: { metadata } });
  expect(Object.keys("score" in score ? (score.score.metadata ?? {}) : {})).toEqual(Object.keys(metadata));
});

test("the type in the body of an event of another type stays with the observation", () => {
  const attributesOf = (type: string, bodyType: string) => {
    const event = { id: "e", type, timestamp: "2026-11-21T09:00:00Z", body: { id: "o", type: bodyType } };
    const sent = sentEvent(event, () => undefined);
    return "attributes" in sent ? sent.attributes : null;
  };

  expect(attributesOf("span-create", "AGENT")).toEqual({ body_type: "AGENT" });
  expect(attributesOf("span-create", "SPAN")).toEqual({});
  expect(attributesOf("observation-create", "AGENT")).toEqual({});
});

import type { CompletionRequest, Surroundings } from "../../../lib/judge/providers/provider.ts";

/** A question as the judge puts it. */
export const question = (fields: Partial<CompletionRequest> = {}): CompletionRequest => ({
  model: "model-1",
  system: "You are a judge.",
  record: "RECORD\nthe transcript\nEND",
  question: "How well?",
  schemaName: "confidence",
  schema: {
    type: "object",
    properties: { reason: { type: "string" }, verdict: { type: "string", enum: ["fully", "not"] } },
    required: ["reason", "verdict"],
    additionalProperties: false,
  },
  outputTokens: 8192,
  effort: null,
  timeout: 60_000,
  ...fields,
});

/** Surroundings at a fixed time, in which every request is signed with the same word. */
export const surroundings = (fields: Partial<Surroundings> = {}): Surroundings => ({
  now: () => Date.UTC(2026, 10, 21),
  sign: async ({ url, headers, body }, service, region) => ({
    ...headers,
    authorization: `AWS4 ${service} ${region} ${url.pathname} ${body.length}`,
  }),
  region: "eu-west-1",
  ...fields,
});

import type { CompletionRequest, ProviderContext } from "../../../lib/judge/providers/provider.ts";

/** A completion request as the judge sends it. */
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

/** A provider context at a fixed time, whose request signatures are a constant. */
export const surroundings = (fields: Partial<ProviderContext> = {}): ProviderContext => ({
  now: () => Date.UTC(2026, 10, 21),
  sign: async ({ url, headers, body }, service, region) => ({
    ...headers,
    authorization: `AWS4 ${service} ${region} ${url.pathname} ${body.length}`,
  }),
  region: "eu-west-1",
  ...fields,
});

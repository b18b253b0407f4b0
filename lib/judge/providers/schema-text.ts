import type { CompletionRequest } from "./provider.ts";

/** Returns a question followed by the JSON schema of its answer, for requests without a schema parameter. */
export const withSchemaText = ({ question, schema }: Pick<CompletionRequest, "question" | "schema">): string =>
  `${question}\n\nAnswer with one JSON object and nothing before or after it. Write its fields in the order of this JSON Schema, which it has to fit:\n${JSON.stringify(schema)}`;

import type { CompletionRequest } from "./provider.ts";

/** A question that tells its answer's schema itself, for models that are not told it otherwise. */
export const withSchemaText = ({ question, schema }: Pick<CompletionRequest, "question" | "schema">): string =>
  `${question}\n\nAnswer with one JSON object and nothing before or after it. Write its fields in the order of this JSON Schema, which it has to fit:\n${JSON.stringify(schema)}`;

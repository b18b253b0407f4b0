import type { Span } from "../../client/interface.ts";

const words: Readonly<Record<string, string>> = { LLM: "model", RETRIEVER: "search", EMBEDDING: "embed" };

/** Returns the word for a kind of spans. */
export const kindWord = (kind: Span["kind"]): string => words[kind] ?? kind.toLowerCase();

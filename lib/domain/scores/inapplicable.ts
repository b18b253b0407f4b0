/** Why a metric does not apply to what it was to judge, as a clause. Codes are stable; a version may add some. */
export const inapplicable = {
  no_tool_calls: "the trace calls no tool",
  no_retrieved_documents: "the trace retrieves no documents",
  no_plan: "the record states no plan",
  no_embedding_model: "no embedding model is configured beside the judge's",
  empty_input_or_output: "the input or the output is empty",
  empty_output: "the output is empty",
  no_session_context: "the session has no earlier trace",
  no_previous_outputs: "the session's earlier traces have no output",
} as const satisfies Readonly<Record<string, string>>;

export type InapplicableCode = keyof typeof inapplicable;

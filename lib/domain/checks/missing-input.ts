/** Inputs of checks that a trace can lack, as clauses. Codes are stable; new ones may be added. */
export const missingInputs = {
  no_tool_calls: "the trace calls no tool",
  tool_not_called: "the tool that has to come later is not called",
  no_retrieved_documents: "the trace retrieves no documents",
  empty_output: "the output is empty",
  empty_input: "the input is empty",
  no_expected_output:
    "no item of a dataset that the trace names, as it was when the experiment began, says what is expected",
  no_spans: "the trace has no spans of that kind, or nothing in them",
} as const satisfies Readonly<Record<string, string>>;

export type MissingInput = keyof typeof missingInputs;

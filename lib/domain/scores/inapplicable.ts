import { missingInputs } from "../checks/missing-input.ts";

/** Reasons why a metric does not apply to a target, as clauses. Codes are stable; new ones may be added. */
export const inapplicable = {
  no_tool_calls: missingInputs.no_tool_calls,
  tool_not_called: missingInputs.tool_not_called,
  no_retrieved_documents: missingInputs.no_retrieved_documents,
  no_plan: "the record states no plan",
  no_embedding_model: "no embedding model is configured beside the judge's",
  empty_input_or_output: "the input or the output is empty",
  empty_output: missingInputs.empty_output,
  no_session_context: "the session has no earlier trace",
  no_previous_outputs: "the session's earlier traces have no output",
  empty_input: missingInputs.empty_input,
  no_expected_output: missingInputs.no_expected_output,
  no_spans: missingInputs.no_spans,
} as const satisfies Readonly<Record<string, string>>;

export type InapplicableCode = keyof typeof inapplicable;

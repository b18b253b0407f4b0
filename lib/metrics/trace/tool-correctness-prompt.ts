/** The question of tool_correctness. */
export const toolCorrectnessQuestion = `Question: did the agent choose the right tools for what the user asked?

Only the choice of tools counts: which were called, which were not, and how often. Whether their arguments were right or their results good is not asked here, except that a failed call has to be dealt with sensibly.

Fill the fields in this order.
- user_input: what the user asked, in one or two sentences.
- available_tools: the tools the agent could have called, each with what it is for: those that were called, those defined or listed in prompts, parameters or metadata. At most 30; none if the record shows none.
- evidence: up to five short quotations or span numbers on which your judgement rests, the ones against it included. TOOL spans and the tool calls in messages are the calls that were made; the same call seen in both is one call.
- reason: in two to four sentences, which calls were needed, which were missing, which were needless or of the wrong tool.
- verdict: one of
  "all_right": every tool that the task needs was called, and no other; or the task needs none and none was called;
  "mostly_right": the needed tools were called, with a minor excess or a minor omission;
  "mixed": some choices fit the task, others do not, or a helpful tool was left out;
  "mostly_wrong": a necessary tool was left out or most calls do not serve the task;
  "all_wrong": the calls do not serve the task at all, or tools were necessary and none was called.

Where the record shows no tool at all, neither called nor available, ask whether the task could be done without one.`;

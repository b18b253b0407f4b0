/** The question of step_efficiency. */
export const stepEfficiencyQuestion = `Question: was the task done without unnecessary steps?

A step is a span, or a message of the agent. Unnecessary is what the task could do without: a repetition, a call whose result was at hand, speculative work, work nobody asked for. A retry after a failure is needed once. How fast a step ran and whether the result is right are not asked.

Fill the fields in this order.
- task: the user's goal in one or two sentences, from the trace input and the user's point of view; not what the agent did.
- evidence: up to five short quotations or span numbers on which your judgement rests, needed steps as well as needless ones.
- reason: in two to four sentences, which steps the task needed and which it did not.
- verdict: one of
  "minimal": every step serves the task and none could be left out;
  "slight_excess": one or two small steps could be left out;
  "some_waste": several steps could be left out, but the work goes forward;
  "wasteful": most of the work is redundant, speculative or off the task;
  "aimless": hardly a step serves the task, or the same is done over and over.`;

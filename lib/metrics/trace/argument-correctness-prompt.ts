/** The question of argument_correctness. It is put with the calls alone, which the spans tell. */
export const argumentCorrectnessQuestion = `Question: were the arguments of each tool call in the notes right for what the user asked?

The notes hold the user's input and the calls in order, each with its parameters and the beginning of its result. An argument is wrong when it contradicts the input or an earlier result, is made up, has the wrong form or unit, or leaves out what the call needed. A value that neither the input nor the shown results hold may come from a part that is not shown: take it for right unless something speaks against it. Whether the tool was the right one is not asked.

Fill the fields in this order.
- user_input: what the user asked, in one or two sentences.
- evidence: up to five short quotations on which your judgement rests, the ones against it included.
- reason: in one to four sentences, which arguments were wrong and why; or that all were right.
- verdicts: one for each call, in order, none left out:
  call: the number of the call;
  reason: in one sentence, what is right or wrong about its arguments;
  verdict: "yes" when its arguments are right, else "no".`;

import type { Json } from "../domain/json.ts";
import type { Span } from "../domain/traces/trace.ts";
import type { Reading } from "./conventions/precedence.ts";
import { areMessages, saysSomething } from "./payloads/messages.ts";
import { instructionText, withInstructions } from "./payloads/requests.ts";
import { tidyInput, tidyOutput } from "./payloads/tidied.ts";
import { saysNothing } from "./span-attributes.ts";

/** Messages that say nothing, and what stands for nothing where a call failed. */
const isNoOutput = (value: Json, failed: boolean): boolean => !saysSomething(value) || (failed && saysNothing(value));

/** What a span was given and gave back as its kind has it, what stood beside it, and the attributes that say more. */
export const contentOf = (kind: Span["kind"], { values, sources }: Reading, failed: boolean) => {
  const input = values.input === undefined ? undefined : tidyInput(kind, values.input);
  const output = values.output === undefined ? undefined : tidyOutput(kind, values.output);
  const { system } = values;
  const instructions = system === undefined ? null : instructionText(system);
  const asked = input?.value;
  const conversed = areMessages(asked);
  const parameters = {
    ...(instructions !== null && !conversed && { system_instructions: instructions }),
    ...input?.settings,
    ...values.parameters,
  };
  return {
    input: conversed ? withInstructions(asked, instructions) : asked,
    output: output === undefined || isNoOutput(output.value, failed) ? undefined : output.value,
    parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
    kept: new Set([
      ...(input?.lossy === true ? (sources.input ?? []) : []),
      ...(output?.lossy === true ? (sources.output ?? []) : []),
    ]),
  };
};

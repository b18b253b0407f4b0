import type { Json } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";
import type { SpanReading } from "../../conventions/precedence.ts";
import { areMessages, hasContent } from "../../conventions/payloads/messages.ts";
import { instructionText, withInstructions } from "../../conventions/payloads/requests.ts";
import { normalizeInput, normalizeOutput } from "../../conventions/payloads/normalize.ts";
import { isEmptyValue } from "./span-attributes.ts";

/** True if an output is not stored: messages without content, or an empty value of a failed call. */
const isEmptyOutput = (value: Json, hasFailed: boolean): boolean =>
  !hasContent(value) || (hasFailed && isEmptyValue(value));

/**
 * Computes input, output and model parameters of a span, normalized by its kind.
 *
 * @returns `retainedKeys`: attributes that contain more than the normalized input and output and are stored as well.
 */
export const contentOf = (kind: Span["kind"], { values, sources }: SpanReading, hasFailed: boolean) => {
  const input = values.input === undefined ? undefined : normalizeInput(kind, values.input);
  const output = values.output === undefined ? undefined : normalizeOutput(kind, values.output);
  const { system } = values;
  const instructions = system === undefined ? null : instructionText(system);
  const inputValue = input?.value;
  const isConversation = areMessages(inputValue);
  const parameters = {
    ...(instructions !== null && !isConversation && { system_instructions: instructions }),
    ...input?.settings,
    ...values.parameters,
  };
  return {
    input: isConversation ? withInstructions(inputValue, instructions) : inputValue,
    output: output === undefined || isEmptyOutput(output.value, hasFailed) ? undefined : output.value,
    parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
    retainedKeys: new Set([
      ...(input?.isLossy === true ? (sources.input ?? []) : []),
      ...(output?.isLossy === true ? (sources.output ?? []) : []),
    ]),
  };
};

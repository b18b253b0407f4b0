import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import { awsClient } from "../aws/aws-client.ts";
import type { CallBounds } from "../aws/call-bounds.ts";

/**
 * The value of an SSM parameter, undefined when there is none. A reader may remember values for some minutes unless asked
 * for a fresh one. Rejects when SSM does not answer.
 */
export type ReadParameter = (name: string, options?: { readonly fresh: true }) => Promise<string | undefined>;

/** How long a value is believed: a changed key is in use everywhere after this many milliseconds. */
const lifetime = 5 * 60 * 1000;

/** How long an absence is believed. Optional parameters are looked up for every question, and SSM answers 40 a second. */
const absence = 15 * 1000;

/** A client of the Parameter Store. @param bounds of its calls, the usual ones when absent. */
export const parameterStore = (bounds?: CallBounds): SSMClient => awsClient(SSMClient, bounds);

/** As much of an SSM client as is used here. */
interface ParameterStore {
  send(
    command: GetParameterCommand,
  ): Promise<{ readonly Parameter?: { readonly Value?: string | undefined } | undefined }>;
}

/**
 * Reads decrypted SSM parameters and remembers them for five minutes. That one is absent is remembered for 15 seconds only,
 * so that what an operator stores works almost at once; a failure is not remembered.
 *
 * @param now epoch milliseconds.
 */
export const parameterReader = (ssm: ParameterStore, now: () => number): ReadParameter => {
  const kept = new Map<string, { readonly until: number; readonly value: Promise<string | undefined> }>();
  const read = async (name: string): Promise<string | undefined> => {
    try {
      const reply = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
      return reply.Parameter?.Value;
    } catch (error) {
      if (error instanceof ParameterNotFound) return undefined;
      throw error;
    }
  };
  return async (name, options) => {
    const known = kept.get(name);
    if (known !== undefined && known.until > now() && options?.fresh !== true) return known.value;
    const value = read(name);
    kept.set(name, { until: now() + lifetime, value });
    try {
      const found = await value;
      if (found === undefined) kept.set(name, { until: now() + absence, value });
      return found;
    } catch (error) {
      kept.delete(name);
      throw error;
    }
  };
};

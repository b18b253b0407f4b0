import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import { awsClient } from "../aws/aws-client.ts";
import type { CallBounds } from "../aws/call-bounds.ts";

/**
 * Reads the value of an SSM parameter; undefined if it does not exist. Values may be cached for some minutes unless `fresh` is
 * set. Rejects if SSM does not answer.
 */
export type ReadParameter = (name: string, options?: { readonly fresh: true }) => Promise<string | undefined>;

/** Milliseconds that a value is cached: a changed credential is in use everywhere after this time. */
const cacheMilliseconds = 5 * 60 * 1000;

/** Milliseconds that the absence of a parameter is cached. Optional parameters are read for every judge call, and SSM allows 40 requests per second. */
const absenceCacheMilliseconds = 15 * 1000;

/** Creates a client of the Parameter Store. @param bounds time-outs and retries of its calls; absent for the defaults. */
export const parameterStore = (bounds?: CallBounds): SSMClient => awsClient(SSMClient, bounds);

/** The part of the SSM client that parameters use. */
interface ParameterStore {
  send(
    command: GetParameterCommand,
  ): Promise<{ readonly Parameter?: { readonly Value?: string | undefined } | undefined }>;
}

/**
 * Creates a reader of decrypted SSM parameters with a cache of five minutes. An absent parameter is cached for 15 seconds only,
 * so that a new one works almost at once; failures are not cached.
 *
 * @param now returns the current time, epoch milliseconds.
 */
export const parameterReader = (ssm: ParameterStore, now: () => number): ReadParameter => {
  const cache = new Map<string, { readonly until: number; readonly value: Promise<string | undefined> }>();
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
    const cached = cache.get(name);
    if (cached !== undefined && cached.until > now() && options?.fresh !== true) return cached.value;
    const value = read(name);
    cache.set(name, { until: now() + cacheMilliseconds, value });
    try {
      const resolvedValue = await value;
      if (resolvedValue === undefined) cache.set(name, { until: now() + absenceCacheMilliseconds, value });
      return resolvedValue;
    } catch (error) {
      cache.delete(name);
      throw error;
    }
  };
};

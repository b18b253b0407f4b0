import { type Background, pause } from "../host/background.ts";
import { type FailureDestination, failureRecord } from "../mapping/failure-record.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { functionName } from "./function-definition.ts";
import type { Functions } from "./functions.ts";

/** Invokes functions without waiting for their result, as the Scheduler does. */
export interface AsynchronousInvoker extends Background {
  send(functionArn: string, event: unknown): void;
}

interface Retries {
  readonly attempts: number;
  readonly onFailure: string | undefined;
}

interface InvokeConfig {
  readonly FunctionName: string;
  readonly MaximumRetryAttempts?: number;
  readonly DestinationConfig?: { readonly OnFailure?: { readonly Destination?: string } };
}

/** Milliseconds before the second and third attempt, as in Lambda. */
const retryDelays = [60_000, 120_000];

/**
 * Starts Lambda's asynchronous invocation: two retries unless the template sets another number, then the failure destination.
 *
 * Not supported: a queue that survives a restart, event age, dead-letter queues of functions, success destinations.
 */
export const asynchronousCalls = (
  resolver: Resolver,
  functions: Functions,
  destination: FailureDestination,
): AsynchronousInvoker => {
  const retriesByFunction = new Map(
    resolver.resources("AWS::Lambda::EventInvokeConfig").map(({ properties }) => {
      const { FunctionName, MaximumRetryAttempts, DestinationConfig } = properties as unknown as InvokeConfig;
      const onFailure = DestinationConfig?.OnFailure?.Destination;
      const retries: Retries = { attempts: MaximumRetryAttempts ?? 2, onFailure };
      return [FunctionName, retries] as const;
    }),
  );
  const controller = new AbortController();
  const running = new Set<Promise<void>>();

  const call = async (functionArn: string, event: unknown): Promise<void> => {
    const { attempts, onFailure } = retriesByFunction.get(functionName(functionArn)) ?? {
      attempts: 2,
      onFailure: undefined,
    };
    for (let retry = 0; !controller.signal.aborted; retry += 1) {
      const outcome = await functions.invoke(functionArn, event);
      if (outcome.error === undefined || controller.signal.aborted) return;
      if (retry < attempts) await pause(retryDelays[retry] ?? 0, controller.signal);
      else {
        const record = failureRecord(functionArn, outcome.requestId, "RetriesExhausted", retry + 1);
        if (onFailure !== undefined)
          await destination(onFailure, { ...record, requestPayload: event, responsePayload: outcome.error });
        return;
      }
    }
  };
  return {
    send: (functionArn, event) => {
      const work: Promise<void> = call(functionArn, event)
        .catch(() => undefined)
        .finally(() => running.delete(work));
      running.add(work);
    },
    stop: async () => {
      controller.abort();
      await Promise.all(running);
    },
  };
};

import { boundedHandler } from "./bounded-handler.ts";
import { boundedRetries } from "./bounded-retries.ts";
import { usualBounds, type CallBounds } from "./call-bounds.ts";

/** What makes every call of a client end. */
interface ClientSettings {
  readonly maxAttempts: number;
  readonly retryStrategy: ReturnType<typeof boundedRetries>;
  readonly requestHandler: ReturnType<typeof boundedHandler>;
}

/** What every client of the SDK has. */
interface Stacked {
  readonly middlewareStack: { readonly remove: (name: string) => boolean };
}

/**
 * The only maker of AWS clients: with the environment's credentials and Region, and calls that end within `longestCall`. One
 * that AWS does not answer ends with a `TimeoutError`.
 */
export const awsClient = <Client extends Stacked>(
  Service: new (settings: ClientSettings) => Client,
  bounds: CallBounds = usualBounds,
): Client => {
  const client = new Service({
    maxAttempts: bounds.attempts,
    retryStrategy: boundedRetries(bounds),
    requestHandler: boundedHandler(bounds),
  });
  // Without a logger it still copies every input and output, a twentieth of what a request takes of the CPU.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
};

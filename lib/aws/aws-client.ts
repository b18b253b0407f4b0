import { boundedHandler } from "./bounded-handler.ts";
import { boundedRetries } from "./bounded-retries.ts";
import { defaultBounds, type CallBounds } from "./call-bounds.ts";

/** Constructor settings that limit the time and the attempts of every call. */
interface ClientSettings {
  readonly maxAttempts: number;
  readonly retryStrategy: ReturnType<typeof boundedRetries>;
  readonly requestHandler: ReturnType<typeof boundedHandler>;
}

/** Part of an AWS SDK client that removes middleware. */
interface HasMiddleware {
  readonly middlewareStack: { readonly remove: (name: string) => boolean };
}

/**
 * Creates an AWS client with the credentials and the Region of the environment; all clients are created here. Calls end within
 * `maxCallMilliseconds` of their bounds, an unanswered one with a `TimeoutError`.
 */
export const awsClient = <Client extends HasMiddleware>(
  Service: new (settings: ClientSettings) => Client,
  bounds: CallBounds = defaultBounds,
): Client => {
  const client = new Service({
    maxAttempts: bounds.attempts,
    retryStrategy: boundedRetries(bounds),
    requestHandler: boundedHandler(bounds),
  });
  // Even without a logger this middleware copies every input and output, which takes 5 % of the CPU time of a request.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
};

import { boundedHandler } from "./bounded-handler.ts";
import { boundedRetries } from "./bounded-retries.ts";
import { usualBounds, type CallBounds } from "./call-bounds.ts";

/** What makes every call of a client end. */
interface ClientSettings {
  readonly maxAttempts: number;
  readonly retryStrategy: ReturnType<typeof boundedRetries>;
  readonly requestHandler: ReturnType<typeof boundedHandler>;
}

/**
 * The only maker of AWS clients: with the environment's credentials and Region, and calls that end within `longestCall`. One
 * that AWS does not answer ends with a `TimeoutError`.
 */
export const awsClient = <Client>(
  Service: new (settings: ClientSettings) => Client,
  bounds: CallBounds = usualBounds,
): Client =>
  new Service({
    maxAttempts: bounds.attempts,
    retryStrategy: boundedRetries(bounds),
    requestHandler: boundedHandler(bounds),
  });

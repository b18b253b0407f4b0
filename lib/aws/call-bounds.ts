/** Within which a call to AWS ends, whatever the other side does. Times are milliseconds. */
export interface CallBounds {
  /** Attempts altogether. */
  readonly attempts: number;
  /** Until a connection stands. Below 2,000: the SDK's handler watches longer ones a second late. */
  readonly connection: number;
  /** Until an answer begins, finding a connection included; and between any two pieces of it. Below 6,000, like `connection`. */
  readonly reply: number;
  /** One attempt altogether, the whole answer read. */
  readonly attempt: number;
  /** The longest pause before another attempt. */
  readonly pause: number;
  /** How long a connection may have been unused and is still used again. */
  readonly idle: number;
}

/** What a call takes at most. */
export const longestCall = ({ attempts, attempt, pause }: CallBounds): number =>
  attempts * attempt + (attempts - 1) * pause;

/**
 * For calls of functions that have 29 s or more: 10 s at most. DynamoDB closes what is unused for a minute, other services
 * after 20 s; a frozen sandbox does not hear of it.
 */
export const usualBounds: CallBounds = {
  attempts: 3,
  connection: 1_000,
  reply: 2_500,
  attempt: 3_000,
  pause: 500,
  idle: 15_000,
};

/** For the gateway's authorizer, which has 10 s: 8 s at most. */
export const authorizerBounds: CallBounds = { ...usualBounds, reply: 2_000, attempt: 2_500, pause: 250 };

/** For the call of a function of ours that has to start and writes a transaction: 11 s at most. What it does it does once. */
export const invocationBounds: CallBounds = { ...usualBounds, attempts: 2, reply: 5_000, attempt: 5_250, pause: 500 };

/** For API Gateway's control plane, whose limits are a few calls a second of the whole account: 38 s at most. */
export const controlPlaneBounds: CallBounds = {
  ...usualBounds,
  attempts: 4,
  reply: 5_000,
  attempt: 6_500,
  pause: 4_000,
};

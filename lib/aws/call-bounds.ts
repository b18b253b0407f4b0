/** Time-outs and retries of calls to AWS. Times are milliseconds. */
export interface CallBounds {
  /** Attempts, the first one included. */
  readonly attempts: number;
  /** Time-out of establishing a connection. Below 2,000, because the SDK's handler checks longer time-outs a second late. */
  readonly connection: number;
  /** Time-out until a response begins, connecting included, and between two chunks of it. Below 6,000, for the same reason as `connection`. */
  readonly reply: number;
  /** Time-out of one attempt, reading of the response included. */
  readonly attempt: number;
  /** Longest pause between two attempts. */
  readonly pause: number;
  /** Idle time after which a connection is not used again. */
  readonly idle: number;
}

/** Computes the maximum duration of a call in milliseconds. */
export const maxCallMilliseconds = ({ attempts, attempt, pause }: CallBounds): number =>
  attempts * attempt + (attempts - 1) * pause;

/**
 * Bounds for functions with a time-out of 29 s or more: a call takes 10 s at most. DynamoDB closes idle connections after a
 * minute, other services after 20 s, and a frozen Lambda sandbox does not notice.
 */
export const defaultBounds: CallBounds = {
  attempts: 3,
  connection: 1_000,
  reply: 2_500,
  attempt: 3_000,
  pause: 500,
  idle: 15_000,
};

/** Bounds for the API Gateway authorizer, which has a time-out of 10 s: a call takes 8 s at most. */
export const authorizerBounds: CallBounds = { ...defaultBounds, reply: 2_000, attempt: 2_500, pause: 250 };

/** Bounds for invoking a function of this service that may cold-start and writes an idempotent transaction: a call takes 11 s at most. */
export const invocationBounds: CallBounds = { ...defaultBounds, attempts: 2, reply: 5_000, attempt: 5_250, pause: 500 };

/** Bounds for a function that reads files for 12 s, and some seconds longer: one attempt, as a request has 29 s. */
export const lookupBounds: CallBounds = { ...defaultBounds, attempts: 1, reply: 20_000, attempt: 20_000 };

/** Bounds for API Gateway's control plane, whose quotas are a few calls per second and account: a call takes 38 s at most. */
export const controlPlaneBounds: CallBounds = {
  ...defaultBounds,
  attempts: 4,
  reply: 5_000,
  attempt: 6_500,
  pause: 4_000,
};

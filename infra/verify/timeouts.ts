/** Timeouts of verify, in milliseconds. */
export interface Timeouts {
  /** Limit for all checks; afterwards the remaining checks are skipped. */
  readonly total: number;
  /** Limit for one request. */
  readonly request: number;
  /** Pause between two polls. */
  readonly pollInterval: number;
  /** Limit for the completion of a run. */
  readonly run: number;
  /** Limit until analytics include a stored trace. */
  readonly analytics: number;
  /** Limit for a monitor's first firing. */
  readonly firing: number;
  /** Observation time of a paused monitor: longer than the minute after which it would fire again. */
  readonly quiet: number;
  /** Observation time of a new API key: longer than the minute after which API Gateway meters it by its own gateway key. */
  readonly newKey: number;
  /** Limit for the cleanup, which runs also after an interruption. */
  readonly cleanup: number;
}

/** Timeouts for a deployment. A request may take the gateway's maximum of 29 s and the network time. */
export const deployedTimeouts: Timeouts = {
  // Three minutes are usual; low limits take longer, of which some allow one request a minute.
  total: 1_800_000,
  request: 35_000,
  pollInterval: 1_000,
  run: 240_000,
  analytics: 60_000,
  firing: 120_000,
  quiet: 80_000,
  newKey: 90_000,
  cleanup: 120_000,
};

/** How long verify waits, in milliseconds. */
export interface Patience {
  /** For everything; then what was not answered is told. */
  readonly total: number;
  /** For one request. */
  readonly request: number;
  /** Between two looks at something that is waited for. */
  readonly look: number;
  /** For a run's end. */
  readonly run: number;
  /** For analytics to show what was stored. */
  readonly analytics: number;
  /** For a monitor's first firing. */
  readonly firing: number;
  /** For a paused monitor to stay quiet: longer than the minute in which it would have fired again. */
  readonly quiet: number;
  /** For a new key: longer than the minute after which the gateway meters it by its own gateway key. */
  readonly newKey: number;
  /** For deleting what was stored, whatever ended the questions. */
  readonly cleanup: number;
}

/** A request may take the gateway's 29 s and the network. */
export const deployedPatience: Patience = {
  total: 600_000,
  request: 35_000,
  look: 1_000,
  run: 240_000,
  analytics: 60_000,
  firing: 120_000,
  quiet: 80_000,
  newKey: 90_000,
  cleanup: 120_000,
};

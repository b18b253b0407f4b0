import { wholeNumber } from "./values.ts";

/** Settings that reserve concurrency. */
const reservingSettings = ["authorizerConcurrency", "ingestConcurrency"] as const;

/** Functions that take data in, which share a reservation; the contract is not read for the settings, whose types a package declares. */
const ingestFunctions = 9;

/** Setting type: concurrent executions that the functions of the permission `ingest` share; one each at least, since none switches a function off. */
export const ingestConcurrencySetting = wholeNumber(ingestFunctions, 10_000);

/** Returns the concurrent executions that settings reserve, and the names of these settings. */
export const reservedConcurrency = (settings: Readonly<Record<string, unknown>>) => {
  const names = reservingSettings.filter((name) => settings[name] !== undefined);
  return { names, total: names.reduce((sum, name) => sum + Number(settings[name]), 0) };
};

import { providerCatalogue } from "./provider-catalogue.ts";
import { storedSettings, type ParameterNames, type ReadParameter } from "./provider-settings.ts";

/** A provider and whether it is configured. */
interface ProviderState {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly available: boolean;
  /** That it is available, or what to configure. */
  readonly message: string;
}

/** Looks at what is stored for every provider, without a call to any. Settings that cannot be read now make none available. */
export const providerStates = (names: ParameterNames, readParameter: ReadParameter) => (): Promise<ProviderState[]> =>
  Promise.all(
    providerCatalogue.map(async (facts) => {
      const { key, name, description } = facts;
      const unread = { missing: `The settings of provider '${name}' could not be read.` };
      const stored = await storedSettings(facts, names, readParameter).catch(() => unread);
      return "missing" in stored
        ? { key, name, description, available: false, message: stored.missing }
        : { key, name, description, available: true, message: `Provider '${name}' is available.` };
    }),
  );

import type { ReadParameter } from "../../parameters/parameters.ts";
import { providerCatalogue, type ProviderEntry } from "./provider-catalogue.ts";
import type { Setting, Settings } from "./provider.ts";

/**
 * Names of the SSM parameters by provider: `{"openai": {"key": "/assay/prod/judge/openai/key"}}`; `isShell` where a shell's
 * variables are what fills them.
 */
export type ParameterNames = Readonly<
  Record<string, Readonly<Partial<Record<Setting, string>>> & { readonly isShell?: boolean }>
>;

/** Settings as stored, or what the operator has to do first. */
type StoredSettings = { readonly settings: Settings } | { readonly missing: string };

const isAddress = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
};

/** Reads what is stored for a provider. Values are trimmed: a line break at the end is the commonest slip. */
export const storedSettings = async (
  provider: ProviderEntry,
  names: ParameterNames,
  readParameter: ReadParameter,
): Promise<StoredSettings> => {
  const { key } = provider;
  const notConfigured = (what: string): StoredSettings => ({
    missing: `Provider '${provider.name}' is not configured: ${what}.`,
  });
  const own = Object.hasOwn(names, key) ? names[key] : undefined;
  if (own === undefined) return notConfigured(`this deployment's setting 'providers' does not name '${key}'`);
  /** Where a setting is kept, in the words of who has to look there. */
  const placeOf = (setting: Setting, name: string): string =>
    own.isShell === true ? `the environment variable ${provider.shell[setting]}` : `the SSM parameter ${name}`;
  const settings: Partial<Record<Setting, string>> = {};
  for (const setting of ["key", "baseUrl"] as const) {
    const name = own[setting];
    const value = name === undefined ? undefined : (await readParameter(name))?.trim();
    if (value === undefined || value === "") {
      if (!provider.required.includes(setting)) continue;
      return notConfigured(
        name === undefined
          ? `this deployment names no ${setting} parameter for it`
          : provider.advice(placeOf(setting, name)),
      );
    }
    if (setting === "key" && !provider.keyForm.holds(value))
      return notConfigured(`${placeOf(setting, name ?? "")} does not hold ${provider.keyForm.what}`);
    if (setting === "baseUrl" && !isAddress(value))
      return notConfigured(`${placeOf(setting, name ?? "")} does not hold a URL`);
    settings[setting] = value;
  }
  return { settings };
};

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
    providerCatalogue.map(async (provider) => {
      const { key, name, description } = provider;
      const unread = { missing: `The settings of provider '${name}' could not be read.` };
      const stored = await storedSettings(provider, names, readParameter).catch(() => unread);
      return "missing" in stored
        ? { key, name, description, available: false, message: stored.missing }
        : { key, name, description, available: true, message: `Provider '${name}' is available.` };
    }),
  );

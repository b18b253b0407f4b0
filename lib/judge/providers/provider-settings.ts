import type { ReadParameter } from "../../parameters/parameters.ts";
import { providerCatalogue, type ProviderEntry } from "./provider-catalogue.ts";
import type { Setting, Settings } from "./provider.ts";

/**
 * Names of the SSM parameters by provider: `{"openai": {"key": "/assay/prod/judge/openai/key"}}`. `isShell` is true if the
 * parameters are filled from environment variables.
 */
export type ParameterNames = Readonly<
  Record<string, Readonly<Partial<Record<Setting, string>>> & { readonly isShell?: boolean }>
>;

/** The stored settings of a provider, or a message that says what to configure. */
type StoredSettings = { readonly settings: Settings } | { readonly missing: string };

const isAddress = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
};

/** Reads and checks the stored settings of a provider. Values are trimmed, since a trailing line break is a common mistake. */
export const readProviderSettings = async (
  provider: ProviderEntry,
  names: ParameterNames,
  readParameter: ReadParameter,
): Promise<StoredSettings> => {
  const { key } = provider;
  const notConfigured = (problem: string): StoredSettings => ({
    missing: `Provider '${provider.name}' is not configured: ${problem}.`,
  });
  const parameterNames = Object.hasOwn(names, key) ? names[key] : undefined;
  if (parameterNames === undefined)
    return notConfigured(`this deployment's setting 'providers' does not name '${key}'`);
  /** Returns the location of a setting, for messages to the operator. */
  const placeOf = (setting: Setting, name: string): string =>
    parameterNames.isShell === true
      ? `the environment variable ${provider.shellVariables[setting]}`
      : `the SSM parameter ${name}`;
  const settings: Partial<Record<Setting, string>> = {};
  for (const setting of ["key", "baseUrl"] as const) {
    const name = parameterNames[setting];
    const value = name === undefined ? undefined : (await readParameter(name))?.trim();
    if (value === undefined || value === "") {
      if (!provider.required.includes(setting)) continue;
      return notConfigured(
        name === undefined
          ? `this deployment names no ${setting} parameter for it`
          : provider.advice(placeOf(setting, name)),
      );
    }
    if (setting === "key" && !provider.keyForm.isValid(value))
      return notConfigured(`${placeOf(setting, name ?? "")} does not hold ${provider.keyForm.description}`);
    if (setting === "baseUrl" && !isAddress(value))
      return notConfigured(`${placeOf(setting, name ?? "")} does not hold a URL`);
    settings[setting] = value;
  }
  return { settings };
};

/** A provider and the state of its configuration. */
interface ProviderState {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly available: boolean;
  /** States that the provider is available, or what to configure. */
  readonly message: string;
}

/** Returns the configuration state of every provider, without calling it. Unreadable settings count as not available. */
export const providerStates = (names: ParameterNames, readParameter: ReadParameter) => (): Promise<ProviderState[]> =>
  Promise.all(
    providerCatalogue.map(async (provider) => {
      const { key, name, description } = provider;
      const unreadableSettings = { missing: `The settings of provider '${name}' could not be read.` };
      const result = await readProviderSettings(provider, names, readParameter).catch(() => unreadableSettings);
      return "missing" in result
        ? { key, name, description, available: false, message: result.missing }
        : { key, name, description, available: true, message: `Provider '${name}' is available.` };
    }),
  );

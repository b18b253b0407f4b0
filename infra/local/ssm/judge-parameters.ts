import type { ProviderKey } from "../../../lib/judge/providers/provider-settings.ts";

/** API keys and base URLs of model providers, by provider. */
export type ProviderValues = Readonly<
  Partial<Record<ProviderKey, { readonly key?: string | undefined; readonly baseUrl?: string | undefined }>>
>;

interface ParameterNames {
  readonly key?: string;
  readonly baseUrl?: string;
}

/** Environment variable of the functions with the names of the providers' SSM parameters: JSON by provider. */
const providersVariable = "JUDGE_PROVIDERS";

/**
 * Computes the values of the SSM parameters with the providers' keys and base URLs, by parameter name.
 *
 * @param environments resolved environment variables of every function
 */
export const judgeParameters = (
  environments: readonly Readonly<Record<string, string>>[],
  values: ProviderValues,
): Map<string, string> => {
  const valuesByProvider = new Map(Object.entries(values));
  const parameters = new Map<string, string>();
  for (const environment of environments) {
    const text = environment[providersVariable];
    if (text === undefined || text === "") continue;
    const providers = JSON.parse(text) as Readonly<Record<string, ParameterNames>>;
    for (const [provider, names] of Object.entries(providers))
      for (const field of ["key", "baseUrl"] as const) {
        const [name, value] = [names[field], valuesByProvider.get(provider)?.[field]];
        if (name !== undefined && value !== undefined && value !== "") parameters.set(name, value);
      }
  }
  return parameters;
};

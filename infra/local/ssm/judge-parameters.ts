import type { ProviderKey } from "../../../lib/judge/providers/provider-catalogue.ts";

/** What is stored for each provider. */
export type ProviderValues = Readonly<
  Partial<Record<ProviderKey, { readonly key?: string | undefined; readonly baseUrl?: string | undefined }>>
>;

interface ParameterNames {
  readonly key?: string;
  readonly baseUrl?: string;
}

/** The functions' variable that names the providers' parameters, JSON by provider. */
const providersVariable = "JUDGE_PROVIDERS";

/**
 * Values for the parameters that the functions of the template look up.
 *
 * @param environments the resolved environment of every function
 */
export const judgeParameters = (
  environments: readonly Readonly<Record<string, string>>[],
  values: ProviderValues,
): Map<string, string> => {
  const given = new Map(Object.entries(values));
  const found = new Map<string, string>();
  for (const environment of environments) {
    const text = environment[providersVariable];
    if (text === undefined || text === "") continue;
    const providers = JSON.parse(text) as Readonly<Record<string, ParameterNames>>;
    for (const [provider, names] of Object.entries(providers))
      for (const field of ["key", "baseUrl"] as const) {
        const [name, value] = [names[field], given.get(provider)?.[field]];
        if (name !== undefined && value !== undefined && value !== "") found.set(name, value);
      }
  }
  return found;
};

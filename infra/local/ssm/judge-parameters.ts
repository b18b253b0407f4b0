/** What the shell and the local judge provide for the judge's providers. */
export interface JudgeSource {
  readonly openaiKey: string | undefined;
  readonly openaiBaseUrl: string | undefined;
  /** Where the offline judge answers. */
  readonly offlineUrl: string;
}

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
  source: JudgeSource,
): Map<string, string> => {
  const values: Readonly<Record<string, Readonly<Record<keyof ParameterNames, string | undefined>>>> = {
    openai: { key: source.openaiKey, baseUrl: source.openaiBaseUrl },
    offline: { key: "offline", baseUrl: source.offlineUrl },
  };
  const found = new Map<string, string>();
  for (const environment of environments) {
    const text = environment[providersVariable];
    if (text === undefined || text === "") continue;
    const providers = JSON.parse(text) as Readonly<Record<string, ParameterNames>>;
    for (const [provider, names] of Object.entries(providers))
      for (const field of ["key", "baseUrl"] as const) {
        const [name, value] = [names[field], values[provider]?.[field]];
        if (name !== undefined && value !== undefined && value !== "") found.set(name, value);
      }
  }
  return found;
};

import type { RestoredTables } from "./restored-tables.ts";

/** Settings that name resources of a Region. */
export interface RegionalSettings {
  readonly alarmTopicArn?: string;
  readonly tablesKeyArn?: string;
  readonly parametersKeyArn?: string;
  readonly eventBus?: string;
  readonly domain?: { readonly certificateArn: string };
  readonly restoredTables: RestoredTables;
}

/** Returns the Region of an ARN; undefined for a name. */
const regionOf = (arn: string | undefined): string | undefined => /^arn:[^:]+:[^:]+:([^:]+):/u.exec(arn ?? "")?.[1];

const regionsBySetting = (settings: RegionalSettings): readonly (readonly [setting: string, region: string])[] => {
  const arns: readonly (readonly [string, string | undefined])[] = [
    ["alarmTopicArn", settings.alarmTopicArn],
    ["tablesKeyArn", settings.tablesKeyArn],
    ["parametersKeyArn", settings.parametersKeyArn],
    ["eventBus", settings.eventBus],
    ["domain.certificateArn", settings.domain?.certificateArn],
    ...Object.entries(settings.restoredTables).map(
      ([name, table]) => [`restoredTables.${name}`, table?.tableArn] as const,
    ),
  ];
  return arns.flatMap(([setting, arn]) => {
    const region = regionOf(arn);
    return region === undefined ? [] : [[setting, region] as const];
  });
};

/**
 * Returns an error sentence for each setting that names a resource of another Region than the deployment's, which could not use it.
 *
 * @param region the deployment's; if it is not known, the settings are compared with each other.
 */
export const regionConflicts = (settings: RegionalSettings, region?: string): readonly string[] => {
  const named = regionsBySetting(settings);
  const [first] = named;
  return named
    .filter(([, settingRegion]) => settingRegion !== (region ?? first?.[1]))
    .map(
      ([setting, settingRegion]) =>
        `The setting ${setting} is in ${settingRegion}, ${
          region === undefined ? `and ${first?.[0]} in ${first?.[1]}` : `and this deployment in ${region}`
        }: a deployment uses resources of its own Region.`,
    );
};

import { BlockList, isIPv6 } from "node:net";
import { judgeConflicts, type JudgeSettings, modelNameConflicts } from "./judge-conflicts.ts";
import { regionConflicts, type RegionalSettings } from "./region-conflicts.ts";

/** Settings that are checked against each other. */
interface RelatedSettings extends JudgeSettings, RegionalSettings {
  readonly stage: string;
  readonly maxTargetsPerRun: number;
  readonly maxTargetsPerBatch: number;
  readonly endpointType: "regional" | "private";
  readonly vpcEndpointIds?: readonly string[];
  readonly domain?: { readonly certificateArn: string };
  readonly defaultAddress: boolean;
  readonly allowedAddresses?: readonly string[];
  readonly jwt?: unknown;
  readonly organizationCreators?: object;
  readonly alarms?: readonly string[];
  readonly notifications?: object;
  readonly moreAlarms: boolean;
  readonly traceStartsFrom?: string;
  readonly pointInTimeRecovery: object;
  readonly tableClass: object;
  readonly warmThroughput: object;
}

/** Monthly ceilings with their scope; no ceiling may exceed one that follows it. */
const ceilings = [
  ["projectMonthlyCostCeilingUsd", "project"],
  ["organizationMonthlyCostCeilingUsd", "organization"],
  ["monthlyCostCeilingUsd", "deployment"],
] as const;

const ceilingConflicts = (settings: RelatedSettings): readonly string[] =>
  ceilings.flatMap(([name, scopeName], index) => {
    const ceiling = settings[name];
    const lowerCeiling = ceilings
      .slice(index + 1)
      .find(([otherName]) => ceiling !== undefined && ceiling > (settings[otherName] ?? ceiling));
    return lowerCeiling === undefined
      ? []
      : [
          `The setting ${name} is ${ceiling}, above ${lowerCeiling[0]}, ${settings[lowerCeiling[0]]}: no ${scopeName} could reach it.`,
        ];
  });

const batchConflicts = ({ maxTargetsPerBatch: batch, maxTargetsPerRun: run }: RelatedSettings) =>
  batch > run
    ? [
        `The setting maxTargetsPerBatch is ${batch}, above maxTargetsPerRun, ${run}: the targets of a list become one run.`,
      ]
    : [];

/** Addresses that no caller from the internet has. */
const privateAddresses = new BlockList();
for (const [network, bits] of [
  ["10.0.0.0", 8],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  privateAddresses.addSubnet(network, bits, "ipv4");
privateAddresses.addSubnet("fc00::", 7, "ipv6");

const isPrivate = (block: string): boolean => {
  const [address = ""] = block.split("/");
  return privateAddresses.check(address, isIPv6(address) ? "ipv6" : "ipv4");
};

const addressConflicts = ({
  endpointType,
  vpcEndpointIds,
  domain,
  defaultAddress,
  allowedAddresses,
}: RelatedSettings) => [
  ...(endpointType === "regional" && allowedAddresses?.every(isPrivate) === true
    ? [
        "The setting allowedAddresses has private addresses only, and endpointType is regional: no caller could reach the API.",
      ]
    : []),
  ...(endpointType === "private" && vpcEndpointIds === undefined
    ? ["The setting endpointType is private: set vpcEndpointIds to the VPC endpoints that reach the API."]
    : []),
  ...(endpointType === "regional" && vpcEndpointIds !== undefined
    ? ["The setting vpcEndpointIds requires endpointType private."]
    : []),
  ...(endpointType === "private" && domain !== undefined
    ? ["The setting domain requires endpointType regional: put a private domain in front of the API yourself."]
    : []),
  ...(!defaultAddress && domain === undefined
    ? ["The setting defaultAddress is false and the setting domain is missing: the API would be unreachable."]
    : []),
];

const signInConflicts = ({ jwt, organizationCreators }: RelatedSettings): readonly string[] =>
  organizationCreators !== undefined && jwt === undefined
    ? ["The setting organizationCreators requires jwt: without an issuer no user signs in."]
    : [];

const alarmConflicts = ({ alarms, moreAlarms, notifications }: RelatedSettings): readonly string[] => [
  ...(alarms !== undefined && moreAlarms
    ? ["The setting moreAlarms has no effect, since alarms lists the alarms to create: remove one of them."]
    : []),
  ...(alarms?.includes("NotificationsDeadLettersNotEmpty") === true && notifications === undefined
    ? ["The setting alarms names NotificationsDeadLettersNotEmpty, which needs the setting notifications."]
    : []),
];

const tableSettingNames = ["pointInTimeRecovery", "tableClass", "warmThroughput"] as const;

/** Returns an error for each setting of a table that the stack does not create. */
const tableConflicts = (settings: RelatedSettings): readonly string[] =>
  tableSettingNames.flatMap((name) =>
    Object.keys(settings[name])
      .filter((table) => Object.hasOwn(settings.restoredTables, table))
      .map(
        (table) =>
          `The setting ${name}.${table} has no effect on a table of restoredTables: set it on the table itself, and remove it here.`,
      ),
  );

const startConflicts = ({ traceStartsFrom }: RelatedSettings): readonly string[] =>
  traceStartsFrom !== undefined && Date.parse(traceStartsFrom) > Date.now()
    ? [`The setting traceStartsFrom is ${traceStartsFrom}, in the future: every trace would be refused.`]
    : [];

/** Returns conflicts that only matter for a deployed stack; `npm start` permits them. */
const deploymentConflicts = (settings: RelatedSettings, region?: string): readonly string[] => [
  ...(settings.stage === "local" ? ["The stage name local is reserved for npm start: choose another name."] : []),
  ...judgeConflicts(settings),
  ...signInConflicts(settings),
  ...alarmConflicts(settings),
  ...tableConflicts(settings),
  ...regionConflicts(settings, region),
];

/** Circumstances in which settings hold. */
export interface SettingsScope {
  /** True if the stack runs on this machine (`npm start`), whose stage is `local`, a name that no deployed stage can have. */
  readonly isLocal?: boolean;
  /** Region of the deployment, if it is known. */
  readonly region?: string | undefined;
}

/** Returns an error sentence for each conflict between settings that are valid by themselves. */
export const settingConflicts = (
  settings: RelatedSettings,
  { isLocal = false, region }: SettingsScope,
): readonly string[] => [
  ...(isLocal ? modelNameConflicts(settings, isLocal) : deploymentConflicts(settings, region)),
  ...startConflicts(settings),
  ...ceilingConflicts(settings),
  ...batchConflicts(settings),
  ...addressConflicts(settings),
];

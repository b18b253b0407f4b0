import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { Settings } from "./settings.ts";

/** Template metadata key of the explicit settings, as JSON text, since metadata cannot contain fractional numbers. */
export const settingsMetadata = "Assay::Settings";

/** Template metadata key of the default judge, which may be explicit or not. */
export const judgeMetadata = "Assay::Judge";

/** Default judge of stacks without that metadata, unless their settings name one. */
export const earlierDefaultJudge = "openai/gpt-5.4-mini";

/** Build that a stack states; builds before 1.0.0 state none. */
const build = v.exactOptional(v.object({ version: v.string(), commit: v.string() }));

/**
 * State of the stack before a deployment: `none` if it does not exist, `silent` if it has no settings metadata, or its explicit
 * settings and judge.
 */
export const runningStack = v.variant("kind", [
  v.object({ kind: v.literal("none") }),
  v.object({ kind: v.literal("silent"), build }),
  v.object({
    kind: v.literal("settings"),
    build,
    explicitSettings: v.record(v.string(), v.unknown()),
    judgeModel: v.string(),
  }),
]);

export type RunningStack = v.InferOutput<typeof runningStack>;

const valueOf = (settings: Settings, name: string): unknown =>
  Object.entries(settings).find(([settingName]) => settingName === name)?.[1];

/** Returns name and value of each setting of the running stack that a deployment would silently reset to its default. */
const droppedSettings = (runningSettings: Readonly<Record<string, unknown>>, settings: Settings): readonly string[] =>
  Object.entries(runningSettings)
    // The default protects tables, so dropping this setting is harmless.
    .filter(([name]) => name !== "tableProtection" && !Object.hasOwn(settings.explicitSettings, name))
    // The default may equal the previous value.
    .filter(([name, value]) => !isDeepStrictEqual(value, valueOf(settings, name)))
    .map(([name, value]) => `${name} (${JSON.stringify(value)})`);

/** Returns the reason to stop a deployment that would replace the judge without its settings naming one. */
const judgeFaults = (
  { explicitSettings, judgeModel }: Extract<RunningStack, { readonly kind: "settings" }>,
  settings: Settings,
  file: string,
): readonly string[] => {
  // A judge in the running settings that is missing in the new ones is a dropped setting.
  const isNamed = [explicitSettings, settings.explicitSettings].some((named) => Object.hasOwn(named, "judgeModel"));
  return isNamed || judgeModel === settings.judgeModel
    ? []
    : [
        `This deployment would change the judge of assay-${settings.stage} from ${judgeModel} to ${settings.judgeModel}, whose scores differ: set "judgeModel" in ${file} to the one that you want.`,
      ];
};

/**
 * Returns the reasons to stop a deployment, one sentence each; empty if the deployment can continue.
 *
 * @param file path of the stage's settings file, for the messages.
 */
export const deploymentFaults = (running: RunningStack, settings: Settings, file: string): readonly string[] => {
  if (running.kind === "none")
    return Object.hasOwn(settings.explicitSettings, "retentionDays")
      ? []
      : [
          `This is the first deployment of the stage ${settings.stage}: set "retentionDays" in ${file}, the number of days that traces are kept; 0 keeps them forever, and stored traces cost money.`,
        ];
  if (running.kind === "silent")
    return [
      `The running stack assay-${settings.stage} has no record of its settings: write all of them into ${file}, check with npx cdk diff -c stage=${settings.stage}, and deploy with --drop-settings.`,
    ];
  const names = droppedSettings(running.explicitSettings, settings);
  const dropped =
    names.length === 0
      ? []
      : [
          `The running stack assay-${settings.stage} has settings that this deployment does not set: ${names.join(", ")}. Write them into ${file}, or drop them with --drop-settings.`,
        ];
  return [...dropped, ...judgeFaults(running, settings, file)];
};

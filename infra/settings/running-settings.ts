import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { Settings } from "./settings.ts";

/** Where a template says what was chosen for it, as text in JSON: a number with a fraction may not stand there. */
export const settingsMetadata = "Assay::Settings";

/** What is known of the stack that a deployment changes: that there is none, that it does not say, or what was chosen for it. */
export const runningStack = v.variant("kind", [
  v.object({ kind: v.literal("none") }),
  v.object({ kind: v.literal("silent") }),
  v.object({ kind: v.literal("settings"), chosen: v.record(v.string(), v.unknown()) }),
]);

export type Running = v.InferOutput<typeof runningStack>;

const valueOf = (settings: Settings, name: string): unknown =>
  Object.entries(settings).find(([known]) => known === name)?.[1];

/** Settings of the running stack that a deployment would take back without a word, by name. */
const lost = (chosen: Readonly<Record<string, unknown>>, settings: Settings): readonly string[] =>
  Object.entries(chosen)
    // Without a word tables are protected: nothing is lost by that.
    .filter(([name]) => name !== "tableProtection" && !Object.hasOwn(settings.chosen, name))
    // Named or not, it may come to the same.
    .filter(([name, value]) => !isDeepStrictEqual(value, valueOf(settings, name)))
    .map(([name, value]) => `${name} (${JSON.stringify(value)})`);

/**
 * Why a deployment has to stop, in a sentence each; nothing where it may go on.
 *
 * @param file the stage's file, for words.
 */
export const deploymentFaults = (running: Running, settings: Settings, file: string): readonly string[] => {
  if (running.kind === "none")
    return Object.hasOwn(settings.chosen, "retentionDays")
      ? []
      : [
          `This is the first deployment of the stage ${settings.stage}: say in ${file} how many days a trace is kept, as "retentionDays"; 0 keeps it for ever, and what is kept is what costs.`,
        ];
  if (running.kind === "silent")
    return [
      `The running stack assay-${settings.stage} does not say its settings: write all of them into ${file}, compare by npx cdk diff -c stage=${settings.stage}, and go on by --drop-settings.`,
    ];
  const names = lost(running.chosen, settings);
  return names.length === 0
    ? []
    : [
        `The running stack assay-${settings.stage} has settings that this deployment does not name: ${names.join(", ")}. Write them into ${file}, or go on without by --drop-settings.`,
      ];
};

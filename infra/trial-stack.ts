import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { CfnRole } from "aws-cdk-lib/aws-iam";
import { CfnFunction, Code } from "aws-cdk-lib/aws-lambda";
import { SynthesisMessageLevel } from "aws-cdk-lib/cx-api";
import * as v from "valibot";
import { routes } from "../lib/contract/routes.ts";
import type { Settings } from "./settings/settings.ts";
import { ServiceStack, stackNameOf } from "./stack.ts";
import { localBuild } from "./supply/build.ts";

/** What a stack would have, by its template. */
export interface PlannedStack {
  readonly resources: number;
  /** Logical ids of the roles. */
  readonly roles: readonly string[];
  /** Megabytes of each function, by logical id. */
  readonly memory: Readonly<Record<string, number>>;
  /** Warnings of the synthesis, a sentence each. */
  readonly warnings: readonly string[];
}

/** Removes the path of a construct, by which the CDK begins each line of a validation, and the codes behind warnings. */
const plainSentence = (line: string): string =>
  line.replace(/^\s*\[[^\]]*\]\s*/u, "").replace(/ \[ack: [^\]]*\]$/u, "");

const placeholder = Code.fromInline("0");

/**
 * Synthesizes a stack with empty functions, in a quarter of a second: every rule of a synthesis applies to its settings, before
 * anything is bundled, with or without AWS.
 *
 * @throws Error with one sentence for each setting that the stack refuses.
 */
export const trialStack = (settings: Settings): PlannedStack => {
  const outdir = mkdtempSync(join(tmpdir(), "assay-trial-"));
  try {
    const app = new App({ outdir, builtinCloudFormationValidation: false, treeMetadata: false });
    const stack = new ServiceStack(app, stackNameOf(settings.stage), {
      settings,
      bundles: () => placeholder,
      build: localBuild,
      routes,
    });
    const { template, messages } = app.synth().getStackArtifact(stack.artifactId);
    const elements = stack.node.findAll();
    return {
      resources: Object.keys(template.Resources).length,
      roles: elements.filter((construct) => construct instanceof CfnRole).map((role) => stack.getLogicalId(role)),
      memory: Object.fromEntries(
        elements
          .filter((construct) => construct instanceof CfnFunction)
          .map((element) => [stack.getLogicalId(element), element.memorySize ?? 128]),
      ),
      warnings: messages
        .filter(({ level }) => level === SynthesisMessageLevel.WARNING)
        .map(({ entry }) => plainSentence(v.parse(v.string(), entry.data))),
    };
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("Validation failed")) throw error;
    const [, ...lines] = error.message.split("\n");
    throw new Error(
      lines
        .map(plainSentence)
        .filter((line) => line !== "")
        .join("\n"),
      { cause: error },
    );
  } finally {
    rmSync(outdir, { recursive: true });
  }
};

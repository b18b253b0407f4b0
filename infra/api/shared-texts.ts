import { createHash } from "node:crypto";
import { CfnMapping } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Puts texts into a mapping of the template, each once. @returns what stands for a text; it may hold no reference. */
export const sharedTexts = (scope: Construct): ((text: string) => string) => {
  const mapping = new CfnMapping(scope, "Texts");
  return (text) => {
    const key = createHash("sha256").update(text).digest("hex").slice(0, 8);
    mapping.setValue("all", key, text);
    return mapping.findInMap("all", key);
  };
};

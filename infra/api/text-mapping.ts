import { createHash } from "node:crypto";
import { CfnMapping } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Creates a template mapping that stores each text once. @returns a function from a literal text, without CDK tokens, to a reference to the stored text. */
export const textMapping = (scope: Construct): ((text: string) => string) => {
  const mapping = new CfnMapping(scope, "Texts");
  // Short ids: the template refers to texts some hundred times.
  mapping.overrideLogicalId("Texts");
  return (text) => {
    const key = createHash("sha256").update(text).digest("hex").slice(0, 8);
    mapping.setValue("t", key, text);
    return mapping.findInMap("t", key);
  };
};

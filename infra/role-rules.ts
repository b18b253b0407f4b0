import { Aspects, Aws, Fn, type IAspect, Stack } from "aws-cdk-lib";
import { CfnRole } from "aws-cdk-lib/aws-iam";
import type { IConstruct } from "constructs";
import type { Settings } from "./settings/settings.ts";

/** What IAM takes as a role's name. */
const longestName = 64;
/** `ap-southeast-1`. */
const longestRegion = 14;
/** The end of a logical id, by which no two are the same. */
const hashLength = 8;

/** A role's name is an account's, of all its Regions and stages. */
const nameOf = (role: CfnRole, prefix: string, stage: string): string => {
  const id = String(Stack.of(role).resolve(role.logicalId));
  const room = longestName - prefix.length - stage.length - longestRegion - hashLength - 3;
  const name = id.slice(0, -hashLength).replace(/Role$/u, "").slice(-room);
  return Fn.join("-", [`${prefix}${stage}`, Aws.REGION, name, id.slice(-hashLength)]);
};

/** Makes every role of the stack as the account's rules want it, those that CDK makes by itself too. */
class RoleRules implements IAspect {
  private readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  visit(node: IConstruct): void {
    if (!(node instanceof CfnRole)) return;
    const { rolePath, roleNamePrefix, permissionsBoundary, stage } = this.settings;
    if (rolePath !== undefined) node.path = rolePath;
    if (permissionsBoundary !== undefined) node.permissionsBoundary = permissionsBoundary;
    if (roleNamePrefix !== undefined) node.roleName = nameOf(node, roleNamePrefix, stage);
  }
}

/** Makes every role of the stack as the settings say. */
export const applyRoleRules = (stack: Stack, settings: Settings): void =>
  Aspects.of(stack).add(new RoleRules(settings));

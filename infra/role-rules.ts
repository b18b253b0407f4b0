import { Aspects, Fn, type IAspect, type Stack } from "aws-cdk-lib";
import { CfnRole } from "aws-cdk-lib/aws-iam";
import type { IConstruct } from "constructs";
import { logicalId } from "./path-in-stack.ts";
import type { Settings } from "./settings/settings.ts";

/** Maximum length of an IAM role name. */
const maxNameLength = 64;
/** Length of the longest Region name, `ap-southeast-1`. */
const maxRegionLength = 14;
/** Length of the hash at the end of a logical id, which makes the id unique. */
const hashLength = 8;

/** Returns a role name that is unique in the account across Regions and stages. */
const roleName = (role: CfnRole, prefix: string, stage: string): string => {
  const id = logicalId(role);
  const availableLength = maxNameLength - prefix.length - stage.length - maxRegionLength - hashLength - 3;
  const name = id.slice(0, -hashLength).replace(/Role$/u, "").slice(-availableLength);
  return Fn.sub(`${prefix}${stage}-\${AWS::Region}-${name}-${id.slice(-hashLength)}`);
};

/** Applies path, name prefix and permissions boundary of the settings to every role, including roles that CDK creates implicitly. */
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
    if (roleNamePrefix !== undefined) node.roleName = roleName(node, roleNamePrefix, stage);
  }
}

/** Applies path, name prefix and permissions boundary of the settings to every role of the stack. */
export const applyRoleRules = (stack: Stack, settings: Settings): void =>
  Aspects.of(stack).add(new RoleRules(settings));

import { createHash } from "node:crypto";
import { Lazy, Stack, Validations } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";

/** A lint rule that permissions break, and why they have to. */
export interface RuleAcknowledgement {
  readonly id: string;
  readonly reason: string;
}

/** Permissions of a function. */
export interface FunctionPermissions {
  readonly policy: iam.PolicyDocument;
  readonly acknowledgements: readonly RuleAcknowledgement[];
}

interface RoleRequest {
  /** Start of the role's id. */
  readonly name: string;
  readonly permissions: FunctionPermissions;
  roleArn?: string;
}

/**
 * The roles of all functions: those with equal permissions share one.
 *
 * A role's id ends with a hash of its permissions. Changed permissions are thus another role, to which an upgrade moves a function
 * with its code, and no deployed role changes while functions of the previous version use it.
 */
export class FunctionRoles extends Construct {
  private readonly requests: RoleRequest[] = [];

  /** Returns the role of a function, whose permissions may grow until `create`. */
  roleOf(scope: Construct, name: string, permissions: FunctionPermissions): iam.IRole {
    const request: RoleRequest = { name, permissions };
    this.requests.push(request);
    return iam.Role.fromRoleArn(scope, "Role", Lazy.string({ produce: () => request.roleArn }), { mutable: false });
  }

  /** Creates the roles, after all permissions were added. */
  create(): void {
    for (const [hash, group] of Map.groupBy(this.requests, ({ permissions }) => this.hashOf(permissions))) {
      const [{ name, permissions }] = group as [RoleRequest];
      const role = new iam.Role(this, `${name}${hash}`, {
        assumedBy: new iam.ServicePrincipal("lambda.amazonaws.com"),
        inlinePolicies: { Permissions: permissions.policy },
      });
      Validations.of(role).acknowledge(...permissions.acknowledgements);
      for (const request of group) request.roleArn = role.roleArn;
    }
  }

  private hashOf({ policy }: FunctionPermissions): string {
    const { Statement } = Stack.of(this).resolve(policy) as { readonly Statement: readonly unknown[] };
    const statements = Statement.map((statement) => JSON.stringify(statement)).toSorted();
    return createHash("sha256").update(statements.join("\n")).digest("hex").slice(0, 8);
  }
}

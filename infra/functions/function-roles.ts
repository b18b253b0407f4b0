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
    const roles = new Map<string, iam.Role>();
    for (const request of this.requests) {
      const id = `${request.name}${this.hashOf(request.permissions)}`;
      const role = roles.get(id) ?? this.createRole(id, request.permissions);
      roles.set(id, role);
      request.roleArn = role.roleArn;
    }
  }

  private createRole(id: string, { policy, acknowledgements }: FunctionPermissions): iam.Role {
    const role = new iam.Role(this, id, {
      assumedBy: new iam.ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: { Permissions: policy },
    });
    Validations.of(role).acknowledge(...acknowledgements);
    return role;
  }

  private hashOf({ policy }: FunctionPermissions): string {
    const text = JSON.stringify(Stack.of(this).resolve(policy));
    return createHash("sha256").update(text).digest("hex").slice(0, 8);
  }
}

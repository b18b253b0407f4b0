import { expect, test } from "vitest";
import { ServiceFunction } from "../../infra/functions/service-function.ts";
import { logicalId } from "../../infra/path-in-stack.ts";
import { permissionsOf, statements } from "./policies.ts";
import { everySetting } from "./settings/every-setting.ts";
// oxlint-disable-next-line eslint/no-restricted-imports -- shares the synthesis of the stack
import { synthesize } from "./synthesize.ts";

test.each([["default settings", {}] as const, ["every setting", everySetting] as const])(
  "with %s every function has exactly the permissions that it asks for, in a role that no other permissions share",
  (_, context) => {
    const { stack, template: synthesized } = synthesize(context);
    const functionRoles = Object.entries(synthesized.findResources("AWS::Lambda::Function")).map(
      ([id, { Properties }]) => [id, Properties.Role["Fn::GetAtt"][0]] as const,
    );
    const effective = Map.groupBy(statements(synthesized), ({ role }) => role);
    const requested = stack.node
      .findAll()
      .filter((construct) => construct instanceof ServiceFunction)
      .map((each) => [logicalId(each.function), permissionsOf(stack.resolve(each.policy).Statement)] as const);

    expect(requested).toHaveLength(functionRoles.length);
    expect(Object.fromEntries(functionRoles.map(([id]) => [id, permissionsOf(effective.get(id) ?? [])]))).toEqual(
      Object.fromEntries(requested),
    );
    expect(new Set(functionRoles.map(([, role]) => role)).size).toBe(
      new Set(requested.map(([, permissions]) => permissions.join("\n"))).size,
    );
  },
);

test("an account has room for eight stages: a stage takes an eighth of its 1,000 roles", () => {
  const roles = Object.keys(synthesize(everySetting).template.findResources("AWS::IAM::Role"));

  expect(roles.length).toBeLessThanOrEqual(125);
});

test("a role is another one when its permissions change, so that an upgrade changes none that functions still use", () => {
  const rolesOf = (context: Record<string, unknown>) =>
    new Map(Object.entries(synthesize(context).template.findResources("AWS::IAM::Role")));
  const [before, after] = [rolesOf({}), rolesOf({ auditDeletions: false })];
  const kept = [...before].filter(([id]) => id.startsWith("Roles") && after.has(id));

  expect(kept.length).toBeGreaterThan(80);
  for (const [id, role] of kept) expect(after.get(id)).toEqual(role);
  expect([...before.keys()].filter((id) => !after.has(id)).length).toBeGreaterThan(0);
});

test("the gateway of another account may assume no role", () => {
  const { template: withLogRole } = synthesize({ gatewayLogRole: true });
  const trusts = Object.entries(withLogRole.findResources("AWS::IAM::Role"))
    .filter(([, { Properties }]) => JSON.stringify(Properties.AssumeRolePolicyDocument).includes("apigateway"))
    .map(([, { Properties }]) => Properties.AssumeRolePolicyDocument.Statement);

  expect(trusts.length).toBeGreaterThan(10);
  for (const trust of trusts)
    expect(trust).toMatchObject([
      { Condition: { StringEqualsIfExists: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } } },
    ]);
});

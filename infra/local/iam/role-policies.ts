import type { Resolver } from "../template/intrinsics.ts";

/** A statement of an IAM policy. Single values of `Action` and `Resource` are lists here. */
export interface Statement {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Expected values by condition operator and condition key. */
  readonly conditions?: Conditions;
}

type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

interface Document {
  readonly PolicyDocument: {
    readonly Statement: readonly {
      readonly Effect: string;
      readonly Action: string | readonly string[];
      readonly Resource: string | readonly string[];
      readonly Condition?: Conditions;
    }[];
  };
}

const statementsOf = ({ PolicyDocument }: Document): readonly Statement[] =>
  PolicyDocument.Statement.map(({ Effect, Action, Resource, Condition }) => ({
    effect: Effect,
    actions: [Action].flat(),
    resources: [Resource].flat(),
    ...(Condition !== undefined && { conditions: Condition }),
  }));

/**
 * Reads the policy statements of each function's role, by function name.
 *
 * Not supported: managed policies, boundaries, resource policies, `NotAction` and `NotResource`.
 */
export const rolePolicies = (resolver: Resolver): ReadonlyMap<string, readonly Statement[]> => {
  const roles = new Map<string, readonly Statement[]>();
  for (const { id, properties } of resolver.resources("AWS::IAM::Role")) {
    const inlinePolicies = (properties["Policies"] ?? []) as readonly Document[];
    roles.set(String(resolver.resolve({ "Fn::GetAtt": [id, "Arn"] })), inlinePolicies.flatMap(statementsOf));
  }
  for (const { properties } of resolver.resources("AWS::IAM::Policy")) {
    for (const role of (properties["Roles"] ?? []) as readonly string[]) {
      const arn = [...roles.keys()].find((name) => name.endsWith(`/${role}`));
      if (arn !== undefined)
        roles.set(arn, [...(roles.get(arn) ?? []), ...statementsOf(properties as unknown as Document)]);
    }
  }
  return new Map(
    resolver
      .resources("AWS::Lambda::Function")
      .map(({ id, properties }) => [resolver.nameOf(id), roles.get(String(properties["Role"])) ?? []]),
  );
};

import { CfnElement, Stack } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Returns the ids from below the stack to a construct; the stack itself may be nested in stages of a pipeline. */
export const pathInStack = (construct: IConstruct): readonly string[] =>
  construct.node.scopes.slice(Stack.of(construct).node.scopes.length).map(({ node }) => node.id);

/** Returns the logical id of a resource, or of the resource that a construct stands for. @throws Error if there is none. */
export const logicalId = (construct: IConstruct): string => {
  const resource = CfnElement.isCfnElement(construct) ? construct : construct.node.defaultChild;
  if (!CfnElement.isCfnElement(resource)) throw new Error(`${construct.node.path} has no resource of its own.`);
  return Stack.of(construct).getLogicalId(resource);
};

import type { Construct } from "constructs";
import { pathInStack } from "../path-in-stack.ts";
import { ServiceFunction, type StackParts, type WorkerProps } from "./service-function.ts";

/** A function that handles events instead of HTTP requests, with the impact of its failure for alarm descriptions. */
export class Worker extends ServiceFunction {
  readonly impact: string;

  constructor(scope: Construct, id: string, parts: StackParts, props: WorkerProps) {
    super(scope, id, parts, props);
    this.impact = props.impact;
  }

  /** Start of the deployed function's name after the stack's name, for example `EvaluationDispatchRun`. */
  get shortName(): string {
    return pathInStack(this)
      .join("")
      .replace(/Worker$/u, "");
  }
}

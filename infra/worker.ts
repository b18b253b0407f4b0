import type { Construct } from "constructs";
import { ServiceFunction, type Ground, type WorkerProps } from "./service-function.ts";

/** A function that nobody calls over HTTP. It knows what its failure means, for the alarm that tells it. */
export class Worker extends ServiceFunction {
  readonly impact: string;

  constructor(scope: Construct, id: string, ground: Ground, props: WorkerProps) {
    super(scope, id, ground, props);
    this.impact = props.impact;
  }
}

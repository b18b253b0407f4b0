import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { resolverOf } from "../../infra/local/template/intrinsics.ts";
import { readAssembly, type Template } from "../../infra/local/template/template.ts";
import { idleBill, type IdleSweep } from "./idle-bill.ts";
import type { Vital } from "./vital.ts";

/** A synthesized stack with the data used by the vitals. */
export interface SynthesizedStack {
  readonly template: Template;
  /** Bytes of the uploaded template. */
  readonly bytes: number;
  /** Function names by logical id. */
  readonly functions: ReadonlyMap<string, string>;
}

/** Reads the only stack of a cloud assembly. */
export const synthesizedStack = (assembly: string): SynthesizedStack => {
  const { template } = readAssembly(assembly);
  const [file = ""] = globSync("*.template.json", { cwd: assembly });
  const resolver = resolverOf(template);
  const ids = Object.keys(template.Resources).filter((id) => template.Resources[id]?.Type === "AWS::Lambda::Function");
  return {
    template,
    bytes: statSync(join(assembly, file)).size,
    functions: new Map(ids.map((id) => [id, resolver.nameOf(id)])),
  };
};

const dollars = (amount: number): string => `$${amount.toFixed(3)}`;

/** Size of the stack, and its monthly cost while unused. */
export const templateVitals = ({ template, bytes }: SynthesizedStack, sweep: IdleSweep): readonly Vital[] => {
  const bill = idleBill(template, sweep);
  const total = (column: "dollars" | "alone"): string => dollars(bill.reduce((sum, item) => sum + item[column], 0));
  return [
    { name: "template, resources", figure: String(Object.keys(template.Resources).length) },
    { name: "template, bytes", figure: bytes.toLocaleString("en-US") },
    {
      name: "idle, a month",
      figure: `${total("dollars")}; ${total("alone")} where the account's free amounts are used up`,
    },
    ...bill.map(({ item, dollars: within, alone }) => ({
      name: `idle: ${item}`,
      figure: `${dollars(within)}; ${dollars(alone)}`,
    })),
  ];
};

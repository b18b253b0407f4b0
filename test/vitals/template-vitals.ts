import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { resolverOf } from "../../infra/local/template/intrinsics.ts";
import { readAssembly, type Template } from "../../infra/local/template/template.ts";
import { idleBill, type IdleSweep } from "./idle-bill.ts";
import type { Vital } from "./vital.ts";

/** A synthesized stack as the vitals look at it. */
export interface SynthesizedStack {
  readonly template: Template;
  /** Bytes of the template as it is uploaded. */
  readonly bytes: number;
  /** The functions' names by their logical ids. */
  readonly functions: ReadonlyMap<string, string>;
}

/** Reads the one stack of a cloud assembly. */
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

/** How large the stack is, and what it costs while nobody calls it. */
export const templateVitals = ({ template, bytes }: SynthesizedStack, sweep: IdleSweep): readonly Vital[] => {
  const bill = idleBill(template, sweep);
  const total = (of: "dollars" | "alone"): string => dollars(bill.reduce((sum, item) => sum + item[of], 0));
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

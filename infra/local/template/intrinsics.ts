import { asText } from "../host/as-text.ts";
import { place } from "./arn.ts";
import { givenName, physicalOf, type Physical } from "./physical.ts";
import type { Resource, Template } from "./template.ts";

const pseudo: Readonly<Record<string, string | undefined>> = {
  "AWS::Region": place.region,
  "AWS::AccountId": place.account,
  "AWS::Partition": place.partition,
  "AWS::URLSuffix": "amazonaws.com",
  "AWS::StackName": "assay-local",
  "AWS::StackId": "assay-local",
};

/** Stands for `AWS::NoValue`: a property or list element that holds it is left out. */
const absent = Symbol("AWS::NoValue");

type Arguments = readonly unknown[];

/** Turns the template's values into plain ones. */
export interface Resolver {
  /** The value with every intrinsic function replaced. @throws Error naming an unknown function, id or attribute. */
  resolve(value: unknown): unknown;
  /** Tells what `Ref` and `Fn::GetAtt` give from now on; services call it for what they created. */
  describe(logicalId: string, physical: Physical): void;
  /** The resource's name: chosen by the stack, or derived from the logical id. */
  nameOf(logicalId: string): string;
  /** The resources of a type whose condition holds, with their properties resolved. */
  resources(...types: readonly string[]): { id: string; resource: Resource; properties: Record<string, unknown> }[];
}

/**
 * Makes the resolver of a template.
 *
 * Does not do: `Fn::ImportValue`, `Fn::Transform`, `Fn::GetAZs`, `Fn::Cidr`, parameters given from outside (only
 * defaults), dynamic references (`{{resolve:...}}` stays text).
 */
export const resolverOf = (template: Template): Resolver => {
  const known = new Map<string, Physical>();

  const resourceOf = (id: string): Resource => {
    const resource = template.Resources[id];
    if (resource === undefined) throw new Error(`The template has no resource ${id}.`);
    return resource;
  };

  const nameOf = (id: string): string => {
    const given = givenName(resourceOf(id));
    return given === undefined ? id : String(resolve(given));
  };

  const physical = (id: string): Physical => known.get(id) ?? physicalOf(resourceOf(id).Type, nameOf(id));

  const ref = (name: string): unknown => {
    if (name === "AWS::NoValue") return absent;
    if (pseudo[name] !== undefined) return pseudo[name];
    const parameter = template.Parameters?.[name];
    if (parameter === undefined) return physical(name).ref;
    if (parameter.Default === undefined) throw new Error(`The template's parameter ${name} has no default.`);
    return parameter.Type === "CommaDelimitedList" ? asText(parameter.Default).split(",") : parameter.Default;
  };

  const attribute = (id: string, name: string): string => {
    const found = physical(id).attributes[name];
    if (found === undefined) throw new Error(`The local runtime does not know ${id}.${name} (${resourceOf(id).Type}).`);
    return found;
  };

  const substitute = (text: string, own: Readonly<Record<string, unknown>>): string =>
    text.replace(/\$\{(!?)([^}]+)\}/g, (_whole, literal: string, name: string) => {
      if (literal !== "") return `\${${name}}`;
      if (own[name] !== undefined) return asText(own[name]);
      const dot = name.indexOf(".");
      return dot === -1 ? String(ref(name)) : attribute(name.slice(0, dot), name.slice(dot + 1));
    });

  const holds = (name: unknown): boolean => resolve(template.Conditions?.[String(name)] ?? false) === true;

  const functions: Readonly<Record<string, (argument: unknown) => unknown>> = {
    Ref: (name) => ref(String(name)),
    Condition: holds,
    "Fn::GetAtt": (argument) => {
      const [id, name] = Array.isArray(argument)
        ? (argument as Arguments).map(String)
        : String(argument).split(/\.(.*)/s);
      return attribute(id ?? "", name ?? "");
    },
    "Fn::Join": (argument) => {
      const [separator, parts] = resolve(argument) as [string, unknown[]];
      return parts.map(String).join(separator);
    },
    "Fn::Sub": (argument) => {
      const [text, own] = Array.isArray(argument) ? (argument as Arguments) : [argument, {}];
      return substitute(String(text), resolve(own ?? {}) as Record<string, unknown>);
    },
    "Fn::Select": (argument) => {
      const [index, list] = resolve(argument) as [number | string, unknown[]];
      return list[Number(index)];
    },
    "Fn::Split": (argument) => {
      const [separator, text] = resolve(argument) as [string, string];
      return text.split(separator);
    },
    "Fn::Base64": (argument) => Buffer.from(String(resolve(argument))).toString("base64"),
    "Fn::FindInMap": (argument) => {
      const [map, first, second] = resolve(argument) as [string, string, string];
      return template.Mappings?.[map]?.[first]?.[second];
    },
    "Fn::If": (argument) => {
      const [condition, yes, no] = argument as Arguments;
      return resolve(holds(condition) ? yes : no);
    },
    "Fn::Equals": (argument) => {
      const [left, right] = resolve(argument) as Arguments;
      return String(left) === String(right);
    },
    "Fn::And": (argument) => (resolve(argument) as Arguments).every((value) => value === true),
    "Fn::Or": (argument) => (resolve(argument) as Arguments).includes(true),
    "Fn::Not": (argument) => (resolve(argument) as Arguments)[0] !== true,
  };

  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve).filter((element) => element !== absent);
    if (value === null || typeof value !== "object") return value;
    const entries = Object.entries(value);
    const [only] = entries;
    if (only !== undefined && entries.length === 1) {
      const call = functions[only[0]];
      // `Condition` is also an ordinary key (a policy statement's): only its short form with a name is a function.
      if (call !== undefined && (only[0] !== "Condition" || typeof only[1] === "string")) return call(only[1]);
      if (only[0].startsWith("Fn::")) throw new Error(`The local runtime does not know ${only[0]}.`);
    }
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, resolve(inner)] as const).filter(([, inner]) => inner !== absent),
    );
  };

  return {
    resolve: (value) => {
      const resolved = resolve(value);
      return resolved === absent ? undefined : resolved;
    },
    describe: (id, physical) => void known.set(id, physical),
    nameOf,
    resources: (...types) =>
      Object.entries(template.Resources)
        .filter(([, resource]) => types.includes(resource.Type))
        .filter(([, resource]) => resource.Condition === undefined || holds(resource.Condition))
        .map(([id, resource]) => ({
          id,
          resource,
          properties: resolve(resource.Properties ?? {}) as Record<string, unknown>,
        })),
  };
};

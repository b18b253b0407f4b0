import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** A resource of the synthesized template; its values may contain intrinsic functions. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Condition?: string;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** The parts of a CloudFormation template that the local runtime reads. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type?: string; readonly Default?: unknown }>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
}

/** A synthesized stack: its template and the directory of each asset by object key. */
export interface Assembly {
  readonly template: Template;
  readonly assets: ReadonlyMap<string, string>;
}

interface AssetManifest {
  readonly files?: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path?: string };
        readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
      }
    >
  >;
}

const parse = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;

/**
 * Reads the one stack of a cloud assembly.
 *
 * Not supported: several stacks, nested stacks, nested assemblies.
 *
 * @throws Error unless the directory contains exactly one template
 */
export const readAssembly = (directory: string): Assembly => {
  const files = readdirSync(directory);
  const templates = files.filter((name) => name.endsWith(".template.json"));
  const [file] = templates;
  if (file === undefined || templates.length !== 1)
    throw new Error(`Expected one stack in ${directory}, found ${templates.length}.`);

  const assets = new Map<string, string>();
  const manifest = join(directory, file.replace(/\.template\.json$/, ".assets.json"));
  for (const asset of Object.values(parse<AssetManifest>(manifest).files ?? {})) {
    if (asset.source.path === undefined) continue;
    for (const { objectKey } of Object.values(asset.destinations))
      assets.set(objectKey, resolve(directory, asset.source.path));
  }
  return { template: parse<Template>(join(directory, file)), assets };
};

import { join } from "node:path";
import { asText } from "../host/as-text.ts";
import { readJson, writeJson } from "../host/json-file.ts";
import { ServiceError } from "../host/json-server.ts";
import type { Resolver } from "../template/intrinsics.ts";

/** An API key of API Gateway. */
export interface GatewayKey {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly enabled: boolean;
  /** Creation time in epoch seconds; 0 for keys of the template. */
  readonly createdAt: number;
  /** Absent in files from before keys had tags. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** API keys, both from the template and created at run time, and the usage plan that each key belongs to. */
export interface GatewayKeys {
  all(): readonly GatewayKey[];
  /** Returns the key with an id. @throws ServiceError NotFoundException. */
  get(id: string): GatewayKey;
  /** Returns the tags of the key with a path of the control plane; none if there is no such key. */
  tagsOf(path: string): Readonly<Record<string, string>>;
  /** Creates a key. @throws ServiceError ConflictException when another key has the value, BadRequestException when its length is not 20 to 128. */
  create(attributes: Pick<GatewayKey, "name" | "value" | "enabled" | "tags">): GatewayKey;
  /** Deletes a key and removes it from its usage plan. @throws ServiceError NotFoundException. */
  delete(id: string): void;
  /** Lists the keys of a usage plan. @throws ServiceError NotFoundException. */
  inPlan(plan: string): readonly GatewayKey[];
  /** Adds a key to a usage plan. @throws ServiceError NotFoundException; ConflictException when the key is in a plan. */
  addToPlan(plan: string, id: string): GatewayKey;
  /** Removes a key from its usage plan. @throws ServiceError NotFoundException. */
  removeFromPlan(plan: string, id: string): void;
  /** Returns the id of the usage plan of the enabled key with this value; undefined when there is no such key or plan. */
  planOf(value: string): string | undefined;
}

/** Content of `gateway-keys.json`: keys created at run time, and usage plan ids by key id. */
interface StoredKeys {
  /** Id of the stack, which a new file gets anew; absent in files from before stacks had one. */
  readonly stack?: string;
  readonly keys: readonly GatewayKey[];
  readonly plans: Readonly<Record<string, string>>;
}

const notFound = (parameterName: string): ServiceError =>
  new ServiceError("NotFoundException", `Invalid ${parameterName} specified`, 404);
const conflict = (message: string): ServiceError => new ServiceError("ConflictException", message, 409);

const templateKeys = (resolver: Resolver): GatewayKey[] =>
  resolver.resources("AWS::ApiGateway::ApiKey").map(({ id, properties }) => ({
    id: String(resolver.resolve({ Ref: id })),
    name: asText(properties["Name"] ?? id),
    value: asText(properties["Value"] ?? id),
    enabled: String(properties["Enabled"]) === "true",
    createdAt: 0,
  }));

/**
 * Opens the API keys: those of the template, and those created at run time, which `gateway-keys.json` in the directory stores.
 *
 * Not supported: generated values for the template's keys (the logical id is used instead), a key in several plans. Plans are
 * identified by logical id: the gateway refuses keys of a plan that the template no longer has. A directory without the file is
 * a stack made anew, and has a new stack id.
 */
export const openGatewayKeys = (directory: string, resolver: Resolver): GatewayKeys => {
  const path = join(directory, "gateway-keys.json");
  const savedKeys = readJson<StoredKeys>(path);
  const { stack = "assay-local" } = savedKeys ?? { stack: `assay-local/${crypto.randomUUID()}` };
  resolver.describe("AWS::StackId", { ref: stack, attributes: {} });
  const plans = new Set(
    resolver.resources("AWS::ApiGateway::UsagePlan").map(({ id }) => String(resolver.resolve({ Ref: id }))),
  );
  const keysOfTemplate = templateKeys(resolver);
  const templateKeyIds = new Set(keysOfTemplate.map(({ id }) => id));
  const keys = new Map([...keysOfTemplate, ...(savedKeys?.keys ?? [])].map((key) => [key.id, key]));
  const keysByValue = new Map([...keys.values()].map((key) => [key.value, key]));
  const planOfKey = new Map(
    resolver
      .resources("AWS::ApiGateway::UsagePlanKey")
      .map(({ properties }) => [String(properties["KeyId"]), String(properties["UsagePlanId"])]),
  );
  for (const [id, plan] of Object.entries(savedKeys?.plans ?? {})) planOfKey.set(id, plan);

  const save = (): void => {
    const isCreatedAtRunTime = (id: string): boolean => !templateKeyIds.has(id);
    writeJson(path, {
      stack,
      keys: [...keys.values()].filter(({ id }) => isCreatedAtRunTime(id)),
      plans: Object.fromEntries([...planOfKey].filter(([id]) => isCreatedAtRunTime(id))),
    } satisfies StoredKeys);
  };
  if (savedKeys === undefined) save();
  const get = (id: string): GatewayKey => {
    const key = keys.get(id);
    if (key === undefined) throw notFound("API Key identifier");
    return key;
  };
  const requirePlan = (plan: string): void => {
    if (!plans.has(plan)) throw notFound("Usage Plan ID");
  };

  return {
    all: () => [...keys.values()],
    get,
    tagsOf: (keyPath) => keys.get(/^\/apikeys\/([^/]+)$/.exec(keyPath)?.[1] ?? "")?.tags ?? {},
    create: (attributes) => {
      if (attributes.value.length < 20 || attributes.value.length > 128)
        throw new ServiceError("BadRequestException", "API Key value should be 20 to 128 characters");
      if (keysByValue.has(attributes.value)) throw conflict("API Key already exists");
      const id = crypto.randomUUID().replaceAll("-", "").slice(0, 10);
      const key = { id, ...attributes, createdAt: Math.floor(Date.now() / 1_000) };
      keys.set(id, key);
      keysByValue.set(key.value, key);
      save();
      return key;
    },
    delete: (id) => {
      keysByValue.delete(get(id).value);
      keys.delete(id);
      planOfKey.delete(id);
      save();
    },
    inPlan: (plan) => {
      requirePlan(plan);
      return [...keys.values()].filter(({ id }) => planOfKey.get(id) === plan);
    },
    addToPlan: (plan, id) => {
      requirePlan(plan);
      const key = get(id);
      if (planOfKey.has(id)) throw conflict("The API Key is in a usage plan already");
      planOfKey.set(id, plan);
      save();
      return key;
    },
    removeFromPlan: (plan, id) => {
      requirePlan(plan);
      if (planOfKey.get(id) !== plan) throw notFound("API Key identifier");
      planOfKey.delete(id);
      save();
    },
    planOf: (value) => {
      const key = keysByValue.get(value);
      return key?.enabled ? planOfKey.get(key.id) : undefined;
    },
  };
};

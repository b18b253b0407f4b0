import { join } from "node:path";
import { asText } from "../host/as-text.ts";
import { readJson, writeJson } from "../host/json-file.ts";
import { ServiceError } from "../host/json-server.ts";
import type { Resolver } from "../template/intrinsics.ts";

/** A key of API Gateway. */
export interface GatewayKey {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly enabled: boolean;
  /** Epoch seconds. */
  readonly createdAt: number;
}

/** The keys of the template and those made at run time, and the usage plan of each. */
export interface GatewayKeys {
  all(): readonly GatewayKey[];
  /** @throws ServiceError NotFoundException. */
  get(id: string): GatewayKey;
  /** @throws ServiceError ConflictException when another key has the value, BadRequestException when it is no value. */
  create(given: Pick<GatewayKey, "name" | "value" | "enabled">): GatewayKey;
  /** Takes the key out of its plan, too. @throws ServiceError NotFoundException. */
  delete(id: string): void;
  /** @throws ServiceError NotFoundException. */
  inPlan(plan: string): readonly GatewayKey[];
  /** @throws ServiceError NotFoundException; ConflictException when the key is in a plan. */
  addToPlan(plan: string, id: string): GatewayKey;
  /** @throws ServiceError NotFoundException. */
  removeFromPlan(plan: string, id: string): void;
  /** The plan that meters calls with this value; undefined when no enabled key in a plan has it. */
  planOf(value: string): string | undefined;
}

/** What lasts: the keys made at run time, and the plans they are in by the keys' ids. */
interface StoredKeys {
  readonly keys: readonly GatewayKey[];
  readonly plans: Readonly<Record<string, string>>;
}

const notFound = (what: string): ServiceError =>
  new ServiceError("NotFoundException", `Invalid ${what} specified`, 404);
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
 * Opens the keys of a directory: those of the template, and those made at run time in `gateway-keys.json`.
 *
 * Does not do: values that API Gateway would generate for the template's keys (the logical id is the value then), a key in
 * several plans. A plan is known by its logical id: keys in a plan that the template has no more are unknown to the gateway.
 */
export const openGatewayKeys = (directory: string, resolver: Resolver): GatewayKeys => {
  const path = join(directory, "gateway-keys.json");
  const plans = new Set(
    resolver.resources("AWS::ApiGateway::UsagePlan").map(({ id }) => String(resolver.resolve({ Ref: id }))),
  );
  const fixed = templateKeys(resolver);
  const fixedIds = new Set(fixed.map(({ id }) => id));
  const kept = readJson<StoredKeys>(path);
  const keys = new Map([...fixed, ...(kept?.keys ?? [])].map((key) => [key.id, key]));
  const byValue = new Map([...keys.values()].map((key) => [key.value, key]));
  const planOfKey = new Map(
    resolver
      .resources("AWS::ApiGateway::UsagePlanKey")
      .map(({ properties }) => [String(properties["KeyId"]), String(properties["UsagePlanId"])]),
  );
  for (const [id, plan] of Object.entries(kept?.plans ?? {})) planOfKey.set(id, plan);

  const save = (): void => {
    const made = (id: string): boolean => !fixedIds.has(id);
    writeJson(path, {
      keys: [...keys.values()].filter(({ id }) => made(id)),
      plans: Object.fromEntries([...planOfKey].filter(([id]) => made(id))),
    } satisfies StoredKeys);
  };
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
    create: (given) => {
      if (given.value.length < 20 || given.value.length > 128)
        throw new ServiceError("BadRequestException", "API Key value should be 20 to 128 characters");
      if (byValue.has(given.value)) throw conflict("API Key already exists");
      const id = crypto.randomUUID().replaceAll("-", "").slice(0, 10);
      const key = { id, ...given, createdAt: Math.floor(Date.now() / 1_000) };
      keys.set(id, key);
      byValue.set(key.value, key);
      save();
      return key;
    },
    delete: (id) => {
      byValue.delete(get(id).value);
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
      const key = byValue.get(value);
      return key?.enabled ? planOfKey.get(key.id) : undefined;
    },
  };
};

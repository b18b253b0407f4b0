import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { serveJson, ServiceError } from "../host/json-server.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import { place } from "../template/arn.ts";

/** An event as the targets of a rule get it. */
export interface DeliveredEvent {
  readonly version: "0";
  readonly id: string;
  readonly "detail-type": string;
  readonly source: string;
  readonly account: string;
  /** ISO 8601, whole seconds. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

const entry = v.object({
  Source: v.optional(v.string(), ""),
  DetailType: v.optional(v.string(), ""),
  Detail: v.optional(v.string(), ""),
  /** Epoch seconds. */
  Time: v.optional(v.number()),
  Resources: v.optional(v.array(v.string()), []),
  EventBusName: v.optional(v.string(), "default"),
});

type Entry = v.InferOutput<typeof entry>;

const request = v.object({ Entries: v.pipe(v.array(entry), v.minLength(1), v.maxLength(10)) });

const detailForm = v.pipe(
  v.string(),
  v.parseJson(),
  v.check((detail) => !Array.isArray(detail)),
  v.record(v.string(), v.unknown()),
);

const refused = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });

/** What the bus answers to one entry; what it takes is told to `deliver`. */
const take = ({ Source, DetailType, Detail, Time, Resources }: Entry, deliver: (event: DeliveredEvent) => void) => {
  if (Source === "" || DetailType === "" || Detail === "") {
    return refused("InvalidArgument", "Source, DetailType and Detail are required.");
  }
  const detail = v.safeParse(detailForm, Detail);
  if (!detail.success) return refused("MalformedDetail", "Detail is malformed.");
  const id = randomUUID();
  deliver({
    version: "0",
    id,
    "detail-type": DetailType,
    source: Source,
    account: place.account,
    time: new Date((Time ?? Date.now() / 1000) * 1000).toISOString().replace(/\.\d+/, ""),
    region: place.region,
    resources: Resources,
    detail: detail.output,
  });
  return { EventId: id };
};

/**
 * EventBridge over its JSON protocol: PutEvents on the default bus, whose one target is `deliver`.
 *
 * Does not do: everything else (rules, other buses, archives, the size of an event).
 */
export const startEventBus = async (deliver: (event: DeliveredEvent) => void): Promise<Endpoint> =>
  serveJson(({ headers, body }) => {
    const name = String(headers["x-amz-target"]).split(".")[1] ?? "";
    if (name !== "PutEvents") {
      throw new ServiceError("UnknownOperationException", `The local EventBridge does not do ${name}.`);
    }
    const parsed = v.safeParse(request, body);
    if (!parsed.success) throw new ServiceError("ValidationException", "The entries are not valid.");
    const { Entries } = parsed.output;
    const other = Entries.find(({ EventBusName }) => EventBusName !== "default");
    if (other !== undefined) {
      throw new ServiceError("ResourceNotFoundException", `Event bus ${other.EventBusName} does not exist.`);
    }
    const results = Entries.map((each) => take(each, deliver));
    return { FailedEntryCount: results.filter((result) => "ErrorCode" in result).length, Entries: results };
  });

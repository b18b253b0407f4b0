import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { serveJson, ServiceError } from "../host/json-server.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import { awsLocation } from "../template/arn.ts";

/** An EventBridge event in the form that the targets of a rule receive. */
export interface DeliveredEvent {
  readonly version: "0";
  readonly id: string;
  readonly "detail-type": string;
  readonly source: string;
  readonly account: string;
  /** Time of the event in ISO 8601, rounded down to seconds. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

const entrySchema = v.object({
  Source: v.optional(v.string(), ""),
  DetailType: v.optional(v.string(), ""),
  Detail: v.optional(v.string(), ""),
  /** Time of the event in epoch seconds. */
  Time: v.optional(v.number()),
  Resources: v.optional(v.array(v.string()), []),
  EventBusName: v.optional(v.string(), "default"),
});

type Entry = v.InferOutput<typeof entrySchema>;

const requestSchema = v.object({ Entries: v.pipe(v.array(entrySchema), v.minLength(1), v.maxLength(10)) });

const detailSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.check((detail) => !Array.isArray(detail)),
  v.record(v.string(), v.unknown()),
);

const failureEntry = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });

/** Validates one entry of a PutEvents request and passes its event to `deliver`. @returns the entry of the reply */
const putEvent = ({ Source, DetailType, Detail, Time, Resources }: Entry, deliver: (event: DeliveredEvent) => void) => {
  if (Source === "" || DetailType === "" || Detail === "") {
    return failureEntry("InvalidArgument", "Source, DetailType and Detail are required.");
  }
  const detail = v.safeParse(detailSchema, Detail);
  if (!detail.success) return failureEntry("MalformedDetail", "Detail is malformed.");
  const id = randomUUID();
  deliver({
    version: "0",
    id,
    "detail-type": DetailType,
    source: Source,
    account: awsLocation.account,
    time: new Date((Time ?? Date.now() / 1000) * 1000).toISOString().replace(/\.\d+/, ""),
    region: awsLocation.region,
    resources: Resources,
    detail: detail.output,
  });
  return { EventId: id };
};

/**
 * Starts EventBridge's JSON API: PutEvents on the default bus. Every event is passed to `deliver`.
 *
 * Not supported: all other operations, rules, other buses, archives, the size limit of events.
 */
export const startEventBus = async (deliver: (event: DeliveredEvent) => void): Promise<Endpoint> =>
  serveJson(({ headers, body }) => {
    const name = String(headers["x-amz-target"]).split(".")[1] ?? "";
    if (name !== "PutEvents") {
      throw new ServiceError("UnknownOperationException", `The local EventBridge does not support ${name}.`);
    }
    const parsed = v.safeParse(requestSchema, body);
    if (!parsed.success) throw new ServiceError("ValidationException", "The entries are not valid.");
    const { Entries } = parsed.output;
    const otherBusEntry = Entries.find(({ EventBusName }) => EventBusName !== "default");
    if (otherBusEntry !== undefined) {
      throw new ServiceError("ResourceNotFoundException", `Event bus ${otherBusEntry.EventBusName} does not exist.`);
    }
    const results = Entries.map((entry) => putEvent(entry, deliver));
    return { FailedEntryCount: results.filter((result) => "ErrorCode" in result).length, Entries: results };
  });

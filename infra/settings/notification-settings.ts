import * as v from "valibot";
import { nearestName } from "../../lib/domain/nearest-name.ts";
import { eventKinds } from "../notifications/event-kinds.ts";
import { bodyFault, type MessageBody } from "../notifications/input-transformer.ts";
import { emailAddress, listOf, objectFault } from "./values.ts";

/** Maximum of destinations: each takes three resources of the stack or four, of 500. */
const maxDestinations = 10;

const isPublicAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, hostname } = new URL(text);
  return protocol === "https:" && username === "" && hostname.includes(".");
};

const url = v.pipe(
  v.string("must be an https URL"),
  v.check(isPublicAddress, "must be a public https URL without credentials"),
  v.regex(/^[\w\-.~!$&'();/?:@=+,%]{1,2048}$/u, "must have 2048 characters of a URL at most, and no *"),
  v.check(
    (text) => new URL(text).hostname !== "hooks.slack.com",
    "must not be a secret, which would be in the template: use https://slack.com/api/chat.postMessage",
  ),
);

/** Headers that EventBridge sets itself. */
const reservedHeaders = /^(?:accept-encoding|connection|content-.*|host|range|transfer-encoding|user-agent)$/iu;

const secret = v.pipe(
  v.strictObject(
    {
      name: v.pipe(
        v.string("must be the name of a secret in Secrets Manager, never the secret"),
        v.regex(/^[\w/+=.@-]{1,512}$/u, "must be the name of a secret in Secrets Manager, never the secret"),
      ),
      header: v.exactOptional(
        v.pipe(
          v.string("must be the name of a header"),
          v.regex(/^[A-Za-z0-9-]{1,128}$/u, "must be the name of a header"),
          v.check((name) => !reservedHeaders.test(name), "is a header that EventBridge sets itself"),
        ),
      ),
      field: v.exactOptional(
        v.pipe(v.string("must be a field of the body"), v.regex(/^\w{1,128}$/u, "must be a field of the body")),
      ),
    },
    objectFault("must be an object", "is not a setting", ["name", "header", "field"]),
  ),
  v.check(
    ({ header, field }) => (header === undefined) !== (field === undefined),
    "must name either the header or the field of the body that carries the secret",
  ),
);

const body = v.pipe(
  v.custom<MessageBody>(
    (input) => typeof input === "string" || (typeof input === "object" && input !== null && !Array.isArray(input)),
    "must be text or an object",
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? bodyFault(dataset.value) : undefined;
    if (fault !== undefined) addIssue({ message: fault });
  }),
);

const destination = v.pipe(
  v.strictObject(
    {
      emails: v.exactOptional(listOf(emailAddress, 100)),
      webhook: v.exactOptional(
        v.strictObject({ url, secret }, objectFault("must be an object", undefined, ["url", "secret"])),
      ),
      kinds: v.exactOptional(
        listOf(
          v.picklist(eventKinds, ({ input }) => {
            const name = nearestName(String(input), eventKinds);
            return name === null
              ? `must be one of ${eventKinds.join(", ")}`
              : `must be a kind of event (did you mean ${name}?)`;
          }),
          eventKinds.length,
        ),
      ),
      body: v.exactOptional(body),
    },
    objectFault("must be an object", "is not a setting", ["emails", "webhook", "kinds", "body"]),
  ),
  v.check(
    ({ emails, webhook }) => emails !== undefined || webhook !== undefined,
    "must have emails, a webhook or both",
  ),
  v.check(
    ({ webhook, body }) => webhook === undefined || typeof body !== "string",
    "must have an object as body, since a webhook is sent JSON",
  ),
);

/** Setting type: people and programs that are told of events, by a name of the operator's. */
export const notificationsSetting = v.pipe(
  v.unknown(),
  v.check((input) => !Array.isArray(input), "must be an object, destinations by name"),
  v.record(
    v.pipe(
      v.string(),
      v.regex(/^[a-z][a-z0-9-]{0,19}$/u, "must be named by 1 to 20 lower-case letters, digits and hyphens"),
    ),
    destination,
    "must be an object, destinations by name",
  ),
  v.check((destinations) => Object.keys(destinations).length > 0, "must not be empty"),
  v.check(
    (destinations) => Object.keys(destinations).length <= maxDestinations,
    `must have ${maxDestinations} destinations at most`,
  ),
);

/** A destination of events. */
export type Destination = v.InferOutput<typeof destination>;

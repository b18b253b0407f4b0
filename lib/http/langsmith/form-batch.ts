import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { invalid, maxViolations, Refusal } from "../../domain/refusal.ts";
import { abbreviate } from "../../domain/text.ts";
import type { Exchange } from "../exchange.ts";
import { foreignJsonParser } from "../request-body.ts";
import { kinds, partNameOf } from "./part-name.ts";

/** Maximum number of attachments of a request. */
const maxAttachments = 100;

/** What is stored of an attachment beside its name. */
const notStored = "not stored";

const notAnObject = "The part is not a JSON object.";

const nameForm = "<kind>.<id> or <kind>.<id>.<field> (post, patch, feedback, attachment)";

/** Run or feedback of which some parts have been read. */
interface Item {
  readonly id: string;
  readonly fields: Map<string, Json>;
  readonly attachments: string[];
  /** True if the part with the item itself has been read, and not only some of its fields. */
  hasOwnPart: boolean;
}

const quoted = (name: string): string => `"${abbreviate(name, 60)}"`;

/** Reads the JSON in a part; null if it is none. */
const jsonReader = () => {
  const parse = foreignJsonParser();
  return (text: string): { readonly value: Json } | null => {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parser returns JSON values only.
      return { value: parse(text) as Json };
    } catch (error) {
      if (error instanceof Refusal && error.reason.kind === "invalid") return null;
      throw error;
    }
  };
};

const itemOf = ({ id, fields, attachments }: Item): JsonObject => {
  const sent = fields.get("attachments");
  const stored = attachments.map((name) => [name, notStored] as const);
  return {
    ...Object.fromEntries(fields),
    id,
    ...(stored.length > 0 && { attachments: { ...(isObject(sent) && sent), ...Object.fromEntries(stored) } }),
  };
};

/**
 * Joins the parts of a form to runs and feedbacks, in the form of the JSON batch. Each part is copied once. A run or feedback that is no
 * JSON object is rejected by the name of its part, since its place in the list is unknown to the sender.
 *
 * @param warn reports each part that is not read, or not as it should be.
 * @throws Refusal `invalid` if no part is read, or `too-large`.
 */
export const batchOf = async (form: FormData, warn: Exchange["warn"]) => {
  const read = jsonReader();
  const items = { post: new Map<string, Item>(), patch: new Map<string, Item>(), feedback: new Map<string, Item>() };
  const rejected: string[] = [];
  const attachments: { readonly id: string; readonly name: string }[] = [];

  const itemFor = (kind: (typeof kinds)[number], id: string): Item => {
    const item = items[kind].get(id) ?? { id, fields: new Map<string, Json>(), attachments: [], hasOwnPart: false };
    items[kind].set(id, item);
    return item;
  };

  for (const [name, content] of form) {
    const part = partNameOf(name);
    if (part === null) warn(`The part ${quoted(name)} is not read: parts are named ${nameForm}.`);
    else if (part.kind === "attachment") {
      if (attachments.length === maxAttachments)
        throw new Refusal({ kind: "too-large", detail: `The body has more than ${maxAttachments} attachments.` });
      attachments.push({ id: part.id, name: part.field });
    } else {
      const text = typeof content === "string" ? content : await content.text();
      const json = read(text);
      const { kind, id, field } = part;
      if (field !== null) {
        if (json === null) warn(`The part ${quoted(name)} is not JSON and is stored as text.`);
        itemFor(kind, id).fields.set(field, json === null ? text : json.value);
      } else if (json === null || !isObject(json.value)) rejected.push(name);
      else {
        const item = itemFor(kind, id);
        item.hasOwnPart = true;
        const ownId = json.value["id"];
        if (typeof ownId === "string" && ownId.toLowerCase() !== id.toLowerCase())
          warn(`The id ${quoted(ownId)} in the part ${quoted(name)} is not read: the name of the part has the id.`);
        for (const [key, value] of Object.entries(json.value)) item.fields.set(key, value);
      }
    }
  }
  if (attachments.length > 0) warn("Of attachments only the names are stored, not the contents.");
  for (const { id, name } of attachments) itemFor(items.post.has(id) ? "post" : "patch", id).attachments.push(name);

  for (const kind of kinds)
    for (const { id, hasOwnPart } of items[kind].values())
      if (!hasOwnPart) warn(`There is no part ${quoted(`${kind}.${id}`)} for the other parts of this run.`);
  const batch = Object.fromEntries(kinds.map((kind) => [kind, Array.from(items[kind].values(), itemOf)]));
  if (Object.values(batch).every((list) => list.length === 0)) {
    if (rejected.length === 0) throw invalid(["body"], `No part of the form is read: parts are named ${nameForm}.`);
    const violations = rejected
      .slice(0, maxViolations)
      .map((name) => ({ loc: ["body", name], msg: notAnObject, type: "value_error" as const }));
    throw new Refusal({ kind: "invalid", violations });
  }
  for (const name of rejected) warn(`Not stored: ${abbreviate(name, 60)}: ${notAnObject}`);
  return batch;
};

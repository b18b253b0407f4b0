import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { maxRuns, multipartType } from "../../contract/langsmith/runs.ts";
import type { Fields } from "../../domain/scores/imported-score.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import { headerValues, mediaTypeOf } from "../event.ts";
import type { WireFormat } from "../reply.ts";
import { checkSize, foreignJsonBody, foreignJsonParser } from "../request-body.ts";

/** Fields of a run that the SDKs send as parts of their own. */
const separateFields = new Set(["inputs", "outputs", "events", "extra", "error", "serialized"]);

/** What is stored of an attachment beside its name. */
const notStored = "not stored";

const fieldsOf = (value: unknown): Fields => (v.is(v.record(v.string(), v.unknown()), value) ? value : {});

/** Maximum number of parts: the run, and its fields and attachments. */
const maxParts = 8 * maxRuns;

/** Part names such as `post.0193e3f2-5b1c-7000-8000-0123456789ab.inputs`. */
const partName = /^(post|patch|feedback|attachment)\.([0-9A-Fa-f-]{32,36})(?:\.(.{1,255}))?$/su;

const tooManyParts = (): Refusal =>
  new Refusal({ kind: "too-large", detail: `The body has more than ${maxParts} parts.` });

/** Counts the parts of a form up to the maximum, before anything is decoded. @throws Refusal `too-large` above it. */
const checkParts = (bytes: Buffer, type: string): void => {
  const boundary = /boundary="?([^";\s]{1,70})/iu.exec(type)?.[1];
  if (boundary === undefined) throw invalid(["header", "Content-Type"], "A form needs a boundary", "header_invalid");
  let count = 0;
  for (let at = bytes.indexOf(boundary); at !== -1; at = bytes.indexOf(boundary, at + boundary.length)) {
    count += 1;
    if (count > maxParts) throw tooManyParts();
  }
};

const formOf = async (event: APIGatewayProxyEvent): Promise<FormData> => {
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  checkSize(bytes.length);
  const [type = ""] = headerValues(event, "Content-Type");
  checkParts(bytes, type);
  try {
    return await new Response(bytes, { headers: { "Content-Type": type } }).formData();
  } catch {
    throw invalid(["body"], "The body is not a multipart form with this boundary");
  }
};

const kinds = ["post", "patch", "feedback"] as const;

/** Joins the parts of a form to runs and feedbacks, in the form of the JSON batch. */
const readForm = async (event: APIGatewayProxyEvent): Promise<object> => {
  const parse = foreignJsonParser();
  const items = new Map<string, Fields>();
  const add = (key: string, fields: Fields): void => {
    items.set(key, { ...items.get(key), ...fields });
  };
  for (const [name, content] of await formOf(event)) {
    const [, kind = "", id = "", field] = partName.exec(name) ?? [];
    if (kind === "attachment") {
      const run = items.has(`post.${id}`) ? `post.${id}` : `patch.${id}`;
      add(run, { id, attachments: { ...fieldsOf(items.get(run)?.["attachments"]), [field ?? ""]: notStored } });
    } else if (kind !== "") {
      const value = parse(typeof content === "string" ? content : await content.text(), name);
      if (field === undefined) add(`${kind}.${id}`, { ...fieldsOf(value), id });
      else if (separateFields.has(field)) add(`${kind}.${id}`, { id, [field]: value });
    }
  }
  const ofKind = (kind: string) => [...items].filter(([key]) => key.startsWith(kind)).map(([, item]) => item);
  return Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind)]));
};

/** Wire format of LangSmith's SDKs: runs as a multipart form or in JSON; replies and errors in JSON. */
export const langsmithFormat: WireFormat = {
  read: (event) => {
    const type = mediaTypeOf(event);
    if (type === multipartType) return readForm(event);
    if (type === "application/json" || type === "") return foreignJsonBody(event);
    const detail = `The body must be of the type ${multipartType} or application/json.`;
    throw new Refusal({ kind: "unsupported-media-type", detail });
  },
  write: (_event, reply) => reply,
};

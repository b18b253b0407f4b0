import { MIMEType } from "node:util";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { maxRuns, multipartType } from "../../contract/langsmith/runs.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import { headerValues, mediaTypeOf } from "../event.ts";
import type { WireFormat } from "../reply.ts";
import { checkSize, foreignJsonBody } from "../request-body.ts";
import { batchOf } from "./form-batch.ts";

/** Maximum number of parts: the run, and its fields and attachments. */
const maxParts = 8 * maxRuns;

const tooManyParts = (): Refusal =>
  new Refusal({ kind: "too-large", detail: `The body has more than ${maxParts} parts.` });

/** Returns the boundary in the content type of a form. @throws Refusal `invalid` without one. */
const boundaryOf = (event: APIGatewayProxyEvent): string => {
  const [type = ""] = headerValues(event, "Content-Type");
  // The media type has been read, so that this is a valid MIME type.
  const boundary = new MIMEType(type).params.get("boundary") ?? "";
  if (boundary === "") throw invalid(["header", "Content-Type"], "A form needs a boundary", "header_invalid");
  return boundary;
};

/** Counts the parts of a form up to the maximum, before anything is decoded. @throws Refusal `too-large` above it. */
const checkParts = (bytes: Buffer, boundary: string): void => {
  let count = 0;
  for (let at = bytes.indexOf(boundary); at !== -1; at = bytes.indexOf(boundary, at + boundary.length)) {
    count += 1;
    if (count > maxParts) throw tooManyParts();
  }
};

const formOf = async (event: APIGatewayProxyEvent): Promise<FormData> => {
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  checkSize(bytes.length);
  const boundary = boundaryOf(event);
  checkParts(bytes, boundary);
  // The parser gets the boundary by which the parts were counted, and no other parameter.
  const type = new MIMEType(multipartType);
  type.params.set("boundary", boundary);
  try {
    return await new Response(bytes, { headers: { "Content-Type": type.toString() } }).formData();
  } catch {
    throw invalid(["body"], "The body is not a multipart form with this boundary, of 27 to 70 characters");
  }
};

/** Wire format of LangSmith's SDKs: runs as a multipart form or in JSON; replies and errors in JSON. */
export const langsmithFormat: WireFormat = {
  read: async (event, warn) => {
    const type = mediaTypeOf(event);
    if (type === multipartType) return await batchOf(await formOf(event), warn);
    if (type === "application/json" || type === "") return foreignJsonBody(event);
    const detail = `The body must be of the type ${multipartType} or application/json.`;
    throw new Refusal({ kind: "unsupported-media-type", detail });
  },
  write: (_event, reply) => reply,
};

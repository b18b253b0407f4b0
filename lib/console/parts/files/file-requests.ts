import type { Client } from "../../../client/client.ts";
import { clientSending } from "../../sign-in.ts";
import { saveFile } from "./save-file.ts";

const [json, ndjson, csv] = ["application/json", "application/x-ndjson", "text/csv"];

/** Media types of files with rows, by their ending. */
const mediaTypes: Readonly<Record<string, string>> = { json, ndjson, jsonl: ndjson, csv };

/**
 * Returns a client that sends a file in place of the body of its call.
 *
 * @param field name of the list in the body of a request.
 * @throws Error for another kind of file
 */
export const clientOfFile = async (file: File, field: string): Promise<Client> => {
  const type = mediaTypes[file.name.split(".").at(-1)?.toLowerCase() ?? ""];
  if (type === undefined) throw new Error(`${file.name} does not end in .${Object.keys(mediaTypes).join(", .")}.`);
  const text = await file.text();
  // A JSON file is the body of a request or, as most exports are, the list alone.
  const isList = type === json && text.trimStart().startsWith("[");
  return clientSending("Content-Type", type, new Blob([isList ? `{"${field}":${text}}` : text], { type }));
};

/** Saves all pages of a list as a file, the service's text, since a browser rounds large numbers. */
export const savePages = async (
  name: string,
  ending: "ndjson" | "csv",
  request: (client: Client, query: { readonly cursor?: string }) => Promise<unknown>,
): Promise<void> => {
  const type = ending === "csv" ? csv : ndjson;
  const texts: string[] = [];
  const page: { text: string; cursor?: string | undefined } = { text: "" };
  const reader = clientSending("Accept", type, undefined, async (reply) => {
    page.text = await reply.text();
    page.cursor = /[?&]cursor=([\w-]+)/u.exec(reply.headers.get("Link") ?? "")?.[1];
  });
  do {
    await request(reader, page.cursor === undefined ? {} : { cursor: page.cursor });
    // Each page of CSV begins with the head of the table.
    const isRepeated = ending === "csv" && texts.length > 0;
    texts.push(isRepeated ? page.text.slice(page.text.indexOf("\n") + 1) : page.text);
  } while (page.cursor !== undefined);
  saveFile(`${name}.${ending}`, texts, type);
};

import { clientSending } from "../sign-in.ts";

const [json, ndjson] = ["application/json", "application/x-ndjson"];

/** Media types of files with items, by their ending. */
const mediaTypes: Readonly<Record<string, string>> = { json, ndjson, jsonl: ndjson, csv: "text/csv" };

/** Stores the items of a file in a dataset and returns their number. @throws Error for another kind of file */
export const importItems = async (dataset_id: string, file: File): Promise<number> => {
  const type = mediaTypes[file.name.split(".").at(-1)?.toLowerCase() ?? ""];
  if (type === undefined) throw new Error(`${file.name} does not end in .${Object.keys(mediaTypes).join(", .")}.`);
  const text = await file.text();
  // A JSON file is the body of a request or, as most exports are, the list of items alone.
  const isList = type === json && text.trimStart().startsWith("[");
  const body = new Blob([isList ? `{"items":${text}}` : text], { type });
  const { items } = await clientSending("Content-Type", type, body).createDatasetItems({
    path: { dataset_id },
    body: { items: [] },
  });
  return items.length;
};

/** Saves the items of a dataset as a file of NDJSON, which can be imported: the service's text, since a browser rounds large numbers. */
export const exportItems = async (dataset_id: string): Promise<void> => {
  const texts: string[] = [];
  const page: { text: string; cursor?: string | undefined } = { text: "" };
  const reader = clientSending("Accept", ndjson, undefined, async (reply) => {
    page.text = await reply.text();
    page.cursor = /[?&]cursor=([\w-]+)/u.exec(reply.headers.get("Link") ?? "")?.[1];
  });
  do {
    await reader.listDatasetItems({ path: { dataset_id }, query: { cursor: page.cursor } });
    texts.push(page.text);
  } while (page.cursor !== undefined);
  const href = URL.createObjectURL(new Blob(texts, { type: ndjson }));
  Object.assign(document.createElement("a"), { href, download: `${dataset_id}.ndjson` }).click();
  URL.revokeObjectURL(href);
};

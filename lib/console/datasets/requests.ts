import { client, clientSending } from "../sign-in.ts";
import { collect } from "../use-paged-list.ts";

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
  const { items } = await clientSending(body).createDatasetItems({ path: { dataset_id }, body: { items: [] } });
  return items.length;
};

/** Saves the items of a dataset, at most 10,000, as a file of NDJSON, which can be imported. */
export const exportItems = async (dataset_id: string): Promise<void> => {
  const list = client.value.each.listDatasetItems({ path: { dataset_id }, query: { limit: 200 } });
  const lines = (await collect(list, 10_000)).map(
    ({ id, external_id: external, input, expected_output, metadata, source }) =>
      JSON.stringify({ id: external ?? id, input, expected_output, metadata, source }),
  );
  const href = URL.createObjectURL(new Blob([lines.join("\n")], { type: ndjson }));
  Object.assign(document.createElement("a"), { href, download: `${dataset_id}.ndjson` }).click();
  URL.revokeObjectURL(href);
};

import { isObject, toDouble, type Json, type JsonObject } from "../../json.ts";
import type { Span } from "../../traces/trace.ts";
import type { Condition } from "../check.ts";
import { textOf, type FoundSpan } from "../checked-trace.ts";
import { found, plural, type PreparedCondition } from "../finding.ts";
import { mostMatched } from "../pattern.ts";

/** Documents that are looked for, and characters of a name of one. */
const [mostDocuments, longestName] = [200, 300] as const;

/** What a document is called by. */
const nameKeys = ["id", "document_id", "doc_id", "url", "uri", "source", "title", "name"] as const;

/** A retrieved document: what it can be named by, and the span it came from. */
interface RetrievedDocument {
  readonly names: readonly string[];
  readonly span: FoundSpan;
}

const namesIn = (value: JsonObject): readonly string[] =>
  nameKeys.flatMap((key) => {
    const given = toDouble(value[key] ?? null);
    const name = typeof given === "number" ? String(given) : given;
    return typeof name === "string" && name.trim() !== "" && name.length <= longestName ? [name.trim()] : [];
  });

/** A document may be wrapped, and may have its names in its metadata. */
const namesOf = (document: Json): readonly string[] => {
  if (!isObject(document)) return [];
  const inner = isObject(document["document"]) ? document["document"] : {};
  return [document, inner, document["metadata"], inner["metadata"]].flatMap((each) =>
    isObject(each) ? namesIn(each) : [],
  );
};

const listIn = (output: Json): readonly Json[] => {
  if (Array.isArray(output)) return output;
  if (!isObject(output)) return [];
  for (const key of ["documents", "results", "matches", "chunks"]) {
    const list = output[key];
    if (Array.isArray(list)) return list;
  }
  return [];
};

const documentsOf = (spans: readonly Span[]): readonly RetrievedDocument[] =>
  spans
    .filter(({ kind }) => kind === "RETRIEVER")
    .flatMap(({ span_id: id, name, output }) =>
      listIn(output).map((document) => ({ names: namesOf(document), span: { id, name } })),
    )
    .slice(0, mostDocuments);

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/** Whether a name stands in a text, and not as part of a longer word. */
const isNamed = (text: string, name: string): boolean => {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + name.length])) return true;
  }
  return false;
};

export const documentsCited = ({
  min,
  min_share: share,
}: Extract<Condition, { readonly type: "documents_cited" }>): PreparedCondition => ({
  says: `the output names at least ${share > 0 ? `${share} of the retrieved documents` : plural(min, "retrieved document")}`,
  find: ({ trace }) => {
    const documents = documentsOf(trace.spans);
    if (documents.length === 0) return found(null, "no document was retrieved");
    const known = documents.filter(({ names }) => names.length > 0);
    if (known.length === 0) return found(null, "the retrieved documents have no id, address or title");
    const output = textOf(trace.output);
    if (output.length > mostMatched) return found(null, `the output has more than ${mostMatched} characters`);
    const cited = known.filter(({ names }) => names.some((name) => isNamed(output, name)));
    const holds = cited.length >= min && cited.length >= share * known.length;
    const named = new Map((holds ? cited : known).map(({ span }) => [span.id, span]));
    return found(holds, `it names ${cited.length} of ${known.length}`, [...named.values()]);
  },
  size: 0,
});

import { isObject, toDouble, type Json, type JsonObject } from "../../json.ts";
import type { Span } from "../../traces/trace.ts";
import type { Condition } from "../check.ts";
import { checkedText, type SpanReference } from "../checked-trace.ts";
import { createFinding, countWithNoun, type PreparedCondition } from "../finding.ts";
import { maxSearchedCharacters } from "../pattern.ts";

/** Maximum number of retrieved documents to examine, and maximum characters of a document's name. */
const [maxDocuments, maxNameLength] = [200, 300] as const;

/** Keys of a document whose values identify it. */
const nameKeys = ["id", "document_id", "doc_id", "url", "uri", "source", "title", "name"] as const;

/** A retrieved document: its possible names, and the span that retrieved it. */
interface RetrievedDocument {
  readonly names: readonly string[];
  readonly span: SpanReference;
}

const namesIn = (value: JsonObject): readonly string[] =>
  nameKeys.flatMap((key) => {
    const fieldValue = toDouble(value[key] ?? null);
    const name = typeof fieldValue === "number" ? String(fieldValue) : fieldValue;
    return typeof name === "string" && name.trim() !== "" && name.length <= maxNameLength ? [name.trim()] : [];
  });

/** Returns the names of a document. It may be wrapped in an object, and its names may be in its metadata. */
const namesOf = (document: Json): readonly string[] => {
  if (!isObject(document)) return [];
  const inner = isObject(document["document"]) ? document["document"] : {};
  return [document, inner, document["metadata"], inner["metadata"]].flatMap((candidate) =>
    isObject(candidate) ? namesIn(candidate) : [],
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

export const documentsOf = (spans: readonly Span[]): readonly RetrievedDocument[] =>
  spans
    .filter(({ kind }) => kind === "RETRIEVER")
    .flatMap(({ span_id: id, name, output }) =>
      listIn(output).map((document) => ({ names: namesOf(document), span: { id, name } })),
    )
    .slice(0, maxDocuments);

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/** True if a text contains a name as a whole word. */
const containsWord = (text: string, name: string): boolean => {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + name.length])) return true;
  }
  return false;
};

export const documentsCitedCondition = ({
  min,
  min_share: share,
}: Extract<Condition, { readonly type: "documents_cited" }>): PreparedCondition => ({
  clause: `the output names at least ${share > 0 ? `${share} of the retrieved documents` : countWithNoun(min, "retrieved document")}`,
  evaluate: ({ trace }) => {
    const documents = documentsOf(trace.spans);
    if (documents.length === 0) return createFinding(null, "no document was retrieved");
    const namedDocuments = documents.filter(({ names }) => names.length > 0);
    if (namedDocuments.length === 0) return createFinding(null, "the retrieved documents have no id, address or title");
    const output = checkedText(trace.output);
    if (output.length > maxSearchedCharacters)
      return createFinding(null, `the output has more than ${maxSearchedCharacters} characters`);
    const citedDocuments = namedDocuments.filter(({ names }) => names.some((name) => containsWord(output, name)));
    const holds = citedDocuments.length >= min && citedDocuments.length >= share * namedDocuments.length;
    const reportedSpans = new Map((holds ? citedDocuments : namedDocuments).map(({ span }) => [span.id, span]));
    return createFinding(holds, `it names ${citedDocuments.length} of ${namedDocuments.length}`, [
      ...reportedSpans.values(),
    ]);
  },
  instructions: 0,
});

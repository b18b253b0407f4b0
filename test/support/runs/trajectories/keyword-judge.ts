import { completion, reply, type Behaviour } from "../fake-judge.ts";

/** A judge's answer to one statement, with the quoted evidence. */
interface StatementAnswer {
  readonly answer: "yes" | "no" | "cannot_tell";
  readonly evidence: readonly string[];
}

/** The transcript shown to a judge, and its answers by statement. */
export interface JudgedRecord {
  readonly record: string;
  readonly statements: Readonly<Record<string, StatementAnswer>>;
}

/** A quotation that occurs in no transcript. */
export const invented = "the passenger sang the whole way to Honolulu";

const recordIn = /^<<<<< RECORD \w+ BEGINS >>>>>\n(.*)\n<<<<< RECORD \w+ ENDS >>>>>$/msu;

const textOf = (question: string, statement: string): string =>
  question.split("\n").find((line) => line.startsWith(`  ${statement}: `)) ?? "";

/** Answers a statement by searching a transcript for the quoted word; a second quoted word leaves the answer open. */
const findWord = (record: string, statement: string): StatementAnswer => {
  const [quotedWord = "", open] = Array.from(statement.matchAll(/"([^"]+)"/gu), ([, word]) => word);
  if (record.includes(quotedWord)) {
    const step = record.split("\n").find((line) => line.includes(" TOOL ") && line.includes(`"${quotedWord}"`));
    const number = /#\d+/u.exec(step ?? "")?.[0];
    return { answer: "yes", evidence: [quotedWord, ...(number === undefined ? [] : [number])] };
  }
  return { answer: open !== undefined && record.includes(open) ? "cannot_tell" : "no", evidence: [invented] };
};

/** A judge that searches for words, for a metric of statements about words. @param log receives the judge's answers. */
export const keywordJudge =
  (log: JudgedRecord[]): Behaviour =>
  (response, call) => {
    const { messages, response_format: form } = call.body;
    const message = messages.map(({ content }) => content).join("\n");
    const record = recordIn.exec(message)?.[1] ?? "";
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the service sends is checked by tests of its own.
    const schema = form.json_schema.schema as { properties: { statements: { properties: object } } };
    const statements = Object.fromEntries(
      Object.keys(schema.properties.statements.properties).map((name) => [
        name,
        findWord(record, textOf(message, name)),
      ]),
    );
    log.push({ record, statements });
    const answered = Object.entries(statements).map(([name, statementAnswer]) => [
      name,
      { ...statementAnswer, reason: `Of ${name}.` },
    ]);
    const content = JSON.stringify({ task: "A task.", statements: Object.fromEntries(answered) });
    return reply(200, completion(content))(response, call);
  };

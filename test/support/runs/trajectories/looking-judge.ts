import { completion, reply, type Behaviour } from "../fake-judge.ts";

/** What a judge said of one statement, and what it was that it said. */
interface Looked {
  readonly answer: "yes" | "no" | "cannot_tell";
  readonly evidence: readonly string[];
}

/** What a judge was shown of one record, and what it said of each statement. */
export interface LookedRecord {
  readonly record: string;
  readonly statements: Readonly<Record<string, Looked>>;
}

/** It stands in no record. */
export const invented = "the passenger sang the whole way to Honolulu";

const recordIn = /^<<<<< RECORD \w+ BEGINS >>>>>\n(.*)\n<<<<< RECORD \w+ ENDS >>>>>$/msu;

const textOf = (question: string, statement: string): string =>
  question.split("\n").find((line) => line.startsWith(`  ${statement}: `)) ?? "";

/** A statement names in quotes what to look for, and what leaves it open where that is missing. */
const lookFor = (record: string, statement: string): Looked => {
  const [wanted = "", open] = Array.from(statement.matchAll(/"([^"]+)"/gu), ([, word]) => word);
  if (record.includes(wanted)) {
    const step = record.split("\n").find((line) => line.includes(" TOOL ") && line.includes(`"${wanted}"`));
    const number = /#\d+/u.exec(step ?? "")?.[0];
    return { answer: "yes", evidence: [wanted, ...(number === undefined ? [] : [number])] };
  }
  return { answer: open !== undefined && record.includes(open) ? "cannot_tell" : "no", evidence: [invented] };
};

/** A judge that only looks for words, for a metric of statements about words. @param log of what it has answered. */
export const lookingJudge =
  (log: LookedRecord[]): Behaviour =>
  (response, call) => {
    const { messages, response_format: form } = call.body;
    const message = messages.map(({ content }) => content).join("\n");
    const record = recordIn.exec(message)?.[1] ?? "";
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the service sends is checked by tests of its own.
    const schema = form.json_schema.schema as { properties: { statements: { properties: object } } };
    const statements = Object.fromEntries(
      Object.keys(schema.properties.statements.properties).map((name) => [
        name,
        lookFor(record, textOf(message, name)),
      ]),
    );
    log.push({ record, statements });
    const answered = Object.entries(statements).map(([name, looked]) => [name, { ...looked, reason: `Of ${name}.` }]);
    const content = JSON.stringify({ task: "A task.", statements: Object.fromEntries(answered) });
    return reply(200, completion(content))(response, call);
  };

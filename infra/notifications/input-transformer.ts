/** Body of a notification: text for e-mail, or a JSON object. `<detail.id>` stands for a value of the event. */
export type MessageBody = string | Readonly<Record<string, unknown>>;

/** EventBridge's transformer from an event to what is sent. */
export interface InputTransformer {
  /** JSON paths in the event by variable. */
  readonly inputPathsMap: Readonly<Record<string, string>>;
  /** Text in which `<variable>` is replaced; EventBridge has no escape for either bracket. */
  readonly inputTemplate: string;
}

/** A path in the event, in angle brackets. */
const placeholder = /<((?:detail|detail-type|id|time|source|account|region)(?:\.[\w-]+)*)>/gu;

/** EventBridge's limits: characters of a template, and variables. */
const [maxLength, maxVariables] = [8192, 100];

/**
 * Returns the transformer for a body. A placeholder that is a whole value of an object becomes the value of the event with its
 * type; within text it becomes text. A path that the event lacks leaves nothing.
 */
export const inputTransformer = (body: MessageBody): InputTransformer => {
  const variables = new Map<string, string>();
  const variableOf = (path: string): string => {
    const name = variables.get(path) ?? `v${variables.size}`;
    variables.set(path, name);
    return `<${name}>`;
  };
  const withVariables = (value: unknown): string =>
    JSON.stringify(value).replaceAll(placeholder, (_, path: string) => variableOf(path));
  const inputTemplate =
    typeof body === "string"
      ? body.split("\n").map(withVariables).join("\n")
      : withVariables(body).replaceAll(/(?<!\\)"(<v\d+>)"/gu, "$1");
  return {
    inputPathsMap: Object.fromEntries([...variables].map(([path, name]) => [name, `$.${path}`])),
    inputTemplate,
  };
};

const stringsOf = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
};

const keysOf = (value: unknown): readonly string[] =>
  typeof value === "object" && value !== null ? [...Object.keys(value), ...Object.values(value).flatMap(keysOf)] : [];

/** Returns what EventBridge would refuse in a body, the end of a sentence; undefined if nothing. */
export const bodyFault = (body: MessageBody): string | undefined => {
  if (keysOf(body).some((key) => /[<>]/u.test(key))) return "must not have < or > in the name of a field";
  if (stringsOf(body).some((text) => /[<>]/u.test(text.replaceAll(placeholder, ""))))
    return "must have < and > only around a path in the event, such as <detail-type> or <detail.project_id>";
  const { inputPathsMap, inputTemplate } = inputTransformer(body);
  return inputTemplate.length > maxLength || Object.keys(inputPathsMap).length > maxVariables
    ? `must have ${maxLength} characters and ${maxVariables} paths at most`
    : undefined;
};

/** The words of a command, its quotes taken off. */
type Command = readonly string[];

type Variables = Readonly<Record<string, string>>;

const variable = /^\$(\w+)/u;

/**
 * Reads commands as a POSIX shell does, as far as examples need it: words, both kinds of quotes, variables, lines that go on.
 *
 * Does not do: anything else. @throws Error for what would be more than that, and for a variable that nobody has set.
 */
export const shellCommands = (script: string, variables: Variables): readonly Command[] => {
  const commands: string[][] = [[]];
  let word: string | null = null;
  let rest = script;
  const add = (text: string, length: number): void => {
    word = (word ?? "") + text;
    rest = rest.slice(length);
  };
  const endWord = (): void => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  const expand = (text: string): string =>
    text.replaceAll(/\$(\w+)/gu, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`$${name} is not set.`);
      return value;
    });
  while (rest !== "") {
    const single = /^'([^']*)'/u.exec(rest);
    const double = /^"([^"\\`]*)"/u.exec(rest);
    const plain = /^[\w./:=-]+/u.exec(rest);
    const name = variable.exec(rest);
    if (single !== null) add(single[1] ?? "", single[0].length);
    else if (double !== null) add(expand(double[1] ?? ""), double[0].length);
    else if (plain !== null) add(plain[0], plain[0].length);
    else if (name !== null) add(expand(name[0]), name[0].length);
    else if (rest.startsWith("\\'")) add("'", 2);
    else if (rest.startsWith("\\\n")) rest = rest.slice(2);
    else if (rest.startsWith("\n")) {
      endWord();
      commands.push([]);
      rest = rest.slice(1);
    } else if (rest.startsWith(" ")) {
      endWord();
      rest = rest.trimStart();
    } else throw new Error(`The shell of the tests does not do ${rest.slice(0, 20)}`);
  }
  endWord();
  return commands.filter((command) => command.length > 0);
};

/** The variables that lines of `NAME=value` set. */
export const assignments = (script: string): Variables =>
  Object.fromEntries(
    shellCommands(script, {}).map(([word = "", ...others]) => {
      const [, name, value] = /^(\w+)=(.*)$/su.exec(word) ?? [];
      if (name === undefined || value === undefined || others.length > 0) throw new Error(`${word} sets nothing.`);
      return [name, value];
    }),
  );

/** The request that a call of curl makes. @throws Error for an option that it does not know. */
export const curlRequest = ([program, ...words]: Command): { readonly url: string; readonly init: RequestInit } => {
  if (program !== "curl") throw new Error(`${program} is not curl.`);
  const headers = new Headers();
  const urls: string[] = [];
  let [method, body]: [string | undefined, string | undefined] = [undefined, undefined];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "-s") continue;
    if (!word.startsWith("-")) {
      urls.push(word);
      continue;
    }
    index += 1;
    const value = words[index] ?? "";
    if (word === "-H") headers.append(value.slice(0, value.indexOf(":")), value.slice(value.indexOf(":") + 1).trim());
    else if (word === "-X") method = value;
    else if (word === "-d") body = value;
    else throw new Error(`The curl of the tests does not do ${word}.`);
  }
  const [url, ...others] = urls;
  if (url === undefined || others.length > 0) throw new Error(`One address is called, not ${urls.length}.`);
  const init = { method: method ?? (body === undefined ? "GET" : "POST"), headers };
  return { url, init: body === undefined ? init : { ...init, body } };
};

/** Words of a shell command, without quotes. */
type Command = readonly string[];

type Variables = Readonly<Record<string, string>>;

const variable = /^\$(\w+)/u;

/**
 * Parses POSIX shell commands as used in examples: words, quotes, variables and continued lines.
 * @throws Error for other syntax and for an unset variable.
 */
export const shellCommands = (script: string, variables: Variables): readonly Command[] => {
  const commands: string[][] = [[]];
  let word: string | null = null;
  let remainingText = script;
  const add = (text: string, length: number): void => {
    word = (word ?? "") + text;
    remainingText = remainingText.slice(length);
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
  while (remainingText !== "") {
    const single = /^'([^']*)'/u.exec(remainingText);
    const double = /^"([^"\\`]*)"/u.exec(remainingText);
    const plain = /^[\w./:=@-]+/u.exec(remainingText);
    const name = variable.exec(remainingText);
    if (single !== null) add(single[1] ?? "", single[0].length);
    else if (double !== null) add(expand(double[1] ?? ""), double[0].length);
    else if (plain !== null) add(plain[0], plain[0].length);
    else if (name !== null) add(expand(name[0]), name[0].length);
    else if (remainingText.startsWith("\\'")) add("'", 2);
    else if (remainingText.startsWith("\\\n")) remainingText = remainingText.slice(2);
    else if (remainingText.startsWith("\n")) {
      endWord();
      commands.push([]);
      remainingText = remainingText.slice(1);
    } else if (remainingText.startsWith(" ")) {
      endWord();
      remainingText = remainingText.trimStart();
    } else throw new Error(`The shell of the tests does not do ${remainingText.slice(0, 20)}`);
  }
  endWord();
  return commands.filter((command) => command.length > 0);
};

/** Variables set by lines of the form `NAME=value`. */
export const assignments = (script: string): Variables =>
  Object.fromEntries(
    shellCommands(script, {}).map(([word = "", ...otherWords]) => {
      const [, name, value] = /^(\w+)=(.*)$/su.exec(word) ?? [];
      if (name === undefined || value === undefined || otherWords.length > 0) throw new Error(`${word} sets nothing.`);
      return [name, value];
    }),
  );

/** The HTTP request of a curl command. @throws Error for an unsupported option. */
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
  const [url, ...otherUrls] = urls;
  if (url === undefined || otherUrls.length > 0) throw new Error(`One address is called, not ${urls.length}.`);
  const init = { method: method ?? (body === undefined ? "GET" : "POST"), headers };
  return { url, init: body === undefined ? init : { ...init, body } };
};

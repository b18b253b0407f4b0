import { execFile } from "node:child_process";
import { join } from "node:path";

const oldest = 17;

/** The `java` that `JAVA_HOME` names, else the one on the path. */
export const javaCommand = (): string => {
  const { JAVA_HOME: home } = process.env;
  return home === undefined || home === "" ? "java" : join(home, "bin", "java");
};

/** What `java -version` prints; empty when it does not run. */
const versionText = (): Promise<string> =>
  new Promise((resolve) => {
    execFile(javaCommand(), ["-version"], (error, _, printed) => resolve(error === null ? printed : ""));
  });

/** The sentence for whoever has no Java that can run DynamoDB Local; `undefined` when Java is all right. */
export const whatJavaLacks = async (): Promise<string | undefined> => {
  const [, found] = /version "(?:1\.)?(\d+)/.exec(await versionText()) ?? [];
  if (Number(found) >= oldest) return undefined;
  const state = found === undefined ? `${javaCommand()} does not run` : `${javaCommand()} is Java ${found}`;
  return (
    `The local DynamoDB needs Java ${oldest} or newer and ${state}: ` +
    "install a Java runtime, for example from https://adoptium.net, or name one with JAVA_HOME."
  );
};

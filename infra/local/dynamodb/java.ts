import { execFile } from "node:child_process";
import { join } from "node:path";

const minJavaVersion = 17;

/** Returns the `java` command of `JAVA_HOME`, or `java` on the path. */
export const javaCommand = (): string => {
  const { JAVA_HOME: home } = process.env;
  return home === undefined || home === "" ? "java" : join(home, "bin", "java");
};

/** Returns the output of `java -version`; empty when Java does not run. */
const versionText = (): Promise<string> =>
  new Promise((resolve) => {
    execFile(javaCommand(), ["-version"], (error, _, stderrText) => resolve(error === null ? stderrText : ""));
  });

/** Returns an error message if no Java runtime that can run DynamoDB Local is installed; otherwise `undefined`. */
export const javaProblem = async (): Promise<string | undefined> => {
  const [, version] = /version "(?:1\.)?(\d+)/.exec(await versionText()) ?? [];
  if (Number(version) >= minJavaVersion) return undefined;
  const problem = version === undefined ? `${javaCommand()} does not run` : `${javaCommand()} is Java ${version}`;
  return (
    `The local DynamoDB needs Java ${minJavaVersion} or newer and ${problem}: ` +
    "install a Java runtime, for example from https://adoptium.net, or set JAVA_HOME."
  );
};

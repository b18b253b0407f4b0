import { resolve } from "node:path";

const directory = process.env["NODE_COMPILE_CACHE"];

/** Environment variable of the tests' compile cache, for processes that inherit no variables. */
export const compileCache = directory === undefined ? {} : { NODE_COMPILE_CACHE: resolve(directory) };

import { gzipSync } from "node:zlib";
import { consolePage } from "./infra/functions/console-page.ts";
const page = await consolePage();
const [, script = ""] = /<script>([\s\S]*)<\/script>/u.exec(page) ?? [];
console.log(script.length, gzipSync(script).length, gzipSync(page).length);

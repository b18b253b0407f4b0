import { configureGlobal } from "fast-check";
import { freshSeed } from "./fresh-seed.ts";

configureGlobal({ seed: freshSeed() });

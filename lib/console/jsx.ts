/** JSX factory functions, which esbuild injects into every module of the bundle. */
export { Fragment, h } from "preact";

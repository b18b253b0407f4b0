import { titleAt } from "../page-titles.ts";

// The frame and the title of the page, on a slow line seconds before the console: the document is not painted before this has run.
const frame = document.createDocumentFragment();
const top = document.createElement("header");
top.className = "top";
const main = document.createElement("main");
const title = document.createElement("h1");
title.textContent = sessionStorage.getItem("assay-reader") === null ? "Assay" : titleAt(location.hash);
main.append(title);
frame.append(...(title.textContent === "Assay" ? [] : [top]), main);
document.querySelector("#app")?.prepend(frame);

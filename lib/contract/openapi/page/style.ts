/**
 * Style sheet of the documentation pages. Colours follow the system's light or dark mode with a contrast of at least
 * 4.5 to 1. The table of contents is a sidebar on pages at least 64 rem wide, and collapsed at the top of narrower
 * pages.
 */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #fff; --soft: #f4f6f8; --line: #d5dae0; --text: #1b1f24; --quiet: #57606a; --link: #0b57c4;
  --get: #1a6b3c; --change: #8a5300; --delete: #b3261e; --here: #e6effc;
  --small: .875rem; --large: 1.125rem; --title-3: 1.125rem; --title-2: 1.5rem; --title-1: 2rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15181c; --soft: #1f242a; --line: #3a4149; --text: #e4e8ec; --quiet: #a3adb8; --link: #8ab8ff;
    --get: #7fd6a2; --change: #f0c070; --delete: #ff9c94; --here: #22324a;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; color: var(--text); background: var(--page); }
a { color: var(--link); text-underline-offset: .3em; }
a:hover { text-decoration-thickness: .15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .125rem; }
code, pre, h3 span, nav span { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: .875em; }
code { overflow-wrap: anywhere; }
pre { margin: 1rem 0; padding: .75rem 1rem; font-size: .8125rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere;
  background: var(--soft); border: 1px solid var(--line); border-radius: .375rem; }
small, i { font-size: var(--small); font-style: normal; font-weight: 400; color: var(--quiet); }
summary { cursor: pointer; padding: .625rem 0; }

main { padding: 1rem 1rem 6rem; max-width: 64rem; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { margin: .5rem 0; font-size: var(--title-1); }
h2 { margin: 3rem 0 1rem; font-size: var(--title-2); }
h3 { margin: 1.5rem 0 .5rem; font-size: var(--title-3); }
h4 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; max-width: 72ch; }
.lead { font-size: var(--large); }
ol { padding-left: 1.5rem; }
ol > li::marker { font-weight: 700; }
article { padding: 1rem 0; border-top: 1px solid var(--line); }
article > h3 { margin-top: .5rem; }
article > h3 a { color: inherit; text-decoration: none; }
article > h3 a:hover { text-decoration: underline; }
:target > h3 { background: var(--here); }
h3 span, nav span { font-weight: 700; color: var(--get); }
span.post { color: var(--link); }
span.patch { color: var(--change); }
span.delete { color: var(--delete); }
.headers { font-size: var(--small); color: var(--quiet); }

dl { margin: 0; }
dl > div { padding: .375rem 0; border-bottom: 1px solid var(--line); }
dt, dd { font-size: var(--small); overflow-wrap: anywhere; }
dt code { font-size: 1em; }
dd { margin: 0; max-width: 72ch; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: var(--small); }
th:first-child { width: 30%; }
th, td { overflow-wrap: anywhere; padding: .375rem .75rem .375rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }

.skip { position: absolute; left: -100vw; z-index: 2; padding: .75rem 1rem; background: var(--page); }
.skip:focus { left: 0; }
.side { position: sticky; top: 0; z-index: 1; display: flex; gap: .75rem; align-items: center; padding: .5rem 1rem;
  background: var(--page); border-bottom: 1px solid var(--line); }
.side header { display: none; font-weight: 700; }
.side header a { color: inherit; text-decoration: none; }
search { position: relative; flex: 1; min-width: 0; }
label, #found { position: absolute; margin: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
input { width: 100%; min-height: 2.75rem; padding: .25rem .75rem; font: inherit; color: inherit; background: var(--soft);
  border: 1px solid var(--quiet); border-radius: .375rem; }
input::placeholder { color: var(--quiet); opacity: 1; }
kbd { display: none; position: absolute; right: .75rem; top: .5rem; padding: 0 .5rem; color: var(--quiet); background: var(--page);
  border: 1px solid var(--line); border-radius: .25rem; font-size: var(--small); }
nav { margin-left: auto; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav summary { display: flex; align-items: center; min-height: 2.75rem; padding: 0; gap: .5rem; }
nav summary::before { content: "\\25b8"; color: var(--quiet); }
nav details[open] > summary::before { content: "\\25be"; }
nav summary::-webkit-details-marker { display: none; }
nav a { display: block; padding: .625rem .5rem .625rem 1.25rem; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { background: var(--here); }
nav a small { display: block; }
nav div > ul { display: flex; flex-wrap: wrap; column-gap: 1rem; padding: .25rem 0; }
nav div > ul a { padding-inline: 0; }
.filtering div > ul, .filtering summary small { display: none; }
#contents > div { position: absolute; inset: 100% 0 auto; max-height: calc(100dvh - 4rem); padding: 0 1rem 1rem; overflow-y: auto;
  overscroll-behavior: contain; background: var(--page); border-bottom: 1px solid var(--line); }

@media (min-width: 40rem) {
  dl > div { display: grid; grid-template-columns: 16rem minmax(0, 1fr); column-gap: 1.5rem; }
  dt { grid-row: 1 / span 9; }
  dd { grid-column: 2; }
}
@media (min-width: 64rem) {
  html { scroll-padding-top: 1rem; }
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  main { padding: 1.5rem 2.5rem 6rem; }
  .side { display: block; height: 100vh; padding: 0 1rem 1rem; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
  .side header { display: block; padding-top: 1rem; }
  search { display: block; position: sticky; top: 0; padding: .5rem 0; background: var(--page); }
  #found { position: static; margin-top: .375rem; width: auto; height: auto; clip-path: none; font-size: var(--small); color: var(--quiet); }
  kbd { display: block; top: 1.125rem; }
  input:focus + kbd, input:not(:placeholder-shown) + kbd { display: none; }
  summary { padding: .25rem 0; }
  nav { font-size: var(--small); }
  nav summary { min-height: 2rem; }
  nav a { padding-block: .25rem; }
}
@supports selector(::details-content) {
  @media (min-width: 64rem) {
    #contents > summary { display: none; }
    #contents::details-content { content-visibility: visible; display: block; }
    #contents > div { position: static; max-height: none; padding: 0; border: 0; overflow: visible; }
  }
}
@media (prefers-reduced-motion: no-preference) {
  a, input, pre, article > h3 { transition: background-color .15s, border-color .15s; }
}
@media print {
  .side { display: none; }
  details::details-content { content-visibility: visible; display: block; }
}
`;

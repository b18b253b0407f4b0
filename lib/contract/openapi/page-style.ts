/** The page's only style sheet. Both schemes of colour come from the reader's system. */
export const pageStyle = `
:root { color-scheme: light dark; --line: light-dark(#d9dce1, #3a3f47); --soft: light-dark(#f5f6f8, #1f2227);
  --text: light-dark(#1b1f24, #e3e6ea); --link: light-dark(#0b57c4, #8ab8ff); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: light-dark(#fff, #15171a); }
main, nav { padding: 1.5rem; }
main { max-width: 72rem; min-width: 0; }
nav { border-bottom: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav li { padding: .125rem 0; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { margin-top: 3rem; text-transform: capitalize; }
h4 { margin: 1.5rem 0 .5rem; }
article { margin: 1.5rem 0; padding: 0 1.25rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
article h3 a { color: inherit; }
code, pre, article h3 span, nav span { font-family: ui-monospace, monospace; font-size: .875em; }
article h3 span, nav span { font-weight: 700; color: light-dark(#1a6b3c, #7fd6a2); }
span.post { color: light-dark(#0b57c4, #8ab8ff); }
span.patch, span.put { color: light-dark(#8a5300, #f0c070); }
span.delete { color: light-dark(#b3261e, #ff9c94); }
pre { padding: .75rem 1rem; overflow-x: auto; background: var(--soft); border-radius: .375rem; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
summary { cursor: pointer; margin-top: 1rem; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
}
`;

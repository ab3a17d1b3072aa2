// pure
/** The style sheet of the reference and the error pages, after that of the hosted pages, whose colours they use. */

const frame = `
body{display:block}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:0 20px;padding:6px 24px;border-bottom:1px solid var(--line);background:var(--surface)}
.bar b{font-weight:650;margin-right:auto}
.bar a{display:inline-flex;align-items:center;min-height:44px}
.skip{position:absolute;left:-999px}
.skip:focus{left:8px;top:8px;padding:10px 14px;background:var(--surface);z-index:1}
.doc{display:grid;grid-template-columns:240px minmax(0,1fr);gap:48px;max-width:1200px;margin:0 auto;padding:0 24px 96px}
.doc.plain{display:block;max-width:720px;padding-top:40px}
.doc nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:24px 0}
nav ul ul{margin:0 0 8px}
nav a{display:block;padding:3px 8px;border-radius:6px;color:var(--text);text-decoration:none;font-size:.875rem;line-height:1.43}
nav li li a{padding-left:20px;color:var(--muted)}
nav a:hover{background:var(--hover)}
`

const prose = `
main p,main ul.list,main pre,main dl,main table{margin-top:12px}
main h1{font-size:1.75rem;margin-top:24px}
main h2{font-size:1.375rem;margin-top:72px;padding-bottom:8px;border-bottom:1px solid var(--line)}
main h3{font-size:1.0625rem;font-weight:600;margin-top:48px}
main h4,main h2.small{margin:24px 0 0;padding:0;border:0;font-size:.875rem;font-weight:600;color:var(--muted)}
main h3 a,main h2 a{color:inherit;text-decoration:none}
main h3 a:hover,main h2 a:hover{text-decoration:underline}
:target{scroll-margin-top:16px}
p code,li code,dd code,dt code,td code{padding:1px 4px;border-radius:4px;background:light-dark(#E7EBED,#1D2327)}
p a code,dd a code,td a code{padding:0;background:none}
pre{margin:0;padding:14px 16px;border:1px solid var(--line);border-radius:10px;background:var(--sunken);overflow-x:auto;overflow-wrap:normal;font-size:.8125rem;line-height:1.6}
pre code{font-size:inherit}
.call{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline;margin-top:8px}
.verb{padding:1px 8px;border-radius:6px;background:var(--soft);color:var(--on-soft);font-size:.8125rem;font-weight:650}
.verb.POST{background:var(--ok-soft);color:var(--ok)}
.verb.DELETE{background:var(--bad-soft);color:var(--bad)}
.verb.PATCH{background:var(--app);color:var(--on-app)}
.doc .call>code{padding:0;background:none;font-size:.9375rem}
`

const lists = `
.fields{border-top:1px solid var(--line)}
.fields>div{padding:10px 0;border-bottom:1px solid var(--line)}
.fields dt{display:flex;flex-wrap:wrap;gap:2px 10px;align-items:baseline}
.fields dt code{padding:0;background:none}
.fields dt>code{font-weight:600}
.fields dt span{font-size:.8125rem;color:var(--muted)}
.fields dt .must{color:var(--bad)}
.fields dd{font-size:.9375rem}
.fields .fields{margin:8px 0 0 16px}
.codes{width:100%;border-collapse:collapse;font-size:.9375rem}
.codes th,.codes td{padding:8px 16px 8px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
.codes th{font-size:.875rem;color:var(--muted);font-weight:600}
details summary{color:var(--link)}
`

const narrow = `
@media(max-width:900px){
.bar{padding:4px 16px}
.doc{display:block;padding:0 16px 64px}
.doc.plain{padding-top:16px}
.doc nav{position:static;max-height:none;padding:16px 0 0}
nav a{padding:10px 8px}
.codes,.codes tbody,.codes tr,.codes td{display:block}
.codes thead{display:none}
.codes tr{padding:10px 0;border-bottom:1px solid var(--line)}
.codes td{padding:0;border:0}
}
@media(min-width:901px){nav details>summary{display:none}}
@media(max-width:480px){body{background:var(--canvas)}}
`

export const reference_styles = [frame, prose, lists, narrow].join('').replaceAll('\n', '')

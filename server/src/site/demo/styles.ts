// pure
/** The additional styles of the demo: two columns, steps, tabs, claims. */
const source = `
.panel.wide{max-width:1120px}
.demo{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,7fr);gap:40px 48px;align-items:start}
.demo>*{min-width:0}
[hidden]{display:none!important}
.demo .acts .b{min-width:104px}
#before .fine{margin-top:14px}
.presses{display:grid;grid-template-columns:repeat(4,auto)}
@media(min-width:481px){.presses{justify-content:start}}
.demo .presses .b{min-width:0;padding:9px 8px}
.steps{margin:28px 0 0;padding:0;list-style:none}
.steps li{position:relative;display:grid;grid-template-columns:28px minmax(0,1fr) auto;gap:0 12px;padding-bottom:18px}
.steps li:not(:last-child)::before{content:"";position:absolute;left:13px;top:30px;bottom:2px;border-left:1px solid var(--line)}
.dot{grid-row:span 2;display:grid;place-items:center;width:28px;height:28px;border-radius:50%;background:var(--ok-soft);color:var(--ok)}
.steps .failed .dot{background:var(--bad-soft);color:var(--bad)}
.steps b{padding-top:2px;font-weight:570}
.steps .failed b{color:var(--bad)}
.aside{padding-top:4px;font-size:.8125rem;color:var(--muted);text-align:right}
.failed .aside{font-family:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace}
.steps p{grid-column:2/4;font-size:.875rem;line-height:1.43;color:var(--muted)}
.card{border:1px solid var(--line);border-radius:12px;overflow:hidden}
.card:not([hidden])+.card{margin-top:20px}
.card>h2{padding:14px 18px;border-bottom:1px solid var(--line)}
.tabs{display:flex;gap:4px;padding:6px;overflow-x:auto;border-bottom:1px solid var(--line)}
.tabs button{flex:none;min-height:44px;padding:6px 12px;border:0;border-radius:7px;background:none;color:var(--muted);font-weight:570;cursor:pointer}
.tabs button:hover{background:var(--hover)}
.tabs [aria-selected=true]{background:var(--soft);color:var(--on-soft)}
.tabs button:focus-visible,[role=tabpanel]:focus-visible{outline-offset:-2px}
[role=tabpanel]>.fine{padding:16px 18px}
.claims{display:grid;grid-template-columns:minmax(96px,auto) minmax(0,1fr);font-size:.875rem;line-height:1.43}
.claims dt,.claims dd{padding:9px 18px;border-top:1px solid var(--line)}
.claims dt{padding-right:6px;color:var(--muted);font-family:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace}
.claims dt:first-of-type,.claims dd:first-of-type{border:0}
.claims dd>code{display:block}
.claims dd>span{color:var(--muted)}
.facts dt{font-family:inherit}
.raw{display:grid;grid-template-columns:minmax(0,1fr) auto;align-items:center;gap:4px 12px;padding:10px 18px 14px;border-top:1px solid var(--line)}
.raw:first-child{border:0}
.raw h2{font-weight:570;font-size:.875rem;font-family:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace}
.raw code{grid-column:1/3;font-size:.8125rem;line-height:1.5;overflow-wrap:anywhere}
.copy{min-height:32px;padding:4px 12px;border:1px solid var(--edge);border-radius:7px;background:var(--surface);font-size:.875rem;font-weight:550;cursor:pointer}
.copy:hover{background:var(--hover)}
@media(max-width:900px){.demo{grid-template-columns:minmax(0,1fr)}}
@media(max-width:480px){.claims{grid-template-columns:minmax(0,1fr)}.claims dt{padding:10px 18px 0}.claims dd,.claims dd:first-of-type{padding-top:2px;border:0}.presses{grid-template-columns:1fr 1fr}.tabs{gap:0}.tabs button{padding:6px 9px;font-size:.875rem}.copy{min-height:44px}}
`

export const demoStyles = source.replaceAll('\n', '')

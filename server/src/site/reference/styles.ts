// pure
/** The style sheet of the documentation, after that of the hosted pages, whose colours it uses. */

const frame = `
body{display:block;background:var(--surface)}
.bar{position:sticky;top:0;z-index:2;display:flex;align-items:center;gap:8px 24px;padding:6px 24px;border-bottom:1px solid var(--line);background:var(--surface)}
.bar b{font-weight:650}
.bar a{display:inline-flex;align-items:center;min-height:44px;color:var(--text);text-decoration:none}
.bar a:hover{text-decoration:underline}
.main{display:flex;flex-wrap:wrap;gap:0 20px;margin-left:auto;font-size:.9375rem}
form.find{position:relative;display:flex;gap:8px;margin:0;width:min(100%,380px)}
.find input{min-height:40px;padding:6px 12px}
.find .b,.search .b{width:auto;flex:none;white-space:nowrap;min-height:40px;padding:6px 14px}
.results{position:absolute;top:46px;left:0;right:0;z-index:3;padding:6px;border:1px solid var(--edge);border-radius:12px;background:var(--surface);box-shadow:var(--shadow)}
.results a{display:block;padding:8px 10px;border-radius:8px;font-size:.9375rem}
.results a:hover,.results a:focus{background:var(--hover);text-decoration:none}
.results span{color:var(--muted);font-size:.8125rem}
.results .text{display:block;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.skip{position:absolute;left:-999px}
.skip:focus{left:8px;top:8px;padding:10px 14px;background:var(--surface);z-index:4}
.doc{display:grid;grid-template-columns:240px minmax(0,760px);gap:56px;max-width:1360px;margin:0 auto;padding:0 24px 96px}
.doc.three{grid-template-columns:240px minmax(0,760px) 200px}
.doc>nav,aside{position:sticky;top:57px;align-self:start;max-height:calc(100vh - 57px);overflow:auto;padding:24px 4px}
aside ul{border-left:1px solid var(--line)}
nav ul ul{margin:0 0 8px}
.doc>nav a,aside a{display:block;padding:4px 8px;border-radius:6px;color:var(--muted);text-decoration:none;font-size:.875rem;line-height:1.43}
nav li li a{padding-left:20px}
aside .depth3 a{padding-left:20px}
.doc>nav a:hover,aside a:hover{background:var(--hover);color:var(--text)}
nav a[aria-current]{background:var(--soft);color:var(--on-soft);font-weight:570}
.group{margin:18px 0 4px;padding:0 8px;font-size:.8125rem;font-weight:620;color:var(--text)}
main{padding-top:8px}
main:focus{outline:0}
`

const prose = `
main p,main .list,main pre,main dl,main table,main blockquote{margin-top:14px}
main .list{padding-left:24px;list-style:disc}
main ol.list{list-style:decimal}
main .list li+li{margin-top:6px}
main .list .list{margin-top:6px}
main h1{font-size:1.875rem;line-height:1.25;margin-top:24px}
main h2{font-size:1.375rem;margin-top:48px}
main h3{font-size:1.0625rem;font-weight:600;margin-top:32px}
main h4{margin-top:24px;font-size:1rem;font-weight:600}
main article>h2{margin-top:64px;padding-top:24px;border-top:1px solid var(--line)}
main article h3,main h2.small{margin-top:24px;font-size:.875rem;font-weight:600;color:var(--muted)}
main h2>a:not(.anchor){color:inherit;text-decoration:none}
main h2>a:not(.anchor):hover{text-decoration:underline}
.anchor{padding:0 6px;color:var(--muted);font-weight:400;text-decoration:none;opacity:0}
:is(h2,h3,h4):hover>.anchor,.anchor:focus{opacity:1}
[id]{scroll-margin-top:73px}
p code,li code,dd code,dt code,td code,th code,h1 code,h2 code,h3 code{padding:1px 4px;border-radius:4px;background:light-dark(#E7EBED,#1D2327)}
h1 code,h2 code,h3 code{font-size:.9em}
p a code,dd a code,td a code,li a code{padding:0;background:none}
kbd{padding:1px 7px;border:1px solid var(--edge);border-radius:5px;font:inherit;font-size:.875rem}
blockquote{padding-left:14px;border-left:3px solid var(--line);color:var(--muted)}
pre{margin:0;padding:14px 16px;border:1px solid var(--line);border-radius:10px;background:var(--sunken);overflow-x:auto;overflow-wrap:normal;font-size:.8125rem;line-height:1.6}
pre code{font-size:inherit}
.cc{color:var(--muted)}
.cs{color:var(--ok)}
.cn{color:light-dark(#704C00,#F0C765)}
.ck{color:light-dark(#5B2A86,#D6B8FF)}
.cp{color:var(--on-soft)}
.block{position:relative;margin-top:14px}
main .block pre{margin:0;padding-right:84px}
.copy{position:absolute;top:7px;right:7px;min-height:30px;padding:2px 10px;border:1px solid var(--edge);border-radius:7px;background:var(--surface);font-size:.8125rem;cursor:pointer}
.copy:hover{background:var(--hover)}
.scroll{overflow-x:auto}
.scroll table,.codes{width:100%;border-collapse:collapse;font-size:.9375rem}
.scroll :is(th,td),.codes :is(th,td){padding:8px 16px 8px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:break-word}
.scroll :is(th,td){min-width:96px}
.scroll th,.codes th{font-size:.875rem;color:var(--muted);font-weight:600}
.source{margin-top:48px}
.turn{display:grid;grid-template-columns:1fr 1fr;gap:12px;margin-top:16px}
.turn a{padding:12px 16px;border:1px solid var(--line);border-radius:10px;text-decoration:none}
.turn a:hover{background:var(--hover)}
.turn [rel=next]{grid-column:2;text-align:right}
.turn span{display:block;font-size:.8125rem;color:var(--muted)}
`

const lists = `
.call{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline;margin-top:8px}
.verb{padding:1px 8px;border-radius:6px;background:var(--soft);color:var(--on-soft);font-size:.8125rem;font-weight:650}
.verb.POST{background:var(--ok-soft);color:var(--ok)}
.verb.DELETE{background:var(--bad-soft);color:var(--bad)}
.verb.PATCH{background:var(--app);color:var(--on-app)}
.doc .call>code{padding:0;background:none;font-size:.875rem}
.calls li{padding:8px 0;border-bottom:1px solid var(--line)}
.calls .call{margin-top:2px}
.names{columns:200px;margin-top:12px}
.names a,.calls a{display:inline-block;padding:4px 0}
.fields{border-top:1px solid var(--line)}
.fields>div{padding:10px 0;border-bottom:1px solid var(--line)}
.fields dt{display:flex;flex-wrap:wrap;gap:2px 10px;align-items:baseline}
.fields dt code{padding:0;background:none}
.fields dt>code{font-weight:600}
.fields dt span{font-size:.8125rem;color:var(--muted)}
.fields dt .must{color:var(--bad)}
.fields dd{font-size:.9375rem}
.fields .fields{margin:8px 0 0 16px}
.codes{margin-top:14px}
.doc.wide{grid-template-columns:240px minmax(0,1fr);max-width:1480px}
.split{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:40px;align-items:start}
.example{position:sticky;top:73px}
.example pre{max-height:46vh;overflow:auto}
.ways fieldset{display:flex;flex-wrap:wrap;gap:4px 18px;margin:8px 0 0;padding:0;border:0}
.ways label{display:inline-flex;align-items:center;gap:6px;min-height:32px;font-size:.875rem;cursor:pointer}
.ways input{width:auto;min-height:0;margin:0}
.ways:has([value=curl]:checked) .way:not(.curl),.ways:has([value=sdk]:checked) .way:not(.sdk),.ways:has([value=cli]:checked) .way:not(.cli){display:none}
details summary{color:var(--link)}
form.search{display:flex;flex-wrap:wrap;gap:8px;margin-top:16px}
.search label{width:100%}
.search input{flex:1;width:auto;min-width:180px}
.found{margin:8px 0 0;padding:0;list-style:none}
.found li{padding:14px 0;border-bottom:1px solid var(--line)}
.found p{margin-top:2px;color:var(--muted);font-size:.9375rem}
.found mark{all:unset;color:var(--text);font-weight:600}
`

const narrow = `
@media(max-width:1240px){.split{grid-template-columns:minmax(0,1fr);gap:0}.example{position:static}.doc.three{grid-template-columns:240px minmax(0,760px)}aside{display:none}}
@media(max-width:900px){
.bar{position:static;flex-wrap:wrap;padding:4px 16px 8px}
.main{margin-left:0}
form.find{order:3;width:100%}
.doc,.doc.three{display:block;padding:0 16px 64px}
.doc>nav{position:static;max-height:none;padding:8px 0 0}
.doc>nav a{padding:11px 8px}
.codes,.codes tbody,.codes tr,.codes td{display:block}
.codes thead{display:none}
.codes tr{padding:10px 0;border-bottom:1px solid var(--line)}
.codes td{padding:0;border:0}
[id]{scroll-margin-top:16px}
.anchor{opacity:1}
}
@media(min-width:901px){nav details>summary{display:none}}
@media(max-width:480px){.turn{grid-template-columns:1fr}.turn [rel=next]{grid-column:1}}
`

export const reference_styles = [frame, prose, lists, narrow].join('').replaceAll('\n', '')

// pure
/**
 * The style sheet of all hosted pages. `brand.ts` supplies the brand colours as custom properties. The theme follows the system;
 * `data-theme` on the root element forces one. Text sizes are in rem, so that the browser's font size applies; other sizes are in
 * px. The layout works from 320 px, which equals 1280 px at 400 % zoom.
 */
import { themes } from './brand.ts'

const { light, dark } = themes

/** `--between` is the gap between buttons that follow each other, in one form or in two. */
const tokens = `
:root{color-scheme:light dark;--between:10px;
--canvas:light-dark(${light.canvas},${dark.canvas});--surface:light-dark(${light.surface},${dark.surface});--sunken:light-dark(#F6F7F8,#1D2327);--hover:light-dark(#EFF2F3,#222A2E);
--line:light-dark(#E3E7E9,#293135);--edge:light-dark(#CCD3D7,#3A444A);--ctl:light-dark(${light.edge},${dark.edge});--text:light-dark(${light.ink},${dark.ink});--muted:light-dark(#4D585E,#A9B4BA);
--soft:light-dark(#E2F1F3,#0F3036);--on-soft:light-dark(#0B6472,#7AD3E0);--app:light-dark(#E7EEE0,#2A3820);--on-app:light-dark(#2F5412,#B9DB9A);
--test-band:light-dark(${light.band},${dark.band});--test-hatch:light-dark(#FFD9A8,#4A2E0B);--test-ink:light-dark(#6B3400,#FFD29B);
--ok:light-dark(#1B6231,#84D699);--ok-soft:light-dark(#E3F4E7,#12301B);--bad:light-dark(#A81E2A,#FF9A9A);--bad-soft:light-dark(#FDEBEC,#3D181B);
--shadow:0 1px 2px light-dark(#14191c0f,#0006),0 12px 32px -8px light-dark(#14191c2e,#000c);--shadow-s:0 1px 2px light-dark(#14191c0d,#0004)}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark}
`

const ground = `
*,*::before,*::after{box-sizing:border-box}
h1,h2,p,ul,dl,dd{margin:0;padding:0}
ul{list-style:none}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;font:400 1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--text);background:var(--canvas);overflow-wrap:anywhere;font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased}
h1{font-size:1.5rem;line-height:1.3333;font-weight:620;letter-spacing:-.015em}
h2{font-size:1rem;font-weight:600}
a{color:var(--link);text-decoration:underline;text-underline-offset:3px;text-decoration-color:color-mix(in srgb,currentColor 40%,transparent)}
a:hover{text-decoration-color:currentColor}
button,input{font:inherit;color:inherit;letter-spacing:inherit}
code{font-family:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace;font-size:.875rem;font-variant-ligatures:none}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
a:focus-visible{border-radius:4px}
.i{flex:none}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.sub,.fine,.after{color:var(--muted)}
.sub{margin-top:4px}
.fine{font-size:.875rem;line-height:1.43}
.or{display:flex;align-items:center;gap:12px;color:var(--muted);font-size:.875rem;margin:20px 0}
.or::before,.or::after{content:"";flex:1;height:1px;background:var(--line)}
.alts{gap:var(--between)}
.or+.alts,.or+[data-passkey] .alts{margin-top:0}
.alts+.wrong{margin-top:10px}
.or+[data-passkey]+.alts,[data-passkey]:not([hidden])+.alts{margin-top:var(--between)}
.or+[data-passkey][hidden]+.alts{margin-top:0}
[data-passkey]+form:not(.alts){margin-top:var(--between)}
[data-passkey]:not([hidden])~.without-passkeys{display:none}
.alts .b{position:relative;padding-inline:40px}
.alts .b+.b{margin-top:0}
.alts .b>.i{position:absolute;inset-inline-start:14px}
.tag{display:inline-flex;gap:4px;align-items:center;padding:1px 8px;border-radius:99px;font-size:.75rem;line-height:1.5;font-weight:550;background:var(--sunken);color:var(--muted)}
.b:has(>.last){display:grid;justify-items:center;gap:2px;padding-block:7px}
.last{padding-block:0;line-height:1.3333}
b{font-weight:600}
[hidden]{display:none!important}
`

const frame = `
.ribbon{display:flex;gap:8px;align-items:center;justify-content:center;padding:7px 16px;font-size:.875rem;line-height:1.43;text-align:center;color:var(--test-ink);background:repeating-linear-gradient(-45deg,var(--test-band) 0 10px,var(--test-hatch) 10px 20px)}
.ribbon b{font-weight:650}
.mid{flex:1;display:grid;place-items:center;padding:40px 16px}
.mid.top{align-items:start;padding-top:64px}
.panel{width:100%;min-width:0;max-width:416px;padding:36px 36px 32px;background:var(--surface);border:1px solid var(--line);border-radius:16px;box-shadow:var(--shadow)}
.panel.medium{max-width:464px}
.panel.wide{max-width:680px}
.legal{padding:0 16px 16px;font-size:.875rem}
.legal ul{display:flex;flex-wrap:wrap;justify-content:center;gap:0 8px}
.legal a{display:inline-flex;align-items:center;justify-content:center;min-width:44px;min-height:44px;padding:0 6px;color:var(--muted);text-decoration:none}
.legal a:hover{text-decoration:underline}
.legal a[aria-current]{color:var(--text);font-weight:570;text-decoration:none}
.org,.pair{display:flex;align-items:center;gap:10px;margin-bottom:24px;font-weight:600}
.tile{flex:none;display:grid;place-items:center;width:36px;height:36px;overflow:hidden;border-radius:9px;font-weight:700;font-size:1.0625rem;background:var(--tile);color:var(--on-tile)}
.tile.app{background:var(--app);color:var(--on-app)}
.logo{flex:none;min-width:36px;height:36px}
.logo>span{position:relative;display:block;width:max-content}
.logo img{display:block;height:36px;width:auto;max-width:144px;object-fit:contain}
.logo .tile{position:absolute;top:0;inset-inline-start:0;width:clamp(0px,(1px - 100%)*9999,36px)}
.mark{flex:none;color:var(--brand)}
.pair i{flex:none;width:28px;border-top:2px dotted var(--ctl)}
`

const forms = `
form{display:grid;gap:18px;margin-top:24px}
form+form{margin-top:var(--between)}
.field{display:grid;gap:6px}
form.find{display:flex;gap:8px;align-items:end}
.find .field{flex:1;min-width:0}
.find .b{width:auto}
.find+.hint,.find+form{margin-top:18px}
.field .row{display:flex;justify-content:space-between;align-items:baseline;gap:12px;flex-wrap:wrap}
.field .row a{font-size:.9375rem;padding:10px 0;margin:-10px 0}
.b+.b{margin-top:calc(var(--between) - 18px)}
.b+#resend-note{margin-top:-8px}
.b+.two{margin-top:calc(var(--between) - 18px)}
label{font-weight:550;font-size:.9375rem}
label span{font-weight:400;color:var(--muted)}
input{width:100%;min-height:44px;padding:9px 12px;border:1px solid var(--ctl);border-radius:9px;background:var(--surface)}
input:focus-visible{outline-offset:-1px}
input[aria-invalid]{border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}
.wrong{display:flex;gap:6px;font-size:.875rem;line-height:1.43;color:var(--bad)}
.wrong .i{margin-top:2px}
.problem{display:flex;gap:10px;margin-top:20px;padding:10px 14px;border:1px solid var(--line);border-inline-start:3px solid var(--bad);border-radius:9px;font-size:.9375rem}
.problem .i{margin-top:1px;color:var(--bad)}
.problem a{display:inline-block;padding:10px 0;color:var(--bad)}
.b{display:flex;align-items:center;justify-content:center;gap:10px;width:100%;min-width:0;min-height:44px;padding:9px 16px;border:1px solid var(--edge);border-radius:9px;background:var(--surface);color:var(--text);font-weight:570;text-align:center;text-decoration:none;cursor:pointer;box-shadow:var(--shadow-s);transition:background-color .12s}
.b:hover{background:var(--hover)}
a.b:focus-visible{border-radius:9px}
.b.p{background:var(--brand);border-color:var(--brand-edge);color:var(--on-brand)}
.b.p:hover{background:color-mix(in srgb,var(--brand) 88%,var(--off-brand))}
.two{display:flex;flex-wrap:wrap;gap:var(--between)}
.two .b{flex:1 1 132px;width:auto;min-width:fit-content;margin-top:0}
.acts{display:flex;flex-wrap:wrap;gap:var(--between);margin-top:24px}
.acts .b{width:auto;max-width:100%;margin-top:0}
.acts+.fine,.sub+.fine,.problem+.fine,.who+.fine,.fine+.fine,.hint{margin-top:14px}
.hint.dev{padding:10px 14px;border:1px solid var(--line);border-radius:9px;background:var(--sunken)}
.after{margin-top:16px;text-align:center;font-size:.9375rem}
.after+.after{margin-top:0}
.acts~.after{text-align:start}
.after:last-child{margin-bottom:-10px}
.after a{display:inline-block;padding:11px 0}
`

const people = `
.who{display:flex;align-items:center;gap:12px;margin-top:20px;padding:6px 14px;min-height:54px;border:1px solid var(--line);border-radius:10px;font-size:.9375rem}
.who>a{display:inline-flex;align-items:center;min-height:44px;margin-inline-start:auto;font-size:.875rem;white-space:nowrap}
.avatar{flex:none;display:grid;place-items:center;width:32px;height:32px;border-radius:50%;background:var(--soft);color:var(--on-soft);font-weight:600;font-size:.8125rem}
.name{min-width:0;text-align:start}
.name b{display:block;font-weight:550}
.name b+span{display:block;font-weight:400;font-size:.875rem;line-height:1.43;color:var(--muted)}
.people{display:grid;gap:10px}
.people li{display:flex;align-items:stretch;gap:8px}
.people .b{gap:10px;padding:9px 12px;margin-top:0}
.people .b:first-child{flex:1;justify-content:flex-start}
.people .b:last-child:not(:first-child){width:auto;border-color:transparent;box-shadow:none;background:none;color:var(--muted);font-weight:400;font-size:.875rem;padding:9px 6px}
.people .b:last-child:not(:first-child):hover{background:var(--hover)}
.gets{margin-top:8px}
.gets+.fine{margin-top:8px}
.apart{margin-top:16px;padding-top:14px;border-top:1px solid var(--line);color:var(--muted)}
.who+h2{margin-top:24px}
.gets li{display:grid;grid-template-columns:24px minmax(0,1fr);gap:0 12px;padding:10px 0;border-bottom:1px solid var(--line)}
.gets li:last-child{border:0}
.gets .i{margin-top:2px;color:var(--muted)}
.gets b{font-weight:550}
.gets span{grid-column:2;font-size:.875rem;line-height:1.43;color:var(--muted)}
`

const details = `
.addresses{margin-top:24px;border:1px solid var(--line);border-radius:12px;overflow:hidden}
.addresses>div{padding:14px 18px;border-top:1px solid var(--line)}
.addresses>div:first-child{border:0}
.addresses>.got{background:var(--sunken)}
.addresses dt{display:flex;flex-wrap:wrap;gap:4px 8px;align-items:center;margin-bottom:4px;font-size:.875rem;line-height:1.43;color:var(--muted)}
.addresses dt .i{color:var(--bad)}
.addresses dd code{display:block;line-height:1.75}
summary{min-height:44px;padding:12px 0;cursor:pointer;font-size:.875rem;line-height:1.43;color:var(--muted)}
mark{padding:2px 3px;border-radius:4px;font-weight:600;box-shadow:inset 0 0 0 1px currentColor;-webkit-box-decoration-break:clone;box-decoration-break:clone}
details .addresses{margin-top:4px}
.unseen{display:inline-block;max-width:100%;padding:0 3px;line-height:1.4;border:1px dashed currentColor;border-radius:4px;font-style:normal;font-size:.8125rem}
mark.x{background:var(--bad-soft);color:var(--bad)}
mark.y{background:var(--ok-soft);color:var(--ok)}
.why{margin-top:20px;display:grid;gap:6px}
.meta{display:grid;grid-template-columns:auto minmax(0,1fr);gap:4px 20px;margin-top:28px;padding-top:18px;border-top:1px solid var(--line);font-size:.875rem;line-height:1.43}
.meta dt{color:var(--muted)}
.meta code{font-size:.8125rem}
.meta a{padding:14px 0}
.links{margin-top:20px}
.links li{padding:4px 0 12px;border-bottom:1px solid var(--line)}
.links li:last-child{border:0}
.links a{display:inline-block;padding:10px 0 2px;font-weight:550}
.links p{font-size:.875rem;line-height:1.43;color:var(--muted)}
`

const second = `
.qr{margin-top:20px}
.qr svg{display:block;width:100%;max-width:240px;margin:0 auto;border-radius:9px}
.hint a{padding:10px 0}
.codes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,120px),1fr));gap:4px 16px;margin-top:20px;padding:12px 16px;border:1px solid var(--line);border-radius:10px;background:var(--sunken);text-align:center}
.codes code{font-size:1rem;line-height:1.75}
.acts[data-code-tools] .b{flex:1 1 auto}
`

const narrow = `
@media(max-width:480px){
body{background:var(--surface)}
.mid,.mid.top{padding:0;place-items:stretch}
.panel,.panel.medium,.panel.wide{max-width:none;border:0;border-radius:0;box-shadow:none;padding:28px 20px}
.acts .b{width:100%}
.acts~.after{text-align:center}
.meta{grid-template-columns:minmax(0,1fr)}
.meta dd{margin-bottom:8px}
}
@media(max-width:360px){.people .avatar{display:none}}
@media(prefers-reduced-motion:reduce){*{transition:none!important}}
`

export const styles = [tokens, ground, frame, forms, people, details, second, narrow].join('').replaceAll('\n', '')

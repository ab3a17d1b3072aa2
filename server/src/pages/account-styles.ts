// pure
/** The style sheet of the account page, beside that of all pages: a header, a list of sections, and cards with rows. */
const parts = `
.top{background:var(--surface);border-bottom:1px solid var(--line)}
.top>div{display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px;max-width:1000px;margin:0 auto;padding:14px 24px}
.top .org{margin:0;margin-inline-end:auto}
.top form{margin:0}
.lay{flex:1;display:grid;grid-template-columns:188px minmax(0,1fr);gap:44px;align-items:start;width:100%;max-width:1000px;margin:0 auto;padding:40px 24px 64px}
.lay.alone{grid-template-columns:minmax(0,1fr);max-width:768px}
header:has(+.alone) .top>div{max-width:768px}
.toc{position:sticky;top:24px;font-size:.9375rem}
.toc ul{display:grid;gap:2px}
.toc a{display:flex;align-items:center;min-height:44px;padding:7px 12px;border-radius:8px;color:var(--muted);text-decoration:none}
.toc a:hover{background:var(--hover);color:var(--text)}
.wc{display:flex;gap:16px;align-items:center;margin-bottom:28px}
.wc>div{min-width:0}
.wc p{color:var(--muted)}
.wc .avatar{width:56px;height:56px;font-size:1.25rem}
.wc a{display:inline-flex;align-items:center;min-height:44px;font-size:.9375rem}
.said{display:flex;gap:10px;margin-bottom:24px;padding:10px 14px;border:1px solid var(--line);border-inline-start:3px solid var(--ok);border-radius:9px;background:var(--surface);font-size:.9375rem}
.said .i{margin-top:3px;color:var(--ok)}
main>.problem{margin:0 0 24px;background:var(--surface)}
.cd{container-type:inline-size;margin-bottom:24px;background:var(--surface);border:1px solid var(--line);border-radius:14px;box-shadow:var(--shadow-s)}
.cd>header{padding:18px 22px 14px}
.cd h2{font-size:1.0625rem;line-height:1.4118}
.cd>header p{font-size:.9375rem;color:var(--muted)}
.it{display:grid;grid-template-columns:24px minmax(0,1fr) auto;gap:0 14px;align-items:center;padding:13px 22px;border-top:1px solid var(--line)}
.it>.i{color:var(--muted)}
.it .tile,.it .logo{width:24px;min-width:24px;height:24px;border-radius:6px;font-size:.75rem}
.it .logo img{height:24px;max-width:24px}
.it b{display:flex;flex-wrap:wrap;gap:2px 8px;align-items:center;font-weight:550}
.it .d{display:block;font-size:.875rem;line-height:1.43;color:var(--muted)}
.it .acts{display:flex;flex-wrap:wrap;gap:8px;justify-content:flex-end;margin:0}
.it form,.cd>footer form{display:block;margin:0}
.it .b,.cd>footer .b,.top .b{width:auto;padding:6px 12px;font-size:.875rem}
.cd>footer{padding:12px 22px;border-top:1px solid var(--line)}
.cd>footer>.b{width:fit-content}
.cd>form{margin:0;padding:14px 22px 16px;border-top:1px solid var(--line)}
.cd>form>.b{width:auto;justify-self:start}
.b.bad{color:var(--bad)}
.tag .i{width:12px;height:12px}
.tag.ok{background:var(--ok-soft);color:var(--ok)}
.tag.here{background:var(--soft);color:var(--on-soft)}
@media(max-width:760px){
.lay{grid-template-columns:minmax(0,1fr);gap:16px;padding:16px 16px 48px}
.toc{position:static}
.toc ul{display:flex;flex-wrap:wrap;gap:0 4px}
.toc a{padding:7px 10px}
.top>div{padding:12px 16px}
.it,.cd>header,.cd>footer,.cd>form{padding-inline-start:16px;padding-inline-end:16px}
.cd{box-shadow:none}
}
@container(max-width:34rem){.it:has(form),.it:has(.b){grid-template-columns:24px minmax(0,1fr)}.it>.b,.it>form{grid-column:2;justify-self:start;margin-top:10px}.it .acts{grid-column:2/-1;justify-content:flex-start;margin-top:10px}}
@media(max-width:480px){body.wide{background:var(--canvas)}}
`

/** Of the pages with one form. */
const forms = `
.kept{margin-top:16px;padding-inline-start:20px;display:grid;gap:8px;list-style:disc;color:var(--muted);font-size:.9375rem}
input[readonly]{background:var(--sunken);border-color:var(--edge)}
select{width:100%;min-height:44px;padding:9px 12px;border:1px solid var(--ctl);border-radius:9px;background:var(--surface);font:inherit;color:inherit}
.b.danger{border-color:var(--bad);color:var(--bad)}
`

/** A box to tick. The label is a part of the target. */
const boxes = `
.box{display:flex;gap:12px;align-items:center}
.box input{flex:none;width:20px;height:20px;min-height:0;margin:0;accent-color:var(--brand)}
.box label{flex:1;min-width:0;padding:11px 0;font-weight:400}
.box input:disabled+label{color:var(--muted)}
`

/** Roles to choose. */
const roles = `
fieldset{min-width:0;margin:0;padding:0;border:0}
legend{padding:0;font-weight:550;font-size:.9375rem}
${boxes}`

export const account_styles = parts.replaceAll('\n', '')
export const account_form_styles = forms.replaceAll('\n', '')
export const box_styles = boxes.replaceAll('\n', '')
export const role_styles = roles.replaceAll('\n', '')

// pure
/** All texts of the hosted pages, in German. The comments of `en.ts` apply. */
import { type Html, html } from '../../base/html.ts'
import type { NoReturn } from '../../protocol/logout.ts'
import { account } from './de-account.ts'
import { dashboard } from './de-dashboard.ts'
import { mismatch } from './de-mismatch.ts'
import type { Texts } from './en.ts'

export const de: Texts = {
  error_title: (title: string) => `Fehler: ${title}`,
  test_ribbon: { word: 'Test', sentence: (brand: string) => `Das ist nicht das echte ${brand}.` },
  language: { name: 'Deutsch', menu: 'Sprache' },
  footer: { terms: 'Nutzungsbedingungen', privacy: 'Datenschutz', help: 'Hilfe' },

  form: {
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    name: 'Name',
    optional: '(freiwillig)',
    no_cookies: (host: string) =>
      `Ihr Browser hat das Cookie dieser Seite nicht zurückgesendet, deshalb wurde nichts geprüft. Falls Cookies ausgeschaltet sind, erlauben Sie sie für ${host}. Versuchen Sie es dann noch einmal.`,
    other_token:
      'Das Cookie, das zu dieser Seite gehört, ist nicht mehr da, deshalb ist nichts geschehen. Es wurde entfernt, oder die Seite wurde in einem anderen Browser geöffnet. Bitte versuchen Sie es noch einmal.',
    no_token: 'Ein Teil dieses Formulars ist nicht angekommen, deshalb ist nichts geschehen. Bitte versuchen Sie es noch einmal.',
    other_site:
      'Ihr Browser meldet, dass dieses Formular nicht von dieser Website gesendet wurde, deshalb ist nichts geschehen. Wenn Sie es selbst möchten, drücken Sie hier die Schaltfläche.',
    expired: 'Diese Seite war für einen Passkey zu lange offen, deshalb wurde nichts geprüft. Bitte versuchen Sie es noch einmal.',
    too_many: (wait_seconds: number | null) => `Aus Ihrem Netz gab es zu viele Versuche. ${tryAgain(wait_seconds)}`,
    busy: 'Gerade melden sich zu viele Menschen an, deshalb wurde Ihr Passwort weder geprüft noch gespeichert. Warten Sie ein paar Sekunden und geben Sie es dann noch einmal ein.',
    summary: (problems: number) => `${problems} Angaben brauchen eine Änderung:`,
  },

  sign_in: {
    title: 'Anmelden',
    to_continue: (application: string) => `um mit ${application} fortzufahren`,
    to_account: 'um zu Ihrem Konto zu gelangen',
    to_change: 'Bitte melden Sie sich für diese Änderung noch einmal an.',
    submit: 'Anmelden',
    attempt_over: 'Diese Anmeldung hat länger als 10 Minuten gedauert, oder sie ist zu Ende. Melden Sie sich noch einmal an.',
    wrong_credentials: 'Diese Adresse und dieses Passwort passen nicht zusammen. Prüfen Sie beides und versuchen Sie es noch einmal.',
    password_missing: 'Geben Sie Ihr Passwort ein.',
    locked: (wait_seconds: number | null) => `Für diese Adresse gab es zu viele Versuche. ${tryAgain(wait_seconds)}`,
    too_often: (wait_seconds: number | null) => `Sie haben sich in einer Stunde sehr oft angemeldet. ${tryAgain(wait_seconds)}`,
    forgot: 'Passwort vergessen?',
    email_code: 'Code per Mail senden',
    email_code_instead: 'Stattdessen einen Code per Mail senden',
    no_method: 'Hier gibt es noch keinen Weg, sich anzumelden. Bitte kommen Sie später wieder.',
    new_here: 'Neu hier?',
    sign_up: 'Konto anlegen',
    or: 'oder',
    last_used: 'Hier zuletzt verwendet',
    with_provider: (provider: string) => `Weiter mit ${provider}`,
    other_accounts: 'Anderes Konto wählen',
    cancel: (application: string | null) => (application === null ? 'Abbrechen' : `Zurück zu ${application}`),
  },

  second_factor: {
    title: 'Zweiter Schritt',
    from_app: 'Geben Sie den Code ein, den Ihre Authenticator-App anzeigt.',
    from_list: 'Geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder gilt einmal.',
    code: 'Code',
    recovery_code: 'Wiederherstellungscode',
    submit: 'Weiter',
    use_recovery_code: 'Stattdessen einen Wiederherstellungscode verwenden',
    use_app: 'Stattdessen die Authenticator-App verwenden',
    code_wrong:
      'Dieser Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten Code der App und versuchen Sie es noch einmal.',
    code_missing: 'Geben Sie die sechs Ziffern des Codes ein.',
    recovery_wrong: 'Das ist keiner Ihrer unbenutzten Wiederherstellungscodes. Prüfen Sie ihn oder nehmen Sie einen anderen.',
    recovery_missing: 'Geben Sie einen Wiederherstellungscode ein.',
    locked: (wait_seconds: number | null) => `Der zweite Schritt ist für dieses Konto zu oft gescheitert. ${tryAgain(wait_seconds)}`,
    ended: 'Der zweite Schritt ist fünfmal gescheitert, deshalb ist diese Anmeldung beendet. Melden Sie sich noch einmal an.',
    passkey_only: 'Bestätigen Sie mit Ihrem Passkey, dass Sie es sind.',
    passkey_help:
      'Dieser Browser kann hier keine Passkeys verwenden. Schalten Sie Skripte ein oder melden Sie sich mit einem Browser oder Gerät an, auf dem Ihr Passkey liegt.',
    passkey_failed: 'Dieser Passkey konnte nicht geprüft werden, deshalb sind Sie nicht angemeldet. Versuchen Sie es noch einmal.',
    trust: (days: number) => (days === 1 ? 'Hier einen Tag lang nicht danach fragen' : `Hier ${days} Tage lang nicht danach fragen`),
    trust_hint: 'Nur auf einem Gerät, das niemand sonst benutzt.',
    nothing_left: (help: Html) => html`Sie haben nichts davon zur Hand? Wenden Sie sich an ${help}.`,
  },

  enrolment: {
    code_title: 'Sehen Sie in Ihr Postfach',
    code_sent: (email: Html) =>
      html`Ihr Konto braucht einen zweiten Schritt. Bevor Sie ihn einrichten, geben Sie den Code ein, den wir an ${email} gesendet haben.`,
    wrong: 'Dieser Code stimmt nicht oder ist abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.',
    totp_title: 'Authenticator-App einrichten',
    totp_why: 'Sie zeigt einen Code an, den Sie nach Ihrem Passwort eingeben. Scannen Sie dieses Bild mit der App.',
    qr: 'QR-Code für die Authenticator-App',
    open_app: 'Auf diesem Gerät: App öffnen',
    or_type: 'Oder geben Sie diesen Schlüssel in der App ein:',
    passkey_title: 'Passkey einrichten',
    passkey_why:
      'Ihr Konto braucht einen Passkey. Damit bestätigen Sie eine Anmeldung mit Fingerabdruck, Gesicht oder der Sperre Ihres Geräts.',
    passkey_help:
      'Dieser Browser kann hier keine Passkeys verwenden. Schalten Sie Skripte ein oder beginnen Sie die Anmeldung noch einmal mit einem Browser oder Gerät, das Passkeys verwenden kann.',
    use_passkey: 'Stattdessen einen Passkey einrichten',
    again: 'Anmeldung noch einmal beginnen',
    recovery_title: 'Bewahren Sie Ihre Wiederherstellungscodes auf',
    recovery_why: 'Ohne Ihre App melden Sie sich mit jedem dieser Codes einmal an. Bewahren Sie sie an einem sicheren Ort auf.',
    recovery_once: 'Sie werden angezeigt, bis Sie weitergehen, und höchstens 10 Minuten lang.',
    recovery_heading: (brand: string) => `Wiederherstellungscodes von ${brand}. Jeder gilt einmal.`,
    recovery_file: 'wiederherstellungscodes.txt',
    copy: 'Kopieren',
    copied: 'Die Codes sind kopiert.',
    not_copied: 'Dieser Browser erlaubt es nicht. Markieren Sie die Codes und kopieren Sie sie.',
    download: 'Herunterladen',
    print: 'Drucken',
    recovery_saved: 'Ich habe sie aufbewahrt',
  },

  sign_up: {
    title: 'Konto anlegen',
    submit: 'Konto anlegen',
    password_rule: (min_length: number, reject_common: boolean) =>
      `Mindestens ${min_length} Zeichen${reject_common ? ', kein gängiges Passwort und nicht aus Ihrem oder unserem Namen gebildet' : ''}. Einige Wörter hintereinander sind in Ordnung.`,
    email_missing: 'Geben Sie Ihre Adresse ein.',
    email_malformed: 'Geben Sie die ganze Adresse ein, zum Beispiel name@example.com.',
    email_outside: 'Mit Adressen dieser Domain ist hier keine Registrierung möglich. Nehmen Sie eine andere Adresse.',
    email_taken: 'Mit dieser Adresse können Sie kein Konto anlegen. Melden Sie sich an oder nehmen Sie eine andere.',
    name_missing: 'Geben Sie Ihren Namen ein.',
    name_not_allowed: (longest: number) => `Nehmen Sie höchstens ${longest} Zeichen, ohne Zeilenumbrüche und unsichtbare Zeichen.`,
    password_missing: 'Wählen Sie ein Passwort.',
    password_too_short: (min_length: number) => `Dieses Passwort ist zu kurz. Nehmen Sie mindestens ${min_length} Zeichen.`,
    password_too_long: 'Dieses Passwort ist zu lang. Nehmen Sie ein kürzeres.',
    password_common:
      'Dieses Passwort ist leicht zu erraten: Viele verwenden es, oder es ist aus Ihrem Namen, Ihrer Adresse oder unserem Namen gebildet. Wählen Sie ein anderes.',
    have_account: 'Haben Sie schon ein Konto?',
    sign_in: 'Anmelden',
  },

  waiting: {
    other_account: 'Anderes Konto verwenden',
    waiting: {
      title: 'Ihr Konto wartet auf die Freigabe',
      text: (brand: string, day: Html) =>
        html`${brand} sieht sich neue Konten an, bevor sie benutzt werden. Sie bekommen eine Mail, wenn Ihres freigegeben oder abgelehnt ist. Entscheidet niemand, wird es am ${day} gelöscht.`,
    },
    refused: {
      title: 'Ihr Konto wurde nicht freigegeben',
      text: (brand: string, day: Html) =>
        html`${brand} hat Ihr Konto nicht freigegeben, deshalb können Sie es nicht benutzen. Es wird am ${day} gelöscht.`,
    },
  },

  restore: {
    title: 'Konto wiederherstellen?',
    text: (at: Html) => html`Ihr Konto ist geschlossen und wird am ${at} gelöscht. Bis dahin können Sie es zurückhaben.`,
    submit: 'Konto wiederherstellen',
    leave: 'Geschlossen lassen',
  },

  ways_in: { password: 'Passwort', email_code: 'Code per Mail', passkey: 'Passkey' },

  code: {
    title: 'Code eingeben',
    sent: (email: Html) =>
      html`Wenn ${email} hier verwendet werden kann, ist eine Mail mit einem sechsstelligen Code unterwegs. Der Code gilt 10 Minuten und nur in diesem Browser.`,
    label: 'Code',
    submit: 'Weiter',
    wrong:
      'Dieser Code gilt nicht. Vielleicht ist er vertippt, schon benutzt, älter als 10 Minuten oder zu oft versucht. Prüfen Sie ihn oder senden Sie einen neuen.',
    resend: 'Neuen Code senden',
    kept: (open: Html) => html`Test behält Mails und sendet keine: ${open}.`,
    open_inbox: 'Posteingang öffnen',
    resend_note: 'Keine Mail? Sehen Sie im Spam-Ordner nach. Nach 30 Sekunden können Sie einen neuen Code senden.',
    use_password: 'Passwort verwenden',
    other_address: 'Andere Adresse verwenden',
  },

  reset: {
    forgot_title: 'Passwort vergessen?',
    forgot_text: 'Geben Sie Ihre E-Mail-Adresse ein. Sie erhalten einen Link, mit dem Sie ein neues Passwort wählen.',
    submit: 'Link senden',
    sent_title: 'Sehen Sie in Ihr Postfach',
    sent: (email: Html) => html`Wenn es für ${email} ein Konto gibt, ist eine Mail mit einem Link unterwegs. Der Link gilt eine Stunde.`,
    back: 'Zurück zur Anmeldung',
    new_title: 'Neues Passwort wählen',
    new_text: (email: Html) => html`Für das Konto ${email}. Alle Geräte werden abgemeldet.`,
    new_submit: 'Passwort speichern',
    done_title: 'Ihr Passwort ist geändert',
    done: 'Alle Geräte wurden abgemeldet. Melden Sie sich mit dem neuen Passwort in der App an, die Sie verwenden möchten.',
  },

  link: {
    sign_up_title: 'Konto anlegen?',
    sign_up: (email: Html, brand: string) =>
      html`Bei ${brand} soll ein Konto mit der Adresse ${email} angelegt werden. Bestätigen Sie es nur, wenn Sie das veranlasst haben.`,
    created_title: 'Ihr Konto wurde angelegt',
    created: (email: Html) =>
      html`Das Konto ${email} wurde angelegt. Melden Sie sich damit an. Wird Ihr Passwort nicht angenommen, so wählen Sie ein neues.`,
    verify_title: 'Adresse bestätigen',
    verify: (email: Html, brand: string) => html`Bestätigen Sie, dass ${email} Ihre Adresse bei ${brand} ist.`,
    reset_title: 'Neues Passwort wählen',
    reset: (email: Html, brand: string) => html`Weiter, um ein neues Passwort für ${email} bei ${brand} zu wählen.`,
    confirm: 'Bestätigen',
    verify_submit: 'Bestätigen',
    continue: 'Weiter',
    change_title: 'Neue E-Mail-Adresse bestätigen',
    change: (email: Html, brand: string) => html`Bestätigen Sie, dass ${email} die Adresse Ihres Kontos bei ${brand} wird.`,
    notice_title: 'E-Mail-Adresse ändern?',
    notice: (email: Html, new_email: Html, brand: string) =>
      html`Ihr Konto ${email} bei ${brand} soll die Adresse ${new_email} bekommen. Bestätigen Sie es nur, wenn Sie das veranlasst haben.`,
    keep: 'Alte Adresse behalten',
    outcomes: {
      waits: {
        title: 'Eine Bestätigung fehlt noch',
        text: (email: Html) =>
          html`Sie haben die Änderung zu ${email} bestätigt. Sie gilt, sobald auch die andere Adresse sie bestätigt hat. Sie können diese Seite schließen.`,
      },
      changed: {
        title: 'Ihre Adresse wurde geändert',
        text: (email: Html) =>
          html`Die Adresse Ihres Kontos ist jetzt ${email}. Alle anderen Geräte wurden abgemeldet. Sie können diese Seite schließen.`,
      },
      cancelled: {
        title: 'Ihre Adresse bleibt',
        text: (email: Html) =>
          html`Die Adresse Ihres Kontos ist weiterhin ${email}. Wenn Sie die Änderung nicht veranlasst haben, wählen Sie ein neues Passwort.`,
      },
    },
    verified_title: 'Ihre Adresse ist bestätigt',
    verified: (email: Html) => html`${email} ist bestätigt. Sie können diese Seite schließen.`,
  },

  passkey: {
    use: 'Passkey verwenden',
    not_used: 'Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal oder melden Sie sich anders an.',
    failed:
      'Dieser Passkey konnte nicht geprüft werden, deshalb sind Sie nicht angemeldet. Versuchen Sie es noch einmal oder melden Sie sich anders an.',
    unknown: 'Dieser Passkey gehört zu keinem Konto hier. Verwenden Sie einen anderen oder melden Sie sich anders an.',
    automatic_title: 'Einen Moment',
    automatic: 'Ihr Browser erzeugt jetzt vielleicht einen Passkey, damit die nächste Anmeldung schneller geht.',
    offer_title: 'Nächstes Mal schneller anmelden',
    offer: (brand: string) =>
      `Mit einem Passkey melden Sie sich bei ${brand} mit Fingerabdruck, Gesicht oder der Sperre Ihres Geräts an. Sie müssen sich nichts merken, und niemand kann Sie dazu verleiten, ihn preiszugeben.`,
    add: 'Passkey hinzufügen',
    not_now: 'Jetzt nicht',
    not_added: 'Es wurde kein Passkey hinzugefügt. Versuchen Sie es noch einmal.',
    known: 'Auf diesem Gerät gibt es schon einen Passkey für Ihr Konto.',
    expired: 'Diese Seite war zu lange offen, deshalb wurde kein Passkey hinzugefügt. Versuchen Sie es noch einmal.',
    refused: 'Dieser Passkey lässt sich hier nicht verwenden und wurde deshalb nicht hinzugefügt. Versuchen Sie ein anderes Gerät.',
    too_many: 'Ihr Konto hat schon so viele Passkeys, wie möglich sind. Entfernen Sie zuerst einen.',
    limited:
      'Ihr Konto wurde in einer Stunde zehnmal geändert, deshalb wurde kein Passkey hinzugefügt. Versuchen Sie es in einer Stunde noch einmal.',
  },

  provider: {
    title: (provider: string) => `Die Anmeldung mit ${provider} hat nicht geklappt`,
    unreachable: (provider: string) =>
      `${provider} ist gerade nicht erreichbar, oder die Antwort ist nicht brauchbar. Versuchen Sie es gleich noch einmal oder melden Sie sich anders an.`,
    lost: (provider: string) => `Die Anmeldung mit ${provider} hat zu lange gedauert. Beginnen Sie noch einmal.`,
    no_email: (provider: string) =>
      `Sie haben Ihre Adresse nicht freigegeben. Erlauben Sie ${provider}, sie zu teilen, oder melden Sie sich anders an.`,
    account_exists: (provider: string, email: Html) =>
      html`Es gibt ein Konto für ${email}, das nicht mit ${provider} verbunden ist. Melden Sie sich so an wie bisher.`,
    domain_refused: (_: string, email: Html) =>
      html`Es gibt kein Konto für ${email}, und mit Adressen dieser Domain ist hier keine Registrierung möglich.`,
    sign_up_closed: (_: string, email: Html) => html`Es gibt kein Konto für ${email}, und hier können keine neuen Konten angelegt werden.`,
    not_connected: (provider: string, email: Html) =>
      html`${provider} hat nicht bestätigt, dass ${email} Ihre Adresse ist, und kann Sie damit nicht anmelden. Wenn Sie hier ein Konto haben, melden Sie sich anders an.`,
    blocked: () => 'Dieses Konto kann sich nicht anmelden. Bitten Sie den Betreiber dieses Dienstes um Hilfe.',
    back: 'Zurück zur Anmeldung',
    connect_title: (provider: string) => `${provider} ist nicht verbunden`,
    connect_unreachable: (provider: string) =>
      `${provider} ist gerade nicht erreichbar, oder die Antwort ist nicht brauchbar. Ihr Konto ist unverändert. Versuchen Sie es gleich noch einmal.`,
    connect_refused: (provider: string) => `Sie haben es bei ${provider} nicht erlaubt, deshalb ist Ihr Konto unverändert.`,
    connect_taken: (provider: string) =>
      `Das Konto, das Sie bei ${provider} gewählt haben, ist mit einem anderen Konto hier verbunden. Trennen Sie es dort, oder wählen Sie ein anderes.`,
  },

  invitation: {
    title: (tenant: string) => `${tenant} beitreten`,
    invited_by: (inviter: Html, tenant: string, role: string) => html`${inviter} lädt Sie zu ${tenant} ein, mit der Rolle ${role}.`,
    invited: (tenant: string, role: string) => `Sie sind zu ${tenant} eingeladen, mit der Rolle ${role}.`,
    roles: { viewer: 'Betrachter', developer: 'Entwickler', admin: 'Administrator', owner: 'Inhaber' },
    new_account: 'Legen Sie ein Konto an, um anzunehmen, oder melden Sie sich mit Ihrem Konto an.',
    signed_in_as: 'Sie sind angemeldet als:',
    accept: 'Einladung annehmen',
    changed: 'Die Einladung hat sich geändert und wurde deshalb nicht angenommen. Lesen Sie sie noch einmal und entscheiden Sie dann.',
    accepted: (tenant: string) => `Sie sind jetzt Mitglied von ${tenant}`,
    accepted_text: (role: string) => `Ihre Rolle ist ${role}. Die Projekte des Mandanten sind im Dashboard.`,
    dashboard: 'Dashboard öffnen',
    member: (tenant: string) => `Sie sind schon Mitglied von ${tenant}`,
    member_text: (role: string) => `Ihre Rolle bleibt ${role}. Die Einladung bleibt offen für die Person, für die sie gedacht ist.`,
  },

  profile: {
    title: 'Wie heißen Sie?',
    why: (application: string) => `${application} und andere Apps, bei denen Sie sich anmelden, können den Namen anzeigen.`,
    save: 'Weiter',
  },

  consent: {
    title: (application: string) => `${application} erlauben?`,
    question: (application: string, brand: string) => `Darf ${application} Ihr Konto bei ${brand} verwenden?`,
    not_you: 'Nicht Sie?',
    will_be_able: (application: string) => `${application} kann dann`,
    openid: 'Sie wiedererkennen, wenn Sie zurückkommen',
    openid_detail: 'Mit einer Kennung für Ihr Konto',
    profile: 'Ihren Namen und Ihr Bild sehen',
    picture: 'Ihr Bild',
    language: 'Sprache',
    time_zone: 'Zeitzone',
    list: (parts: string[]) => new Intl.ListFormat('de-DE').format(parts),
    email: 'Ihre E-Mail-Adresse sehen',
    phone: 'Ihre Telefonnummer sehen',
    nothing_yet: 'Noch nichts. Die App sieht, was Sie später hinzufügen.',
    use_api: (resource_server: string) => `${resource_server} verwenden`,
    use_api_detail: 'In Ihrem Namen',
    offline_access: 'Diesen Zugriff behalten, während Sie nicht da sind',
    offline_access_detail: 'Bis Sie oder die App ihn beenden',
    lands_on_host: (host: Html, brand: string) =>
      html`Ihr Passwort sieht sie nie. Danach kommen Sie zu ${host}, das nicht zu ${brand} gehört.`,
    lands_on_device: (application: Html) =>
      html`Ihr Passwort sieht sie nie. Danach kommen Sie zurück zu ${application}, der App auf diesem Gerät.`,
    own_name: (name: Html, host: Html) => html`${name} nennt sich dieses Programm selbst. Seine Adresse ist ${host}.`,
    address_unchecked: (brand: string) => `${brand} hat sie nicht geprüft.`,
    address_approved: (brand: string) => `${brand} hat diese Adresse freigegeben.`,
    answer_on_device: (name: Html) =>
      html`Die Antwort geht an ein Programm auf diesem Gerät. Jedes Programm hier kann diesen Namen verwenden: Machen Sie nur weiter, wenn Sie ${name} gerade selbst gestartet haben.`,
    answer_to: (host: Html) => html`Die Antwort geht an ${host}.`,
    other_address: 'Das ist nicht die Adresse des Programms.',
    removable: (account: Html) => html`Sie können das jederzeit in ${account} beenden.`,
    your_account: 'Ihrem Konto',
    for_organization: (application: string, organization: Html) => html`${application} möchte für Sie in ${organization} handeln.`,
    not_given: (application: string) => `Das dürfen Sie zurzeit nicht. Wenn Sie es später dürfen, kann ${application} es auch.`,
    allow: 'Erlauben',
    deny: 'Nicht erlauben',
  },

  organization_invitation: {
    title: (organization: string) => `${organization} beitreten`,
    invited_by: (inviter: Html, organization: string) => html`${inviter} lädt Sie zu ${organization} ein.`,
    invited: (organization: string) => `Sie sind zu ${organization} eingeladen.`,
    roles: (names: string) => `Ihre Rollen dort: ${names}.`,
    code_proves: (email: Html) =>
      html`Dieses Konto hat ${email}, die Adresse der Einladung, nicht bestätigt. Nach „Annehmen“ geben Sie einen Code ein, der dorthin geschickt wird.`,
    code_makes_account: (email: Html) =>
      html`Nach „Annehmen“ geben Sie einen Code ein, der an ${email} geschickt wird. Hat kein Konto diese Adresse, dann entsteht eines.`,
    accept: 'Annehmen',
    accept_new: 'Konto anlegen und annehmen',
    decline: 'Ablehnen',
    other_way: 'Anders anmelden, oder mit einem anderen Konto',
    changed: 'Die Einladung hat sich geändert, deshalb ist nichts geschehen. Lesen Sie sie noch einmal und entscheiden Sie dann.',
    full: 'Für eine weitere Mitgliedschaft ist kein Platz. Fragen Sie die Person, die Sie eingeladen hat.',
    member: (organization: string) => `Sie sind schon Mitglied von ${organization}`,
    member_text: 'Ihre Rollen bleiben, wie sie sind. Die Einladung bleibt offen für die Person, für die sie gedacht ist.',
    declined: 'Sie haben die Einladung abgelehnt',
    declined_text: (organization: string) => `Sie sind kein Mitglied von ${organization}. Der Link geht nicht mehr.`,
    code_sent: (email: Html, organization: string) =>
      html`Eine Mail mit einem Code aus sechs Ziffern ist unterwegs an ${email}. Mit ihm treten Sie ${organization} bei. Der Code gilt 10 Minuten, nur in diesem Browser.`,
    back: 'Zurück zur Einladung',
  },

  organization_page: {
    own: 'Ihre Rollen',
    no_roles: 'Sie haben hier keine Rollen.',
    members: 'Mitglieder',
    search: 'Name oder E-Mail-Adresse',
    find: 'Suchen',
    none_found: 'Kein Mitglied hat diesen Namen oder diese Adresse.',
    more: 'Weitere Mitglieder',
    change: 'Ändern',
    invitations: 'Einladungen',
    invite_title: 'Eine Person einladen',
    invite: 'Einladen',
    roles: 'Rollen',
    save: 'Rollen speichern',
    remove: (organization: string) => `Aus ${organization} entfernen`,
    more_than_you: 'Dieses Mitglied darf mehr als Sie, deshalb können Sie seine Rollen nicht ändern.',
    member_of: (organization: string) => `Mitglied von ${organization}`,
    back: 'Zurück zur Organisation',
    notices: {
      invite: 'Die Einladung ist unterwegs.',
      'change-roles': 'Die Rollen sind gespeichert.',
      'remove-member': 'Das Mitglied ist entfernt.',
    },
    problems: {
      changed: 'Inzwischen hat sich etwas geändert, deshalb ist nichts geschehen. Sehen Sie nach und versuchen Sie es noch einmal.',
      not_allowed: 'Sie können nur Rollen geben und nehmen, die Sie selbst haben, und nur Mitglieder ändern, die nicht mehr haben als Sie.',
      last_administrator: 'Sonst verwaltet niemand die Organisation. Geben Sie zuerst einem anderen Mitglied eine solche Rolle.',
      bad_email: 'Geben Sie eine E-Mail-Adresse ein.',
      limit: 'Heute gibt es zu viele Einladungen, oder zu viele warten. Versuchen Sie es später noch einmal.',
      too_many_mails: 'Diese Adresse hat heute zu viele Mails bekommen. Versuchen Sie es morgen noch einmal.',
      too_many_roles: 'Ein Mitglied kann höchstens 20 Rollen haben.',
    },
  },

  no_access: {
    title: (application: string) => `Sie haben keinen Zugang zu ${application}`,
    text: (application: Html) =>
      html`Sie sind angemeldet, aber Ihr Konto darf ${application} nicht verwenden. Bitten Sie die Verantwortlichen um Zugang.`,
    not_a_member: (application: Html) =>
      html`Sie sind angemeldet, aber Ihr Konto ist kein Mitglied der Organisation, die ${application} braucht. Bitten Sie die Verantwortlichen, Sie aufzunehmen.`,
    other_organization: 'Andere Organisation wählen',
    other_account: 'Anderes Konto verwenden',
    back: (application: string) => `Zurück zu ${application}`,
  },

  press: {
    title: (application: string) => `Weiter zu ${application}?`,
    question: (who: string, application: string) => `Als ${who} weiter zu ${application}?`,
    why: (application: Html) =>
      html`Eine App, die sich ${application} nennt, möchte Sie anmelden. Fahren Sie nur fort, wenn Sie das gerade dort begonnen haben.`,
    go_on: 'Weiter',
    cancel: 'Abbrechen',
  },

  select_organization: {
    title: 'Organisation wählen',
    to_continue: (application: string) => `um mit ${application} fortzufahren`,
    search: 'Suche',
    find: 'Suchen',
    none_found: 'Keine Ihrer Organisationen hat diese Wörter im Namen.',
    more: 'Weitere zeigen',
    none: 'Ohne Organisation fortfahren',
  },

  account_chooser: {
    title: 'Konto wählen',
    to_continue: (application: string) => `um mit ${application} fortzufahren`,
    another: 'Anderes Konto',
    remove: 'Entfernen',
    of_account: (email: string) => `: ${email}`,
    remove_note: 'Ein entferntes Konto ist in diesem Browser abgemeldet.',
  },

  sign_out: {
    title: (brand: string) => `Von ${brand} abmelden?`,
    signed_in_as: 'Sie sind angemeldet als:',
    asked_by: (application: string) => `${application} möchte Sie abmelden.`,
    sign_out: 'Abmelden',
    stay: 'Angemeldet bleiben',
    signed_out: 'Sie sind abgemeldet',
    signed_out_detail: (brand: string) =>
      `Sie haben ${brand} in diesem Browser verlassen. Apps können Sie noch eine Weile angemeldet lassen.`,
    stayed: 'Sie sind noch angemeldet',
    stayed_detail: 'Nichts hat sich geändert. Sie können diese Seite schließen.',
    back: (application: string | null) => (application === null ? 'Zurück zur App' : `Zurück zu ${application}`),
    sign_in_again: 'Wieder anmelden',
    close_page: 'Sie können diese Seite schließen. Um sich wieder anzumelden, öffnen Sie die App, die Sie verwenden möchten.',
    send_client:
      'Für Entwickler, nur in Test zu sehen: Senden Sie id_token_hint oder client_id mit einer registrierten post_logout_redirect_uri, dann führt diese Seite zurück zu Ihrer App.',
    no_return: (application: string | null, why: NoReturn) => {
      const whys: Record<NoReturn, string> = {
        no_client: 'Die Anfrage sagt nicht, von welcher App sie kommt.',
        invalid_hint: 'Die App nannte sich mit einem Token (id_token_hint), das hier nicht gilt.',
        hint_elsewhere: 'Die App nannte sich mit einem Token (id_token_hint) einer anderen Umgebung.',
        unknown_client: 'Die App, die in der Anfrage steht, ist hier nicht bekannt.',
        other_client: 'Die Anfrage nennt zwei verschiedene Apps.',
        disabled_client: 'Sie ist abgeschaltet.',
        unregistered: 'Die gesendete Rückkehradresse ist nicht registriert.',
      }
      return `Diese Seite kann Sie nicht ${application === null ? 'zur App' : `zu ${application}`} zurückbringen: ${whys[why]}`
    },
  },

  message: {
    unknown_app: {
      title: 'Diese Anmeldung kann nicht weitergehen',
      text: (brand: string) =>
        `Die App, aus der Sie kommen, ist ${brand} nicht bekannt. Sie wurden nicht angemeldet, und nichts wurde geteilt.`,
    },
    app_disabled: {
      title: 'Diese App ist ausgeschaltet',
      text: (brand: string) =>
        `Die App, aus der Sie kommen, kann gerade nicht mit ${brand} verwendet werden. Sie wurden nicht angemeldet, und nichts wurde geteilt. Fragen Sie die Betreiber der App.`,
    },
    metadata_client_unlisted: {
      title: 'Dieses Programm darf sich nicht verbinden',
      text: (brand: string) =>
        `${brand} hat das Programm, das Sie hierher geschickt hat, nicht freigegeben. Sie wurden nicht angemeldet, und nichts wurde geteilt. Fragen Sie die Betreiber von ${brand}.`,
    },
    metadata_client_unavailable: {
      title: 'Dieses Programm lässt sich nicht prüfen',
      text: (brand: string) =>
        `Das Programm, das Sie hierher geschickt hat, veröffentlicht ein Dokument über sich, das ${brand} gerade nicht lesen kann. Sie wurden nicht angemeldet, und nichts wurde geteilt. Versuchen Sie es in einer Minute noch einmal.`,
    },
    metadata_client_invalid: {
      title: 'Dieses Programm lässt sich nicht prüfen',
      text: (brand: string) =>
        `Das Programm, das Sie hierher geschickt hat, veröffentlicht ein Dokument über sich, das ${brand} nicht verwenden kann. Sie wurden nicht angemeldet, und nichts wurde geteilt. Fragen Sie die Hersteller des Programms.`,
    },
    metadata_client_busy: {
      title: 'Bitte versuchen Sie es gleich noch einmal',
      text: (brand: string) =>
        `${brand} kann gerade kein weiteres Programm verbinden. Sie wurden dort nicht angemeldet, und nichts wurde geteilt. Warten Sie eine Minute, und beginnen Sie im Programm von vorn.`,
    },
    unregistered_address: {
      title: 'Diese Anmeldung kann nicht weitergehen',
      text: (brand: string) =>
        `Die App, aus der Sie kommen, hat keine Rückkehradresse gesendet, die ${brand} kennt. Sie wurden nicht angemeldet, und nichts wurde geteilt.`,
    },
    unusable_request: {
      title: 'Diese Anmeldung kann nicht weitergehen',
      text: (brand: string) =>
        `Die App, aus der Sie kommen, hat eine Anfrage gesendet, die ${brand} nicht beantworten kann. Sie wurden nicht angemeldet, und nichts wurde geteilt.`,
    },
    unusable_sign_out: {
      title: 'Diese Abmeldung kann nicht weitergehen',
      text: (brand: string) =>
        `Die App, aus der Sie kommen, hat eine Anfrage gesendet, die ${brand} nicht beantworten kann. Niemand wurde abgemeldet.`,
    },
    session_lost: {
      title: 'Diese Anmeldung wurde unterbrochen',
      text: () =>
        'Ihr Browser hat das Cookie der Anmeldung nicht gesendet, die er begonnen hat. Cookies sind ausgeschaltet oder wurden entfernt, oder sie begann in einem anderen Browser.',
    },
    form_incomplete: {
      title: 'Dieses Formular ist nicht vollständig angekommen',
      text: () =>
        'Ein Teil von dem, was Ihr Browser mit diesem Formular sendet, fehlt, deshalb ist nichts geschehen. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    },
    session_ended: {
      title: 'Sie wurden abgemeldet',
      text: () =>
        'Ihre Sitzung endete, während diese Seite offen war. Es ist nichts geschehen. Machen Sie weiter und melden Sie sich wieder an.',
    },
    callback_over: {
      title: 'Diese Anmeldung ist vorbei',
      text: () =>
        'Die Seite, die von einem Anbieter zurückführt, öffnet sich einmal und innerhalb von zehn Minuten. Vielleicht sind Sie schon angemeldet.',
    },
    answer_lost: {
      title: 'Unsere Antwort auf dieses Formular ging verloren',
      text: () =>
        'Ihr Browser hat das Formular schon gesendet, und unsere Antwort kam nicht an. Was Sie wollten, ist vielleicht geschehen. Sehen Sie nach, bevor Sie es noch einmal senden.',
    },
    codes_gone: {
      title: 'Diese Wiederherstellungscodes werden nicht noch einmal gezeigt',
      text: () =>
        'Sie haben sie bestätigt, oder sie sind älter als 10 Minuten oder in einem anderen Browser entstanden. Wenn Sie sie nicht haben, erzeugen Sie auf der Seite Ihres Kontos neue.',
    },
    no_attempt: {
      title: 'Hier gibt es keine Anmeldung, die weitergeht',
      text: () =>
        'Diese Seite ist ein Schritt einer Anmeldung, und ihre Adresse sagt nicht, welcher. Nichts wurde gesendet. Beginnen Sie die Anmeldung von vorn.',
    },
    invitation_unknown: {
      title: 'Diese Einladung gibt es nicht',
      text: () =>
        'Die Adresse ist vielleicht unvollständig. Öffnen Sie den ganzen Link oder bitten Sie die Person, die Sie eingeladen hat, um einen neuen.',
    },
    invitation_used: {
      title: 'Diese Einladung wurde schon verwendet',
      text: () =>
        'Jede Einladung gilt einmal. Haben Sie sie angenommen, so sind Sie schon Mitglied. Wenn nicht, bitten Sie die Person, die Sie eingeladen hat, um einen neuen Link.',
    },
    invitation_expired: {
      title: 'Diese Einladung ist abgelaufen',
      text: () => 'Bitten Sie die Person, die Sie eingeladen hat, um einen neuen Link.',
    },
    invitation_replaced: {
      title: 'Es gibt eine neuere Einladung',
      text: () =>
        'Ein neuerer Link hat diesen ersetzt. Öffnen Sie den neuesten Link, den Sie bekommen haben, oder bitten Sie die Person, die Sie eingeladen hat, um einen weiteren.',
    },
    invitation_withdrawn: {
      title: 'Diese Einladung wurde zurückgezogen',
      text: () =>
        'Sie gilt nicht mehr. Wenn Sie noch beitreten möchten, bitten Sie die Person, die Sie eingeladen hat, um einen neuen Link.',
    },
    invitation_ended: {
      title: 'Diese Einladung gilt nicht mehr',
      text: () =>
        'Sie wurde verwendet, ersetzt oder zurückgezogen, oder sie ist abgelaufen. Bitten Sie die Person, die Sie eingeladen hat, um einen neuen Link.',
    },
    link_ended: {
      title: 'Dieser Link gilt nicht mehr',
      text: () =>
        'Er wurde benutzt, ersetzt oder ist abgelaufen, oder seine Adresse ist unvollständig. Fordern Sie dort einen neuen an, wo Sie diesen erhalten haben.',
    },
    not_found: {
      title: 'Hier gibt es keine Seite',
      text: () => 'Die Adresse ist vielleicht falsch geschrieben, oder die Seite ist umgezogen.',
    },
    form_only: {
      title: 'Diese Seite kann nicht allein geöffnet werden',
      text: () => 'Sie ist ein Schritt der An- oder Abmeldung und geht nur von der Seite davor aus. Nichts wurde gesendet.',
    },
    for_programs: {
      title: 'Diese Adresse ist für Programme',
      text: () => 'Sie beantwortet Aufrufe der API. Ein Browser allein kann sie nicht verwenden.',
    },
    trouble: {
      title: 'Bei uns ist etwas schiefgegangen',
      text: () => 'Es lag nicht an Ihnen. Bitte versuchen Sie es gleich noch einmal.',
    },
    unavailable: {
      title: 'Dieser Dienst ist gerade nicht verfügbar',
      text: (brand: string) =>
        `Sie können sich im Moment nicht bei ${brand} anmelden. Bitte versuchen Sie es in einigen Minuten noch einmal.`,
    },
    account: 'Zu Ihrem Konto',
    continue: 'Weiter',
    home: 'Startseite',
    help: 'Hilfe holen',
    start_again: (also: boolean) => `Sie können ${also ? 'auch ' : ''}diese Seite schließen und in der App noch einmal beginnen.`,
    reference: 'Referenz',
    error: 'Fehler',
    what_it_means: 'was er bedeutet',
    reason: 'Grund',
    test_only: 'In Live',
    test_only_detail: 'Dort sehen Menschen einen Satz und die Referenz. Den Grund zeigt nur Test.',
  },

  start: {
    title: 'Hier läuft ein Dienst für Identitäten',
    text: 'Anwendungen melden Menschen über Ostiary mit OpenID Connect an, und Programme verwalten ihn über seine API.',
    for_people: 'Möchten Sie sich anmelden? Öffnen Sie die App, die Sie verwenden möchten. Sie bringt Sie auf die richtige Seite.',
    links: {
      demo: {
        name: 'Demo',
        detail: 'Melden Sie sich bei der Demo-Anwendung an, und sehen Sie im Dashboard jeden Schritt und jedes Token.',
      },
      protected_resource: {
        name: 'Anmeldung von Administratoren',
        detail: 'Wo ein Programm das Token eines Administrators bekommt, als Metadaten (RFC 9728).',
      },
      dashboard: { name: 'Dashboard', detail: 'Hier verwalten Administratoren Projekte, Schlüssel und Benutzer.' },
      documentation: { name: 'Dokumentation', detail: 'Erste Schritte, Anleitungen, Begriffe und Betrieb, auf Englisch.' },
      reference: { name: 'API-Referenz', detail: 'Jede Operation mit ihren Feldern, Fehlern und einem Beispiel.' },
      openapi: { name: 'OpenAPI-Dokument', detail: 'Dasselbe für Programme und Generatoren (OpenAPI 3.1).' },
      errors: { name: 'Fehler', detail: 'Was jeder Fehlercode bedeutet und was dagegen zu tun ist.' },
      health: { name: 'Zustand', detail: 'Antwortet, solange der Prozess läuft.' },
      ready: { name: 'Bereitschaft', detail: 'Antwortet, solange die Datenbank erreichbar ist.' },
    },
  },

  form_post: {
    title: 'Einen Moment',
    text: (application: string | null) =>
      `Sie sind auf dem Weg zurück zu ${application ?? 'Ihrer App'}. Wenn nichts geschieht, drücken Sie Weiter.`,
    submit: 'Weiter',
  },

  account,
  dashboard,
  mismatch,
}

function tryAgain(wait_seconds: number | null): string {
  if (wait_seconds === null) return 'Warten Sie einige Minuten und versuchen Sie es dann noch einmal.'
  const minutes = Math.ceil(wait_seconds / 60)
  return minutes <= 1
    ? 'Warten Sie eine Minute und versuchen Sie es dann noch einmal.'
    : `Warten Sie ${minutes} Minuten und versuchen Sie es dann noch einmal.`
}

// pure
/** The texts of the account page in German. */
import type { DeviceName } from '../../base/device-name.ts'
import { type Html, html } from '../../base/html.ts'
import { type AppGains, type account as en, languageName } from './en-account.ts'

const list = (parts: readonly string[]) => new Intl.ListFormat('de-DE').format(parts)

export const account: typeof en = {
  date_locale: 'de-DE',
  title: 'Ihr Konto',
  sections: 'Abschnitte',
  sign_out: 'Abmelden',
  other_account: 'Anderes Konto verwenden',
  change: 'Ändern',
  remove: 'Entfernen',
  save: 'Speichern',
  back: 'Zurück zu Ihrem Konto',
  not_set: 'Keine Angabe',

  notices: {
    'change-name': 'Ihr Profil wurde geändert.',
    'change-email': 'Ihre E-Mail-Adresse wurde geändert. Alle anderen Geräte wurden abgemeldet.',
    'keep-email': 'Ihre E-Mail-Adresse bleibt, wie sie ist.',
    'confirm-email': 'Ihre E-Mail-Adresse ist bestätigt.',
    'change-password': 'Ihr Passwort wurde geändert. Alle anderen Geräte wurden abgemeldet.',
    'add-provider': 'Das Konto wurde verbunden. Sie können sich ab jetzt damit anmelden.',
    'remove-provider': 'Der Anmeldeweg wurde entfernt.',
    'add-passkey': 'Der Passkey wurde hinzugefügt.',
    'remove-passkey': 'Der Passkey wurde entfernt. Löschen Sie ihn auch in Ihrem Passwortmanager.',
    'add-totp': 'Die Authenticator-App wurde hinzugefügt.',
    'remove-totp': 'Die Authenticator-App wurde entfernt.',
    'new-recovery-codes': 'Sie haben neue Wiederherstellungscodes. Die alten gelten nicht mehr.',
    'end-session': 'Das Gerät wurde abgemeldet.',
    'end-other-sessions': 'Alle anderen Geräte wurden abgemeldet.',
    'remove-trusted-browser': 'Der Browser wurde entfernt. Er verlangt den zweiten Schritt wieder.',
    disconnect: 'Die App wurde entfernt. Sie kann Ihr Konto nicht mehr verwenden.',
    'accept-invitation': 'Sie sind jetzt Mitglied.',
    'decline-invitation': 'Sie haben die Einladung abgelehnt.',
    'leave-organization': 'Sie haben die Organisation verlassen.',
  },
  problems: {
    changed: 'In der Zwischenzeit hat sich etwas geändert, deshalb wurde nichts getan. Sehen Sie nach und versuchen Sie es noch einmal.',
    same_address: 'Diese Adresse hat Ihr Konto schon.',
    wrong_mailed_code:
      'Dieser Code gilt nicht. Vielleicht ist er vertippt, schon benutzt, zu alt oder zu oft versucht. Prüfen Sie ihn oder senden Sie einen neuen.',
    wrong_code: 'Dieser Code stimmt nicht. Geben Sie den Code ein, den die App gerade anzeigt.',
    too_many_apps: 'Ihr Konto hat schon so viele Authenticator-Apps, wie es haben kann. Entfernen Sie zuerst eine.',
    too_many_changes:
      'Ihr Konto wurde in einer Stunde zehnmal geändert, deshalb wurde nichts getan. Versuchen Sie es in einer Stunde noch einmal.',
    wrong_address: 'Das ist nicht die Adresse Ihres Kontos. Es wurde nichts gelöscht.',
  },

  profile: 'Profil',
  name: 'Name',
  verified: 'Bestätigt',
  unverified: 'Nicht bestätigt',
  language_and_zone: 'Sprache und Zeitzone',
  languageName: (tag: string) => languageName('de-DE', tag),
  no_language: 'Keine Angabe',
  profile_title: 'Ihr Profil',
  fields: {
    name: 'Name',
    given_name: 'Vorname',
    family_name: 'Nachname',
    nickname: 'Spitzname',
    locale: 'Sprache',
    zoneinfo: 'Zeitzone',
  },
  zone_hint: 'Mit Region und Stadt, zum Beispiel Europe/Vienna.',
  wrong: {
    name: 'Nehmen Sie höchstens 200 Zeichen, davon mindestens ein sichtbares, ohne Zeilenumbruch.',
    given_name: 'Nehmen Sie höchstens 200 Zeichen, davon mindestens ein sichtbares, ohne Zeilenumbruch.',
    family_name: 'Nehmen Sie höchstens 200 Zeichen, davon mindestens ein sichtbares, ohne Zeilenumbruch.',
    nickname: 'Nehmen Sie höchstens 200 Zeichen, davon mindestens ein sichtbares, ohne Zeilenumbruch.',
    locale: 'Wählen Sie eine Sprache aus der Liste.',
    zoneinfo: 'Diese Zeitzone ist nicht bekannt. Schreiben Sie sie wie Europe/Vienna.',
  },

  verify: 'Bestätigen',
  continue: 'Weiter',
  to_become: (email: Html) => html`Wird zu ${email}, noch nicht bestätigt`,
  email_title: 'E-Mail-Adresse ändern',
  email_why: (email: Html, both: boolean) =>
    html`Ihre Adresse ist ${email}. Beide Adressen bekommen eine Mail. Die Änderung gilt, sobald ${both ? 'beide sie bestätigt haben' : 'die neue sie bestätigt hat'}. Dann werden alle anderen Geräte abgemeldet.`,
  new_email: 'Neue E-Mail-Adresse',
  email_submit: 'Mails senden',
  pending_title: 'Änderung bestätigen',
  pending_intro: (from: Html, to: Html, both: boolean) =>
    html`Aus Ihrer Adresse ${from} soll ${to} werden. ${both ? 'Beide müssen' : 'Die neue Adresse muss'} es innerhalb von 7 Tagen bestätigen.`,
  new_end_confirmed: (email: Html) => html`${email} hat die Änderung bestätigt.`,
  new_end_waits: (email: Html) =>
    html`Wenn ${email} hier verwendet werden kann, ist eine Mail mit einem Code und einem Link dorthin unterwegs. Geben Sie den Code hier ein oder öffnen Sie den Link.`,
  old_end_confirmed: (email: Html) => html`${email} hat die Änderung bestätigt.`,
  old_end_waits: (email: Html) =>
    html`Eine Mail mit einem Link ist an ${email} unterwegs. Öffnen Sie ihn und bestätigen Sie die Änderung dort.`,
  email_confirm: 'Code bestätigen',
  email_resend: 'Mails noch einmal senden',
  email_resend_note: 'Keine Mail? Sehen Sie im Spam-Ordner nach. Nach 30 Sekunden können Sie die Mails noch einmal senden.',
  email_cancel: 'Alte Adresse behalten',
  verify_title: 'E-Mail-Adresse bestätigen',
  verify_sent: (email: Html) =>
    html`Eine Mail mit einem Code und einem Link ist an ${email} unterwegs. Geben Sie den Code hier ein oder öffnen Sie den Link. Beide gelten 24 Stunden.`,
  verify_submit: 'Bestätigen',

  signing_in: 'Anmeldung',
  methods: {
    password: 'Passwort',
    passkey: 'Passkey',
    totp: 'Authenticator-App',
    recovery_codes: 'Wiederherstellungscodes',
    provider: 'Verbundenes Konto',
  },
  password_set: (day: Html) => html`Geändert am ${day}`,
  no_password: 'Sie haben kein Passwort.',
  set_password: 'Passwort festlegen',
  new_password: 'Neues Passwort',
  password_title: 'Passwort ändern',
  first_password_title: 'Passwort festlegen',
  password_ends: (is_mailed: boolean) =>
    `Ein neues Passwort meldet alle anderen Geräte und deren Apps ab.${is_mailed ? ' Sie bekommen eine Mail darüber.' : ''}`,
  save_password: 'Passwort speichern',
  added: (added: Html, used: Html | null) =>
    used === null ? html`Hinzugefügt am ${added}` : html`Hinzugefügt am ${added}, verwendet am ${used}`,
  codes_left: (left: number) => (left === 1 ? 'Noch 1 Code' : `Noch ${left} Codes`),
  removal_title: (method: string) => `${method} entfernen?`,
  stays: {
    last_way_in: 'Ihr einziger Anmeldeweg, deshalb bleibt er',
    last_factor: 'Ihr Konto braucht einen zweiten Schritt, deshalb bleibt er',
  },
  stays_title: (method: string) => `${method} lässt sich noch nicht entfernen`,
  stays_why: {
    last_way_in: 'Das ist der einzige Weg, sich an Ihrem Konto anzumelden.',
    last_factor: 'Ihr Konto braucht einen zweiten Schritt, und das ist der einzige.',
  },
  stays_until: 'Fügen Sie zuerst einen anderen hinzu. Dann können Sie diesen entfernen.',
  removal_ends: (method: string, ends_this: boolean) =>
    `Sie können sich dann nicht mehr mit ${method} anmelden. Alle Geräte und Apps, die so angemeldet sind, werden abgemeldet${ends_this ? ', auch dieses Gerät' : ''}.`,

  totp_removal: 'Ihre Codes gelten dann nicht mehr. Mit der letzten Authenticator-App enden auch Ihre Wiederherstellungscodes.',
  add_totp: 'Authenticator-App hinzufügen',
  new_codes: 'Neue Codes holen',
  new_codes_title: 'Neue Wiederherstellungscodes holen?',
  new_codes_end: 'Ihre bisherigen Wiederherstellungscodes gelten dann nicht mehr. Die neuen werden nur einmal angezeigt.',
  passkey_needs: 'Dieser Browser kann keinen Passkey hinzufügen. Er braucht JavaScript und muss Passkeys unterstützen.',

  connect: 'Verbinden',
  not_connected: 'Nicht verbunden',
  connect_title: (provider: string) => `${provider} verbinden`,
  connect_intro: (provider: string, email: Html, is_mailed: boolean) =>
    html`Sie melden sich bei ${provider} an und kommen hierher zurück. Danach können Sie sich auch mit ${provider} bei ${email} anmelden.${is_mailed ? ' Sie bekommen eine Mail darüber.' : ''}`,
  connect_submit: (provider: string) => `Weiter zu ${provider}`,

  second: 'Zweiter Schritt',
  second_intro: 'Wird nach dem Passwort verlangt. Ein Passkey braucht keinen.',

  devices: 'Geräte',
  devices_intro: 'Hier sind Sie angemeldet. Wenn Sie ein Gerät nicht kennen, beenden Sie es und ändern Sie Ihr Passwort.',
  device: ({ browser, system }: DeviceName) =>
    browser === null ? (system ?? 'Unbekanntes Gerät') : system === null ? browser : `${browser} auf ${system}`,
  this_device: 'Dieses Gerät',
  signed_in_at: (moment: Html) => html`angemeldet am ${moment}`,
  active_at: (moment: Html) => html`aktiv am ${moment}`,
  end: 'Beenden',
  end_others: 'Alle anderen beenden',

  trusted: 'Vertraute Browser',
  trusted_intro: 'Sie verlangen den zweiten Schritt nicht. Entfernen Sie, was Sie nicht mehr benutzen.',
  trusted_when: (used: Html, until: Html) => html`benutzt am ${used}, bis ${until}`,

  apps: 'Verbundene Apps',
  apps_intro: 'Apps, die Ihr Konto verwenden können.',
  in_organization: (application: string, organization: string) => `${application} in ${organization}`,
  gets: ({ profile, email, phone, apis, while_away }: AppGains) => {
    const seen = [
      ...(profile ? ['Ihren Namen', 'Ihr Bild'] : []),
      ...(email ? ['Ihre E-Mail-Adresse'] : []),
      ...(phone ? ['Ihre Telefonnummer'] : []),
    ]
    const can = [...(seen.length > 0 ? [`${list(seen)} sehen`] : []), ...(apis.length > 0 ? [`${list(apis)} verwenden`] : [])]
    if (can.length === 0) return while_away ? 'Kann Sie anmelden und bleibt verbunden, während Sie abwesend sind.' : 'Kann Sie anmelden.'
    return `Kann ${can.join(' und ')}${while_away ? ', auch während Sie abwesend sind' : ''}.`
  },
  since: (day: Html) => html`Seit ${day}.`,

  organizations: 'Organisationen',
  invited: 'eingeladen',
  roles: (names: string) => `Ihre Rollen: ${names}.`,
  leave: 'Verlassen',
  leave_title: (organization: string) => `${organization} verlassen?`,
  leave_text: (organization: string) =>
    `Sie verlieren, was Sie dort dürfen, und jede App verliert ihren Zugang für ${organization}. Um zurückzukommen, müssen Sie wieder eingeladen oder hinzugefügt werden.`,
  last_administrator: (organization: string) =>
    `Nur Sie verwalten ${organization}. Geben Sie zuerst einem anderen Mitglied eine solche Rolle, oder fragen Sie die Betreiber des Dienstes.`,

  data: 'Ihre Daten',
  data_intro: 'Was über Sie gespeichert ist, als Datei, und das Ende Ihres Kontos.',
  export_title: 'Daten herunterladen',
  export_detail: 'Eine JSON-Datei mit Ihrem Profil, Geräten, Anmeldewegen, Apps und dem Verlauf Ihres Kontos.',
  export: 'Herunterladen',
  delete_title: 'Konto löschen',
  delete_detail: 'Sofort und endgültig.',
  delete_detail_later: (days: number) => `Das lässt sich ${days === 1 ? 'einen Tag' : `${days} Tage`} lang rückgängig machen.`,
  delete: 'Konto löschen',
  deletion: (email: Html) => html`Damit löschen Sie das Konto ${email} sofort. Das lässt sich nicht rückgängig machen.`,
  deletion_later: (email: Html, at: Html) =>
    html`Damit schließen Sie das Konto ${email} sofort. Gelöscht wird es am ${at}. Bis dahin können Sie es wiederherstellen: Melden Sie sich wieder an.`,
  kept_later: [
    'Sofort enden Ihre Sitzungen und der Zugriff aller Apps. Niemand kann sich anmelden, ohne das Konto wiederherzustellen.',
    'Bis zur Löschung kann kein anderes Konto Ihre E-Mail-Adresse verwenden.',
  ],
  kept: [
    'Sofort gelöscht werden Ihr Profil, Ihre Anmeldewege, Ihre Sitzungen und der Zugriff aller Apps.',
    'Der Verlauf der Ereignisse behält die Kennung des Kontos 90 Tage lang, ohne Ihre Daten. Aufzeichnungen über Änderungen durch Administratoren behalten die Kennung auf Dauer.',
    'Aufzeichnungen über fehlgeschlagene Aufrufe und Mails an Sie bleiben bis zu 7 Tage.',
    'Apps, die Sie verwendet haben, können Kopien Ihrer Daten haben. Bitten Sie dort um die Löschung.',
    'Danach kann ein neues Konto Ihre E-Mail-Adresse verwenden.',
  ],
  type_address: 'Zur Bestätigung Ihre E-Mail-Adresse eingeben',
  last_owner_title: 'Ihr Konto lässt sich noch nicht löschen',
  last_owner: 'Diese Mandanten haben keinen anderen Inhaber. Machen Sie dort zuerst ein anderes Mitglied zum Inhaber.',
  members_of: (tenant: string) => `Mitglieder von ${tenant}`,
  closed_title: 'Ihr Konto ist geschlossen',
  closed: (at: Html, is_mailed: boolean) =>
    html`Es wird am ${at} gelöscht. Bis dahin können Sie es wiederherstellen: Melden Sie sich wieder an. Sie sind überall abgemeldet${is_mailed ? ', und eine Mail bestätigt es' : ''}.`,
  deleted_title: 'Ihr Konto wurde gelöscht',
  deleted: (is_mailed: boolean) =>
    `Sie sind überall abgemeldet${is_mailed ? ', und eine Mail bestätigt es' : ''}. Sie können diese Seite schließen.`,
}

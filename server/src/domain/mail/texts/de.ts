// pure
/** The texts of mails in German. */
import type { ExpiringKind } from '@ostiary/contract/expiry.ts'
import type { MethodKind } from '@ostiary/contract/sign-in-methods.ts'
import { de as pages } from '../../../pages/texts/de.ts'
import { type Device, type Envelope, type Letter, type MailTexts, type Notice, unlinked } from './notice.ts'

export const de: MailTexts = { language: 'de', test_mark: '[Test]', letterOf }

const methods: Record<MethodKind, string> = {
  password: 'Passwort',
  passkey: 'Passkey',
  totp: 'Authenticator-App',
  recovery_codes: 'Wiederherstellungscodes',
  provider: 'Verbindung mit',
}
const { roles } = pages.invitation
const by_itself =
  'Ihr Browser hat ihn nach einer Anmeldung mit Ihrem Passwort von selbst erzeugt. Auf der Seite Ihres Kontos können Sie ihn entfernen.'
const expiring: Record<ExpiringKind, string> = {
  client_secret: 'Ein Client-Secret der Anwendung',
  auth_key: 'Der Schlüssel',
  platform_key: 'Der Plattformschlüssel',
  provider_secret: 'Das Secret beim Identitätsanbieter',
  certificate: 'Das Zertifikat des Hosts',
}

function letterOf(notice: Notice, { to, brand, support_url, at }: Envelope): Letter {
  const help = support_url === null ? `wenden Sie sich an ${brand}` : `finden Sie hier Hilfe: ${support_url}`
  const not_you = `Das waren nicht Sie? Dann ${help}`
  const ignore = 'Das waren nicht Sie? Dann löschen Sie diese Mail. Ohne sie kommt niemand weiter.'
  const until = (time: Date) => `gilt einmal und bis ${formatted(time)}.`

  switch (notice.kind) {
    case 'sign_in_code':
      return {
        subject: `Ihr Anmeldecode für ${brand}`,
        lead: `ist Ihr Code für die Anmeldung bei ${brand}. Er ${until(notice.expires_at)}`,
        paragraphs: [...from(notice.device), `${ignore} Geben Sie den Code nicht weiter, auch nicht an Mitarbeiter von ${brand}.`],
      }
    case 'verify_email':
      return notice.makes_account
        ? {
            subject: `Legen Sie Ihr Konto bei ${brand} an`,
            lead: `ist Ihr Code, um bei ${brand} ein Konto mit der Adresse ${to} anzulegen. Er ${until(notice.expires_at)}`,
            action: 'Konto ohne Code anlegen',
            paragraphs: [...from(notice.device), 'Das waren nicht Sie? Dann löschen Sie diese Mail. Ohne sie entsteht kein Konto.'],
          }
        : {
            subject: `Bestätigen Sie Ihre E-Mail-Adresse für ${brand}`,
            lead: `ist Ihr Code, um ${to} für ${brand} zu bestätigen. Er ${until(notice.expires_at)}`,
            action: 'Adresse ohne Code bestätigen',
            paragraphs: [...from(notice.device), ignore],
          }
    case 'reset_password':
      return notice.is_first
        ? {
            subject: `Ihr Konto bei ${brand}`,
            lead: `Bei ${brand} gibt es ein Konto für ${to}. Wählen Sie ein Passwort und melden Sie sich damit an. Der Link ${until(notice.expires_at)}`,
            action: 'Passwort wählen',
            paragraphs: [...from(notice.device), 'Sie haben kein Konto erwartet? Dann löschen Sie diese Mail. Ohne Sie geschieht nichts.'],
          }
        : {
            subject: `Neues Passwort für ${brand}`,
            lead: `Wählen Sie ein neues Passwort für Ihr Konto ${to} bei ${brand}. Der Link ${until(notice.expires_at)}`,
            action: 'Neues Passwort wählen',
            paragraphs: [...from(notice.device), 'Das waren nicht Sie? Dann löschen Sie diese Mail. Ihr Passwort bleibt, wie es ist.'],
          }
    case 'change_email':
      return {
        subject: `Bestätigen Sie Ihre neue E-Mail-Adresse für ${brand}`,
        lead: `ist Ihr Code, um ${to} für Ihr Konto bei ${brand} zu verwenden. Er ${until(notice.expires_at)}`,
        action: 'Adresse ohne Code bestätigen',
        paragraphs: [...from(notice.device), ignore],
      }
    case 'change_email_notice':
      return {
        subject: `Die E-Mail-Adresse Ihres Kontos bei ${brand} soll sich ändern`,
        lead: `Ihr Konto ${to} bei ${brand} soll die Adresse ${unlinked(notice.new_email)} bekommen. Bestätigen Sie die Änderung oder brechen Sie sie ab. Der Link gilt bis ${formatted(notice.expires_at)}.`,
        action: 'Änderung bestätigen oder abbrechen',
        paragraphs: [...from(notice.device), 'Das waren nicht Sie? Dann brechen Sie die Änderung ab und wählen Sie ein neues Passwort.'],
      }
    case 'existing_account':
      return {
        subject: `Sie haben ein Konto bei ${brand}`,
        lead:
          notice.asked_for === 'sign_up'
            ? `Bei ${brand} gibt es schon ein Konto mit der Adresse ${to}. Deshalb wurde kein neues angelegt. Melden Sie sich damit an.`
            : notice.asked_for === 'change_email'
              ? `Ein anderes Konto bei ${brand} sollte die Adresse ${to} bekommen, die schon Ihr Konto hat. Es hat sich nichts geändert.`
              : `Ihr Konto ${to} bei ${brand} hat kein Passwort, das sich ersetzen ließe. Melden Sie sich auf andere Weise an.`,
        paragraphs: [
          ...(notice.ways.length > 0 ? [`So können Sie sich anmelden: ${notice.ways.join(', ')}.`] : []),
          ...from(notice.device),
          'Das waren nicht Sie? Dann löschen Sie diese Mail. Es hat sich nichts geändert.',
        ],
      }
    case 'sign_up_refused':
      return {
        subject: `Kein Konto bei ${brand} für diese Adresse`,
        lead: `Die Adresse ${to} wurde für ein Konto bei ${brand} eingegeben. Adressen ihrer Domain werden dort nicht angenommen, deshalb hat sich nichts geändert. Nehmen Sie eine andere Adresse.`,
        paragraphs: [...from(notice.device), 'Das waren nicht Sie? Dann löschen Sie diese Mail.'],
      }
    case 'approved':
      return {
        subject: `Ihr Konto bei ${brand} ist freigegeben`,
        lead: `Ihr Konto ${to} bei ${brand} wurde am ${formatted(at)} freigegeben. Sie können sich jetzt anmelden.`,
        paragraphs: [not_you],
      }
    case 'refused':
      return {
        subject: `Ihr Konto bei ${brand} wurde nicht freigegeben`,
        lead: `Ihr Konto ${to} bei ${brand} wurde nicht freigegeben, deshalb können Sie es nicht benutzen. Es wird am ${formatted(notice.ends_at)} gelöscht.`,
        paragraphs: [
          ...(support_url === null ? [] : [`Fragen? Hier finden Sie Hilfe: ${support_url}`]),
          'Das waren nicht Sie? Dann müssen Sie nichts tun.',
        ],
      }
    case 'password_changed':
      return {
        subject: `Ihr Passwort für ${brand} wurde geändert`,
        lead: `Das Passwort von ${to} bei ${brand} wurde am ${formatted(at)} geändert. Alle anderen Sitzungen dieses Kontos wurden beendet.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'method_added':
    case 'method_removed': {
      const what = `${methods[notice.method]}${notice.name === null ? '' : ` ${unlinked(notice.name)}`}`
      const is_added = notice.kind === 'method_added'
      return {
        subject: is_added
          ? `Neue Anmeldemethode für Ihr Konto bei ${brand}`
          : `Eine Anmeldemethode Ihres Kontos bei ${brand} wurde entfernt`,
        lead: `Am ${formatted(at)} wurde diese Anmeldemethode ${is_added ? 'zum' : 'vom'} Konto ${to} bei ${brand} ${is_added ? 'hinzugefügt' : 'entfernt'}: ${what}.`,
        paragraphs: [...('by_itself' in notice && notice.by_itself ? [by_itself] : []), ...from(notice.device), not_you],
      }
    }
    case 'recovery_code_used':
      return {
        subject: `Ein Wiederherstellungscode Ihres Kontos bei ${brand} wurde benutzt`,
        lead: `Am ${formatted(at)} wurde ein Wiederherstellungscode für die Anmeldung beim Konto ${to} bei ${brand} benutzt.`,
        paragraphs: [
          ...from(notice.device),
          notice.left === 1 ? 'Ein Wiederherstellungscode ist übrig.' : `${notice.left} Wiederherstellungscodes sind übrig.`,
          not_you,
        ],
      }
    case 'recovery_codes_made':
      return {
        subject: `Neue Wiederherstellungscodes für Ihr Konto bei ${brand}`,
        lead: `Am ${formatted(at)} wurden für das Konto ${to} bei ${brand} neue Wiederherstellungscodes erzeugt. Die früheren gelten nicht mehr.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'new_sign_in':
      return {
        subject: `Neue Anmeldung bei Ihrem Konto bei ${brand}`,
        lead: `Beim Konto ${to} bei ${brand} gab es am ${formatted(at)} eine Anmeldung mit einem Browser, der dafür noch nicht verwendet wurde.`,
        action: 'Ansehen, wo Sie angemeldet sind',
        paragraphs: [
          [
            ...(notice.application === null ? [] : [`Anwendung: ${unlinked(notice.application)}.`]),
            `Browser und System: ${notice.browser === null ? 'unbekannt' : unlinked(notice.browser)}.`,
          ].join(' '),
          `Das waren Sie? Dann müssen Sie nichts tun. Das waren nicht Sie? Dann öffnen Sie den Link, melden Sie sich mit „${pages.account.end_others}“ überall sonst ab, und ändern Sie Ihr Passwort. Oder ${help}`,
        ],
      }
    case 'data_exported':
      return {
        subject: `Die Daten Ihres Kontos bei ${brand} wurden heruntergeladen`,
        lead: `Am ${formatted(at)} wurden die Daten des Kontos ${to} bei ${brand} heruntergeladen.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'account_closed':
      return {
        subject: `Ihr Konto bei ${brand} wird gelöscht`,
        lead: `Das Konto ${to} bei ${brand} wurde am ${formatted(at)} geschlossen und wird am ${formatted(notice.deletes_at)} gelöscht. Bis dahin können Sie es wiederherstellen: Melden Sie sich an.`,
        paragraphs: [...from(notice.device), 'Sie wurden überall abgemeldet.', not_you],
      }
    case 'account_restored':
      return {
        subject: `Ihr Konto bei ${brand} wurde wiederhergestellt`,
        lead: `Das Konto ${to} bei ${brand} wurde am ${formatted(at)} wiederhergestellt und wird nicht gelöscht.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'account_deleted':
      return {
        subject: `Ihr Konto bei ${brand} wurde gelöscht`,
        lead: `Das Konto ${to} bei ${brand} wurde am ${formatted(at)} gelöscht.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'invitation':
      return {
        subject: `Einladung zu einem Mandanten von ${brand}`,
        lead: `${unlinked(notice.inviter)} lädt Sie ein, den Mandanten „${unlinked(notice.tenant_name)}“ bei ${brand} als ${roles[notice.role]} zu verwalten. Der Link gilt bis ${formatted(notice.expires_at)}.`,
        action: 'Einladung ansehen',
        paragraphs: ['Sie kennen den Mandanten nicht? Dann löschen Sie diese Mail. Ohne Sie geschieht nichts.'],
      }
    case 'organization_invitation': {
      const name = `„${unlinked(notice.organization_name)}“`
      const invites = notice.inviter === null ? `Sie sind eingeladen, ${name}` : `${unlinked(notice.inviter)} lädt Sie ein, ${name}`
      return {
        subject: `Einladung zu einer Organisation bei ${brand}`,
        lead: `${invites} bei ${brand} beizutreten. Der Link gilt bis ${formatted(notice.expires_at)}.`,
        action: 'Einladung ansehen',
        paragraphs: ['Sie kennen die Organisation nicht? Dann löschen Sie diese Mail. Ohne Sie geschieht nichts.'],
      }
    }
    case 'organization_invitation_code':
      return {
        subject: `Ihr Code für den Beitritt zu einer Organisation bei ${brand}`,
        lead: `ist Ihr Code, um „${unlinked(notice.organization_name)}“ bei ${brand} beizutreten. Er ${until(notice.expires_at)}`,
        paragraphs: [
          ...from(notice.device),
          `${ignore} Geben Sie den Code niemandem: Wer ihn eingibt, nutzt Ihre Einladung und kann ein Konto mit Ihrer Adresse bekommen.`,
        ],
      }
    case 'expiring':
      return {
        subject: `Secrets oder Schlüssel von ${unlinked(notice.tenant_name)} bei ${brand} laufen bald ab`,
        lead: `Der Mandant „${unlinked(notice.tenant_name)}“ bei ${brand} hat Secrets oder Schlüssel, die innerhalb von 30 Tagen ablaufen. Ersetzen Sie sie vorher.`,
        action: 'Dashboard öffnen',
        paragraphs: [
          ...notice.things.map(
            ({ kind, name, place, expires_at }) =>
              `${expiring[kind]} ${unlinked(name)}${place === null ? '' : ` (${unlinked(place)})`} läuft am ${formatted(expires_at)} ab.`,
          ),
          ...(notice.has_more ? ['Weitere laufen bald ab. Diese Mail nennt die, die zuerst ablaufen.'] : []),
          'Sie bekommen höchstens eine solche Mail am Tag, als Owner oder Admin. Ist etwas davon schon ersetzt? Sie müssen nichts tun.',
        ],
      }
    case 'test':
      return {
        subject: `Testmail von ${brand}`,
        lead: `Der Mailserver von ${brand} funktioniert: Er hat diese Mail am ${formatted(at)} zugestellt.`,
        paragraphs: ['Ein Administrator hat diesen Test ausgelöst. Sie müssen nichts tun.'],
      }
  }
}

function from(device: Device | null): string[] {
  const parts = [device?.name && unlinked(device.name), device?.ip].filter((part) => typeof part === 'string')
  return parts.length === 0 ? [] : [`Angefordert von: ${parts.join(', ')}.`]
}

const formatted = (at: Date) => `${at.toLocaleString('de-DE', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`

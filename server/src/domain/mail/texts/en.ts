// pure
/** The texts of mails in English. */
import type { ExpiringKind } from '@ostiary/contract/expiry.ts'
import type { MethodKind } from '@ostiary/contract/sign-in-methods.ts'
import { en as pages } from '../../../pages/texts/en.ts'
import { type Device, type Envelope, type Letter, type MailTexts, type Notice, unlinked } from './notice.ts'

export const en: MailTexts = { language: 'en', test_mark: '[Test]', letterOf }

const methods: Record<MethodKind, string> = {
  password: 'password',
  passkey: 'passkey',
  totp: 'authenticator app',
  recovery_codes: 'set of recovery codes',
  provider: 'connection to',
}
const by_itself = 'Your browser created it by itself after a sign-in with your password. You can remove it on the page of your account.'
const expiring: Record<ExpiringKind, string> = {
  client_secret: 'A client secret of the application',
  auth_key: 'The key',
  platform_key: 'The platform key',
  provider_secret: 'The secret at the identity provider',
  certificate: 'The certificate of the host',
}
const roles = { viewer: 'a viewer', developer: 'a developer', admin: 'an admin', owner: 'an owner' }

function letterOf(notice: Notice, { to, brand, support_url, at }: Envelope): Letter {
  const help = support_url === null ? `contact ${brand}` : `get help: ${support_url}`
  const not_you = `Not you? Then ${help}`
  const ignore = 'Not you? Then ignore this mail. Without it nobody can continue.'
  const until = (time: Date) => `valid until ${formatted(time)}, and once only.`

  switch (notice.kind) {
    case 'sign_in_code':
      return {
        subject: `Your sign-in code for ${brand}`,
        lead: `is your code to sign in to ${brand}. It is ${until(notice.expires_at)}`,
        paragraphs: [...from(notice.device), `${ignore} Give the code to no one, not even to people who work for ${brand}.`],
      }
    case 'verify_email':
      return notice.makes_account
        ? {
            subject: `Create your account at ${brand}`,
            lead: `is your code to create an account with the address ${to} at ${brand}. It is ${until(notice.expires_at)}`,
            action: 'Create the account instead of entering the code',
            paragraphs: [...from(notice.device), 'Not you? Then ignore this mail. Without it no account is created.'],
          }
        : {
            subject: `Verify your email address for ${brand}`,
            lead: `is your code to verify ${to} for ${brand}. It is ${until(notice.expires_at)}`,
            action: 'Verify the address instead of entering the code',
            paragraphs: [...from(notice.device), ignore],
          }
    case 'reset_password':
      return notice.is_first
        ? {
            subject: `Your account at ${brand}`,
            lead: `There is an account for ${to} at ${brand}. Choose a password, then sign in with it. The link is ${until(notice.expires_at)}`,
            action: 'Choose a password',
            paragraphs: [...from(notice.device), 'Did you expect no account? Then ignore this mail. Nothing happens without you.'],
          }
        : {
            subject: `Choose a new password for ${brand}`,
            lead: `Choose a new password for your account ${to} at ${brand}. The link is ${until(notice.expires_at)}`,
            action: 'Choose a new password',
            paragraphs: [...from(notice.device), 'Not you? Then ignore this mail. Your password stays as it is.'],
          }
    case 'change_email':
      return {
        subject: `Confirm your new email address for ${brand}`,
        lead: `is your code to use ${to} for your account at ${brand}. It is ${until(notice.expires_at)}`,
        action: 'Confirm the change instead of entering the code',
        paragraphs: [...from(notice.device), ignore],
      }
    case 'change_email_notice':
      return {
        subject: `The email address of your account at ${brand} is to change`,
        lead: `Your account ${to} at ${brand} is to get the address ${unlinked(notice.new_email)}. Confirm or cancel the change. The link is valid until ${formatted(notice.expires_at)}.`,
        action: 'Confirm or cancel the change',
        paragraphs: [...from(notice.device), `Not you? Then cancel the change and choose a new password.`],
      }
    case 'existing_account':
      return {
        subject: `You have an account at ${brand}`,
        lead:
          notice.asked_for === 'sign_up'
            ? `There is an account with the address ${to} at ${brand}, so no new one was created. Sign in to it.`
            : notice.asked_for === 'change_email'
              ? `Another account at ${brand} was to get the address ${to}, which your account has. Nothing has changed.`
              : `Your account ${to} at ${brand} has no password that could be replaced. Sign in another way.`,
        paragraphs: [
          ...(notice.ways.length > 0 ? [`You can sign in with: ${notice.ways.join(', ')}.`] : []),
          ...from(notice.device),
          'Not you? Then ignore this mail. Nothing has changed.',
        ],
      }
    case 'sign_up_refused':
      return {
        subject: `No account at ${brand} for this address`,
        lead: `The address ${to} was entered for an account at ${brand}. Addresses of its domain are not taken there, so nothing has changed. Use another address.`,
        paragraphs: [...from(notice.device), 'Not you? Then ignore this mail.'],
      }
    case 'approved':
      return {
        subject: `Your account at ${brand} is approved`,
        lead: `Your account ${to} at ${brand} was approved on ${formatted(at)}. You can sign in now.`,
        paragraphs: [not_you],
      }
    case 'refused':
      return {
        subject: `Your account at ${brand} was not approved`,
        lead: `Your account ${to} at ${brand} was not approved, so you cannot use it. It is deleted on ${formatted(notice.ends_at)}.`,
        paragraphs: [
          ...(support_url === null ? [] : [`Questions? Here is help: ${support_url}`]),
          'Not you? Then you need not do anything.',
        ],
      }
    case 'password_changed':
      return {
        subject: `Your password for ${brand} was changed`,
        lead: `The password of ${to} at ${brand} was changed on ${formatted(at)}. Every other session of this account was ended.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'method_added':
    case 'method_removed': {
      const what = `${methods[notice.method]}${notice.name === null ? '' : ` ${unlinked(notice.name)}`}`
      const was = notice.kind === 'method_added' ? 'added to' : 'removed from'
      return {
        subject: `A sign-in method was ${was} your account at ${brand}`,
        lead: `On ${formatted(at)} this sign-in method was ${was} the account ${to} at ${brand}: ${what}.`,
        paragraphs: [...('by_itself' in notice && notice.by_itself ? [by_itself] : []), ...from(notice.device), not_you],
      }
    }
    case 'recovery_code_used':
      return {
        subject: `A recovery code was used for your account at ${brand}`,
        lead: `On ${formatted(at)} a recovery code was used to sign in to the account ${to} at ${brand}.`,
        paragraphs: [
          ...from(notice.device),
          notice.left === 1 ? 'One recovery code is left.' : `${notice.left} recovery codes are left.`,
          not_you,
        ],
      }
    case 'recovery_codes_made':
      return {
        subject: `New recovery codes for your account at ${brand}`,
        lead: `On ${formatted(at)} new recovery codes were made for the account ${to} at ${brand}. The codes from before do not work any more.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'new_sign_in':
      return {
        subject: `New sign-in to your account at ${brand}`,
        lead: `The account ${to} at ${brand} was signed in to on ${formatted(at)}, from a browser that had not been used for it before.`,
        action: 'See where you are signed in',
        paragraphs: [
          [
            ...(notice.application === null ? [] : [`Application: ${unlinked(notice.application)}.`]),
            `Browser and system: ${notice.browser === null ? 'unknown' : unlinked(notice.browser)}.`,
          ].join(' '),
          `Was it you? Then you need not do anything. Not you? Then open the link, press "${pages.account.end_others}" to sign out everywhere else, and change your password. Or ${help}`,
        ],
      }
    case 'data_exported':
      return {
        subject: `The data of your account at ${brand} was downloaded`,
        lead: `On ${formatted(at)} the data of the account ${to} at ${brand} was downloaded.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'account_closed':
      return {
        subject: `Your account at ${brand} is going to be deleted`,
        lead: `The account ${to} at ${brand} was closed on ${formatted(at)}, and is deleted on ${formatted(notice.deletes_at)}. Until then you can restore it: sign in.`,
        paragraphs: [...from(notice.device), 'You were signed out everywhere.', not_you],
      }
    case 'account_restored':
      return {
        subject: `Your account at ${brand} was restored`,
        lead: `The account ${to} at ${brand} was restored on ${formatted(at)}, and is not deleted.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'account_deleted':
      return {
        subject: `Your account at ${brand} was deleted`,
        lead: `The account ${to} at ${brand} was deleted on ${formatted(at)}.`,
        paragraphs: [...from(notice.device), not_you],
      }
    case 'invitation':
      return {
        subject: `Invitation to a tenant of ${brand}`,
        lead: `${unlinked(notice.inviter)} invites you to manage the tenant "${unlinked(notice.tenant_name)}" at ${brand} as ${roles[notice.role]}. The link is valid until ${formatted(notice.expires_at)}.`,
        action: 'Look at the invitation',
        paragraphs: ['Do you not know the tenant? Then ignore this mail. Nothing happens without you.'],
      }
    case 'organization_invitation': {
      const name = `"${unlinked(notice.organization_name)}"`
      const invites =
        notice.inviter === null ? `You are invited to join ${name}` : `${unlinked(notice.inviter)} invites you to join ${name}`
      return {
        subject: `Invitation to an organization at ${brand}`,
        lead: `${invites} at ${brand}. The link is valid until ${formatted(notice.expires_at)}.`,
        action: 'Look at the invitation',
        paragraphs: ['Do you not know the organization? Then ignore this mail. Nothing happens without you.'],
      }
    }
    case 'organization_invitation_code':
      return {
        subject: `Your code to join an organization at ${brand}`,
        lead: `is your code to join "${unlinked(notice.organization_name)}" at ${brand}. It is ${until(notice.expires_at)}`,
        paragraphs: [
          ...from(notice.device),
          `${ignore} Give the code to no one: it joins with your invitation, and can make an account with your address.`,
        ],
      }
    case 'expiring':
      return {
        subject: `Secrets or keys of ${unlinked(notice.tenant_name)} at ${brand} end soon`,
        lead: `The tenant "${unlinked(notice.tenant_name)}" at ${brand} has secrets or keys that end within 30 days. Replace each before it ends.`,
        action: 'Open the dashboard',
        paragraphs: [
          ...notice.things.map(
            ({ kind, name, place, expires_at }) =>
              `${expiring[kind]} ${unlinked(name)}${place === null ? '' : ` (${unlinked(place)})`} ends on ${formatted(expires_at)}.`,
          ),
          ...(notice.has_more ? ['More of them end soon. This mail has those that end first.'] : []),
          'You get at most one such mail a day, as an owner or admin. You need not do anything about what is replaced already.',
        ],
      }
    case 'test':
      return {
        subject: `Test mail from ${brand}`,
        lead: `The mail server of ${brand} works: it delivered this mail on ${formatted(at)}.`,
        paragraphs: ['An administrator asked for this test. You need not do anything.'],
      }
  }
}

function from(device: Device | null): string[] {
  const parts = [device?.name && unlinked(device.name), device?.ip].filter((part) => typeof part === 'string')
  return parts.length === 0 ? [] : [`Requested from: ${parts.join(', ')}.`]
}

const formatted = (at: Date) => `${at.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`

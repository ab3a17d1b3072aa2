// pure
/**
 * All texts of the hosted pages, in English. Another language is an object of the same type. An error says what happened, why, and
 * what to do, in plain verbs and without the word "invalid". Texts with emphasis take and return markup.
 */
import type { SwitchedMethod } from '@ostiary/contract/sign-in-methods.ts'
import { type Html, html } from '../../base/html.ts'
import type { NoReturn } from '../../protocol/logout.ts'
import { account } from './en-account.ts'
import { dashboard } from './en-dashboard.ts'
import { mismatch } from './en-mismatch.ts'

export const en = {
  error_title: (title: string) => `Error: ${title}`,
  test_ribbon: { word: 'Test', sentence: (brand: string) => `This is not the real ${brand}.` },
  language: { name: 'English', menu: 'Language' },
  footer: { terms: 'Terms', privacy: 'Privacy', help: 'Help' },

  form: {
    email: 'Email address',
    password: 'Password',
    name: 'Name',
    optional: '(optional)',
    no_cookies: (host: string) =>
      `Your browser did not send back the cookie of this page, so nothing was checked. If cookies are turned off, allow them for ${host}. Then try again.`,
    other_token:
      'The cookie that belongs to this page is gone, so nothing was done. It was removed, or the page was opened in another browser. Please try again.',
    no_token: 'A part of this form did not arrive, so nothing was done. Please try again.',
    other_site:
      'Your browser says that this form was not sent from this website, so nothing was done. To do it yourself, press the button here.',
    expired: 'This page was open too long for a passkey, so nothing was checked. Please try again.',
    too_many: (wait_seconds: number | null) => `There were too many attempts from your network. ${tryAgain(wait_seconds)}`,
    busy: 'Too many people are signing in right now, so your password was neither checked nor saved. Wait a few seconds, then enter it again.',
    summary: (problems: number) => `${problems} things need a change:`,
  },

  sign_in: {
    title: 'Sign in',
    to_continue: (application: string) => `to continue to ${application}`,
    to_account: 'to your account',
    to_change: 'To change this, please sign in again.',
    submit: 'Sign in',
    attempt_over: 'That sign-in took longer than 10 minutes, or it is over. Sign in again.',
    wrong_credentials: 'That address and password do not match. Check both, then try again.',
    password_missing: 'Enter your password.',
    locked: (wait_seconds: number | null) => `There were too many attempts for this address. ${tryAgain(wait_seconds)}`,
    too_often: (wait_seconds: number | null) => `You signed in very often within an hour. ${tryAgain(wait_seconds)}`,
    forgot: 'Forgot password?',
    email_code: 'Email me a code',
    email_code_instead: 'Email me a code instead',
    no_method: 'No sign-in method is available here yet. Please come back later.',
    new_here: 'New here?',
    sign_up: 'Create an account',
    or: 'or',
    last_used: 'Last used here',
    with_provider: (provider: string) => `Continue with ${provider}`,
    other_accounts: 'Choose another account',
    cancel: (application: string | null) => (application === null ? 'Cancel' : `Back to ${application}`),
  },

  second_factor: {
    title: 'Second step',
    from_app: 'Enter the code that your authenticator app shows.',
    from_list: 'Enter one of your recovery codes. Each works once.',
    code: 'Code',
    recovery_code: 'Recovery code',
    submit: 'Continue',
    use_recovery_code: 'Use a recovery code instead',
    use_app: 'Use the authenticator app instead',
    code_wrong: 'That code does not match, or it was used before. Wait for the next code of the app, then try again.',
    code_missing: 'Enter the six digits of the code.',
    recovery_wrong: 'That is not one of your unused recovery codes. Check it, or take another one.',
    recovery_missing: 'Enter a recovery code.',
    locked: (wait_seconds: number | null) => `The second step failed too often for this account. ${tryAgain(wait_seconds)}`,
    ended: 'The second step failed five times, so this sign-in has ended. Sign in again.',
    passkey_only: 'Confirm with your passkey that it is you.',
    passkey_help: 'This browser cannot use passkeys here. Turn scripts on, or sign in with a browser or device that has your passkey.',
    passkey_failed: 'This passkey could not be checked, so you are not signed in. Try again.',
    trust: (days: number) => (days === 1 ? 'Do not ask here for a day' : `Do not ask here for ${days} days`),
    trust_hint: 'Only on a device that nobody else uses.',
    nothing_left: (help: Html) => html`None of this is at hand? Ask ${help}.`,
  },

  enrolment: {
    code_title: 'Check your mail',
    code_sent: (email: Html) => html`Your account needs a second step. Before you set it up, enter the code that we sent to ${email}.`,
    wrong: 'That code does not match, or it has expired. Check it, or get a new one.',
    totp_title: 'Set up an authenticator app',
    totp_why: 'It shows a code that you enter after your password. Scan this picture with the app.',
    qr: 'QR code for the authenticator app',
    open_app: 'On this device: open the app',
    or_type: 'Or enter this key in the app:',
    passkey_title: 'Set up a passkey',
    passkey_why: 'Your account needs a passkey. With it you confirm a sign-in by your fingerprint, your face or the lock of your device.',
    passkey_help:
      'This browser cannot use passkeys here. Turn scripts on, or begin the sign-in again with a browser or device that can use them.',
    use_passkey: 'Set up a passkey instead',
    again: 'Begin the sign-in again',
    recovery_title: 'Save your recovery codes',
    recovery_why: 'Without your app, each of these codes signs you in once. Keep them in a safe place.',
    recovery_once: 'They are shown until you continue, and for 10 minutes at most.',
    recovery_heading: (brand: string) => `Recovery codes of ${brand}. Each works once.`,
    recovery_file: 'recovery-codes.txt',
    copy: 'Copy',
    copied: 'The codes are copied.',
    not_copied: 'This browser does not allow it. Select the codes and copy them.',
    download: 'Download',
    print: 'Print',
    recovery_saved: 'I have kept them',
  },

  sign_up: {
    title: 'Create your account',
    submit: 'Create account',
    password_rule: (min_length: number, reject_common: boolean) =>
      `At least ${min_length} characters${reject_common ? ', not a common password, and not based on your name or ours' : ''}. A few words in a row are fine.`,
    email_missing: 'Enter your email address.',
    email_malformed: 'Enter the whole address, such as name@example.com.',
    email_outside: 'Addresses of this domain cannot sign up here. Use another address.',
    email_taken: 'You cannot create an account with this address. Sign in, or use another.',
    name_missing: 'Enter your name.',
    name_not_allowed: (longest: number) => `Use at most ${longest} characters, without line breaks or invisible characters.`,
    password_missing: 'Choose a password.',
    password_too_short: (min_length: number) => `This password is too short. Use at least ${min_length} characters.`,
    password_too_long: 'This password is too long. Use a shorter one.',
    password_common:
      'This password is easy to guess: many people use it, or it is based on your name, your email address or our name. Choose another.',
    have_account: 'Have an account?',
    sign_in: 'Sign in',
  },

  waiting: {
    other_account: 'Use another account',
    waiting: {
      title: 'Your account waits for approval',
      text: (brand: string, day: Html) =>
        html`${brand} looks at new accounts before they are used. You get a mail when yours is approved or refused. If nobody decides, it is deleted on ${day}.`,
    },
    refused: {
      title: 'Your account was not approved',
      text: (brand: string, day: Html) => html`${brand} has not approved your account, so you cannot use it. It is deleted on ${day}.`,
    },
  },

  restore: {
    title: 'Restore your account?',
    text: (at: Html) => html`Your account is closed, and is deleted on ${at}. Until then you can have it back.`,
    submit: 'Restore the account',
    leave: 'Leave it closed',
  },

  ways_in: { password: 'Password', email_code: 'Code by mail', passkey: 'Passkey' } satisfies Record<SwitchedMethod, string>,

  code: {
    title: 'Enter the code',
    sent: (email: Html) =>
      html`If ${email} can be used here, a mail with a code of six digits is on its way. The code works for 10 minutes, in this browser only.`,
    label: 'Code',
    submit: 'Continue',
    wrong: 'This code does not work. It may be mistyped, used, older than 10 minutes, or tried too often. Check it, or send a new one.',
    resend: 'Send a new code',
    kept: (open: Html) => html`Test keeps mail and sends none: ${open}.`,
    open_inbox: 'open the inbox',
    resend_note: 'No mail? Look in the spam folder. After 30 seconds you can send a new code.',
    use_password: 'Use your password',
    other_address: 'Use another address',
  },

  reset: {
    forgot_title: 'Forgot your password?',
    forgot_text: 'Enter your email address. You get a link with which you choose a new password.',
    submit: 'Send the link',
    sent_title: 'Look into your mail',
    sent: (email: Html) => html`If there is an account for ${email}, a mail with a link is on its way. The link works for one hour.`,
    back: 'Back to sign-in',
    new_title: 'Choose a new password',
    new_text: (email: Html) => html`For the account ${email}. All devices are signed out.`,
    new_submit: 'Save the password',
    done_title: 'Your password is changed',
    done: 'All devices were signed out. Sign in with the new password in the app that you want to use.',
  },

  link: {
    sign_up_title: 'Create your account?',
    sign_up: (email: Html, brand: string) =>
      html`An account with the address ${email} is to be created at ${brand}. Confirm it only if you asked for it.`,
    created_title: 'Your account has been created',
    created: (email: Html) =>
      html`The account ${email} has been created. Sign in to it. If your password is not accepted, choose a new one.`,
    verify_title: 'Verify your email address',
    verify: (email: Html, brand: string) => html`Verify that ${email} is your address at ${brand}.`,
    reset_title: 'Choose a new password',
    reset: (email: Html, brand: string) => html`Continue to choose a new password for ${email} at ${brand}.`,
    confirm: 'Confirm',
    verify_submit: 'Verify',
    continue: 'Continue',
    change_title: 'Confirm your new email address',
    change: (email: Html, brand: string) => html`Confirm that ${email} becomes the address of your account at ${brand}.`,
    notice_title: 'Change your email address?',
    notice: (email: Html, new_email: Html, brand: string) =>
      html`Your account ${email} at ${brand} is to get the address ${new_email}. Confirm it only if you asked for it.`,
    keep: 'Keep the old address',
    outcomes: {
      waits: {
        title: 'One confirmation is missing',
        text: (email: Html) =>
          html`You have confirmed the change to ${email}. It takes effect when the other address has confirmed it too. You can close this page.`,
      },
      changed: {
        title: 'Your address has been changed',
        text: (email: Html) =>
          html`The address of your account is now ${email}. Every other device was signed out. You can close this page.`,
      },
      cancelled: {
        title: 'Your address stays',
        text: (email: Html) =>
          html`The address of your account is still ${email}. If you did not ask for the change, choose a new password.`,
      },
    },
    verified_title: 'Your address is verified',
    verified: (email: Html) => html`${email} is verified. You can close this page.`,
  },

  passkey: {
    use: 'Use a passkey',
    not_used: 'No passkey was used. Try again, or sign in another way.',
    failed: 'This passkey could not be checked, so you are not signed in. Try again, or sign in another way.',
    unknown: 'This passkey does not belong to an account here. Use another one, or sign in another way.',
    automatic_title: 'One moment',
    automatic: 'Your browser may create a passkey now, so that you sign in faster next time.',
    offer_title: 'Sign in faster next time',
    offer: (brand: string) =>
      `With a passkey you sign in to ${brand} with your fingerprint, your face or the lock of your device. There is nothing to remember, and no one can trick you into giving it away.`,
    add: 'Add a passkey',
    not_now: 'Not now',
    not_added: 'No passkey was added. Try again.',
    known: 'This device already has a passkey for your account.',
    expired: 'This page was open too long, so no passkey was added. Try again.',
    refused: 'This passkey cannot be used here, so it was not added. Try another device.',
    too_many: 'Your account has as many passkeys as it can have. Remove one first.',
    limited: 'Your account was changed ten times within an hour, so no passkey was added. Try again in an hour.',
  },

  provider: {
    title: (provider: string) => `Sign-in with ${provider} did not work`,
    unreachable: (provider: string) =>
      `${provider} cannot be reached right now, or its answer cannot be used. Try again in a moment, or sign in another way.`,
    lost: (provider: string) => `Signing in with ${provider} took too long. Start again.`,
    no_email: (provider: string) => `You didn't share your email address. Allow ${provider} to share it, or sign in another way.`,
    account_exists: (provider: string, email: Html) =>
      html`There is an account for ${email} that is not connected to ${provider}. Sign in the way you did before.`,
    domain_refused: (_: string, email: Html) => html`There is no account for ${email}, and addresses of this domain cannot sign up here.`,
    sign_up_closed: (_: string, email: Html) => html`There is no account for ${email}, and new accounts cannot be created here.`,
    not_connected: (provider: string, email: Html) =>
      html`${provider} has not verified that ${email} is your address, so it cannot sign you in with it. If you have an account here, sign in another way.`,
    blocked: () => 'This account cannot sign in. Ask the operator of this service for help.',
    back: 'Back to sign-in',
    connect_title: (provider: string) => `${provider} is not connected`,
    connect_unreachable: (provider: string) =>
      `${provider} cannot be reached right now, or its answer cannot be used. Your account is as it was. Try again in a moment.`,
    connect_refused: (provider: string) => `You did not allow it at ${provider}, so your account is as it was.`,
    connect_taken: (provider: string) =>
      `The account that you chose at ${provider} is connected to another account here. Disconnect it there, or choose a different account.`,
  },

  invitation: {
    title: (tenant: string) => `Join ${tenant}`,
    invited_by: (inviter: Html, tenant: string, role: string) => html`${inviter} invites you to ${tenant} as ${role}.`,
    invited: (tenant: string, role: string) => `You are invited to ${tenant} as ${role}.`,
    roles: { viewer: 'viewer', developer: 'developer', admin: 'admin', owner: 'owner' },
    new_account: 'Create an account to accept, or sign in to the one you have.',
    signed_in_as: 'You are signed in as:',
    accept: 'Accept invitation',
    changed: 'The invitation has changed, so it was not accepted. Read it again, then decide.',
    accepted: (tenant: string) => `You are now a member of ${tenant}`,
    accepted_text: (role: string) => `Your role is ${role}. The projects of the tenant are in the dashboard.`,
    dashboard: 'Open the dashboard',
    member: (tenant: string) => `You are already a member of ${tenant}`,
    member_text: (role: string) => `Your role stays ${role}. The invitation stays open for the person it is meant for.`,
  },

  profile: {
    title: 'What is your name?',
    why: (application: string) => `${application} and other apps that you sign in to can show it.`,
    save: 'Continue',
  },

  consent: {
    title: (application: string) => `Allow ${application}?`,
    question: (application: string, brand: string) => `Allow ${application} to use your ${brand} account?`,
    not_you: 'Not you?',
    will_be_able: (application: string) => `${application} will be able to`,
    openid: 'Recognise you when you come back',
    openid_detail: 'With an identifier for your account',
    profile: 'See your name and picture',
    picture: 'your picture',
    language: 'language',
    time_zone: 'time zone',
    // Created for each use, since the tables of `Intl` take 8 MB that most processes never need.
    list: (parts: string[]) => new Intl.ListFormat('en-GB').format(parts),
    email: 'See your email address',
    phone: 'See your phone number',
    nothing_yet: 'Nothing yet. The app sees what you add later.',
    use_api: (resource_server: string) => `Use ${resource_server}`,
    use_api_detail: 'On your behalf',
    offline_access: 'Keep this access while you are away',
    offline_access_detail: 'Until you or the app ends it',
    lands_on_host: (host: Html, brand: string) =>
      html`It never sees your password. After this you go to ${host}, which is not part of ${brand}.`,
    lands_on_device: (application: Html) =>
      html`It never sees your password. After this you go back to ${application}, the app on this device.`,
    own_name: (name: Html, host: Html) => html`${name} is the name this program gives itself. Its address is ${host}.`,
    address_unchecked: (brand: string) => `${brand} has not checked it.`,
    address_approved: (brand: string) => `${brand} has approved this address.`,
    answer_on_device: (name: Html) =>
      html`The answer goes to a program on this device. Any program here can use this name: continue only if you have just started ${name} yourself.`,
    answer_to: (host: Html) => html`The answer goes to ${host}.`,
    other_address: 'This is not the address of the program.',
    removable: (account: Html) => html`You can end this at any time in ${account}.`,
    your_account: 'your account',
    for_organization: (application: string, organization: Html) => html`${application} wants to act for you in ${organization}.`,
    not_given: (application: string) => `You cannot do this now. If you are given it later, ${application} can too.`,
    allow: 'Allow',
    deny: 'Do not allow',
  },

  organization_invitation: {
    title: (organization: string) => `Join ${organization}`,
    invited_by: (inviter: Html, organization: string) => html`${inviter} invites you to ${organization}.`,
    invited: (organization: string) => `You are invited to ${organization}.`,
    roles: (names: string) => `Your roles there: ${names}.`,
    code_proves: (email: Html) =>
      html`This account has not proved ${email}, the address of the invitation. After Accept you enter a code that is mailed there.`,
    code_makes_account: (email: Html) =>
      html`After Accept you enter a code that is mailed to ${email}. If no account has this address, one is created.`,
    accept: 'Accept',
    accept_new: 'Create account and accept',
    decline: 'Decline',
    other_way: 'Sign in another way, or with another account',
    changed: 'The invitation has changed, so nothing was done. Read it again, then decide.',
    full: 'There is no room for another membership. Ask the person who invited you.',
    member: (organization: string) => `You are already a member of ${organization}`,
    member_text: 'Your roles stay as they are. The invitation stays open for the person it is meant for.',
    declined: 'You declined the invitation',
    declined_text: (organization: string) => `You did not join ${organization}. The link of the invitation does not work any more.`,
    code_sent: (email: Html, organization: string) =>
      html`A mail with a code of six digits is on its way to ${email}. With it you join ${organization}. The code works for 10 minutes, in this browser only.`,
    back: 'Back to the invitation',
  },

  organization_page: {
    own: 'Your roles',
    no_roles: 'You have no roles here.',
    members: 'Members',
    search: 'Name or email address',
    find: 'Search',
    none_found: 'No member has this name or address.',
    more: 'More members',
    change: 'Change',
    invitations: 'Invitations',
    invite_title: 'Invite a person',
    invite: 'Invite',
    roles: 'Roles',
    save: 'Save roles',
    remove: (organization: string) => `Remove from ${organization}`,
    more_than_you: 'This member may do things that you may not, so you cannot change their roles.',
    member_of: (organization: string) => `Member of ${organization}`,
    back: 'Back to the organization',
    notices: {
      invite: 'The invitation is on its way.',
      'change-roles': 'The roles are saved.',
      'remove-member': 'The member is removed.',
    },
    problems: {
      changed: 'Something changed in the meantime, so nothing was done. Look at the present state, then try again.',
      not_allowed: 'You can give and take only roles that you have yourself, and change only members who have no more than you.',
      last_administrator: 'Nobody else administers the organization. Give another member such a role first.',
      bad_email: 'Enter an email address.',
      limit: 'There are too many invitations today, or too many that wait. Try again later.',
      too_many_mails: 'This address got too many mails today. Try again tomorrow.',
      too_many_roles: 'A member can have at most 20 roles.',
    },
  },

  no_access: {
    title: (application: string) => `You have no access to ${application}`,
    text: (application: Html) =>
      html`You are signed in, but your account may not use ${application}. Ask the people who run it for access.`,
    not_a_member: (application: Html) =>
      html`You are signed in, but your account is not a member of the organization that ${application} needs. Ask the people who run it to add you.`,
    other_organization: 'Choose another organization',
    other_account: 'Use another account',
    back: (application: string) => `Back to ${application}`,
  },

  press: {
    title: (application: string) => `Continue to ${application}?`,
    question: (who: string, application: string) => `Continue as ${who} to ${application}?`,
    why: (application: Html) =>
      html`An app that calls itself ${application} asks to sign you in. Continue only if you have just started that there.`,
    go_on: 'Continue',
    cancel: 'Cancel',
  },

  select_organization: {
    title: 'Choose an organization',
    to_continue: (application: string) => `to continue to ${application}`,
    search: 'Search',
    find: 'Find',
    none_found: 'None of your organizations has these words in its name.',
    more: 'Show more',
    none: 'Continue without an organization',
  },

  account_chooser: {
    title: 'Choose an account',
    to_continue: (application: string) => `to continue to ${application}`,
    another: 'Another account',
    remove: 'Remove',
    of_account: (email: string) => `: ${email}`,
    remove_note: 'Removing an account signs it out in this browser.',
  },

  sign_out: {
    title: (brand: string) => `Sign out of ${brand}?`,
    signed_in_as: 'You are signed in as:',
    asked_by: (application: string) => `${application} asks to sign you out.`,
    sign_out: 'Sign out',
    stay: 'Stay signed in',
    signed_out: 'You are signed out',
    signed_out_detail: (brand: string) => `You have left ${brand} in this browser. Apps may keep you signed in for a while.`,
    stayed: 'You are still signed in',
    stayed_detail: 'Nothing has changed. You can close this page.',
    back: (application: string | null) => (application === null ? 'Back to the app' : `Back to ${application}`),
    sign_in_again: 'Sign in again',
    close_page: 'You can close this page. To sign in again, open the app that you want to use.',
    send_client:
      'For developers, shown in Test only: send id_token_hint, or client_id with a registered post_logout_redirect_uri, and this page leads back to your app.',
    no_return: (application: string | null, why: NoReturn) => {
      const whys: Record<NoReturn, string> = {
        no_client: 'the request did not say which app it came from.',
        invalid_hint: 'the app named itself by a token (id_token_hint) that is not valid here.',
        hint_elsewhere: 'the app named itself by a token (id_token_hint) of another environment.',
        unknown_client: 'the app that the request names is not known here.',
        other_client: 'the request names two different apps.',
        disabled_client: 'it is turned off.',
        unregistered: 'the return address it sent is not registered.',
      }
      return `This page cannot take you back to ${application ?? 'the app'}: ${whys[why]}`
    },
  },

  message: {
    unknown_app: {
      title: 'This sign-in cannot continue',
      text: (brand: string) => `The app you came from is not known to ${brand}. You have not been signed in, and nothing was shared.`,
    },
    app_disabled: {
      title: 'This app is turned off',
      text: (brand: string) =>
        `The app you came from cannot be used with ${brand} right now. You have not been signed in, and nothing was shared. Ask the people who run the app.`,
    },
    metadata_client_unlisted: {
      title: 'This program may not connect',
      text: (brand: string) =>
        `${brand} has not approved the program that sent you here. You have not been signed in, and nothing was shared. Ask the people who run ${brand}.`,
    },
    metadata_client_unavailable: {
      title: 'This program cannot be checked',
      text: (brand: string) =>
        `The program that sent you here publishes a document about itself, which ${brand} cannot read right now. You have not been signed in, and nothing was shared. Try again in a minute.`,
    },
    metadata_client_invalid: {
      title: 'This program cannot be checked',
      text: (brand: string) =>
        `The program that sent you here publishes a document about itself, which ${brand} cannot use. You have not been signed in, and nothing was shared. Ask the people who make the program.`,
    },
    metadata_client_busy: {
      title: 'Please try again in a moment',
      text: (brand: string) =>
        `${brand} cannot connect another program right now. You have not been signed in to it, and nothing was shared. Wait a minute, and start again in the program.`,
    },
    unregistered_address: {
      title: 'This sign-in cannot continue',
      text: (brand: string) =>
        `The app you came from sent no return address that ${brand} knows. You have not been signed in, and nothing was shared.`,
    },
    unusable_request: {
      title: 'This sign-in cannot continue',
      text: (brand: string) =>
        `The app you came from sent a request that ${brand} cannot answer. You have not been signed in, and nothing was shared.`,
    },
    unusable_sign_out: {
      title: 'This sign-out cannot continue',
      text: (brand: string) => `The app you came from sent a request that ${brand} cannot answer. No one was signed out.`,
    },
    session_lost: {
      title: 'This sign-in was interrupted',
      text: () =>
        'Your browser did not send the cookie of the sign-in that it began. Cookies are turned off or were removed, or it began in another browser.',
    },
    form_incomplete: {
      title: 'This form did not arrive whole',
      text: () =>
        'A part of what your browser sends with this form is missing, so nothing was done. Load the page again, and try once more.',
    },
    session_ended: {
      title: 'You were signed out',
      text: () => 'Your session ended while this page was open, so nothing was done. Go on, and sign in again.',
    },
    callback_over: {
      title: 'This sign-in is over',
      text: () => 'The page that leads back from a provider opens once, and within ten minutes. You may be signed in already.',
    },
    answer_lost: {
      title: 'Our answer to this form was lost',
      text: () =>
        'Your browser sent the form before, and our answer did not arrive. What you asked for may have been done. Look before you send it again.',
    },
    codes_gone: {
      title: 'These recovery codes are not shown again',
      text: () =>
        'You have confirmed them, or they were made more than 10 minutes ago or in another browser. If you do not have them, make new ones on the page of your account.',
    },
    no_attempt: {
      title: 'There is no sign-in to continue here',
      text: () => 'This page is one step of a sign-in, and its address does not say which one. Nothing was sent. Begin the sign-in again.',
    },
    invitation_unknown: {
      title: 'There is no such invitation',
      text: () => 'The address may be incomplete. Open the whole link, or ask the person who invited you for a new one.',
    },
    invitation_used: {
      title: 'This invitation has been used',
      text: () =>
        'Each invitation works once. If you accepted it, you are a member already. If not, ask the person who invited you for a new link.',
    },
    invitation_expired: {
      title: 'This invitation has expired',
      text: () => 'Ask the person who invited you for a new link.',
    },
    invitation_replaced: {
      title: 'There is a newer invitation',
      text: () => 'A newer link replaced this one. Open the newest link that you got, or ask the person who invited you for another.',
    },
    invitation_withdrawn: {
      title: 'This invitation has been withdrawn',
      text: () => 'It no longer works. If you still want to join, ask the person who invited you for a new link.',
    },
    invitation_ended: {
      title: 'This invitation has ended',
      text: () => 'It was used, replaced or withdrawn, or it has expired. Ask the person who invited you for a new link.',
    },
    link_ended: {
      title: 'This link does not work any more',
      text: () => 'It was used, replaced, or it has expired, or its address is incomplete. Ask for a new one where you got this one.',
    },
    not_found: { title: 'There is no page here', text: () => 'The address may be mistyped, or the page has moved.' },
    form_only: {
      title: 'This page cannot be opened by itself',
      text: () => 'It is one step of signing in or out, and works only from the page before it. Nothing was sent.',
    },
    for_programs: {
      title: 'This address is for programs',
      text: () => 'It answers calls of the API. A browser cannot use it by itself.',
    },
    trouble: { title: 'Something went wrong on our side', text: () => 'It was nothing you did. Please try again in a moment.' },
    unavailable: {
      title: 'This service is not available right now',
      text: (brand: string) => `You cannot sign in to ${brand} at the moment. Please try again in a few minutes.`,
    },
    account: 'Go to your account',
    continue: 'Continue',
    home: 'Start page',
    help: 'Get help',
    start_again: (also: boolean) => `You can ${also ? 'also ' : ''}close this page and start again in the app.`,
    reference: 'Reference',
    error: 'Error',
    what_it_means: 'what it means',
    reason: 'Reason',
    test_only: 'In Live',
    test_only_detail: 'People see one sentence and the reference. The reason is shown in Test only.',
  },

  start: {
    title: 'An identity service runs here',
    text: 'Applications sign people in through Ostiary with OpenID Connect, and programs manage it by its API.',
    for_people: 'Do you want to sign in? Open the app that you want to use. It brings you to the right page.',
    links: {
      demo: { name: 'Demo', detail: 'Sign in to the demo application, and see every step and token in the dashboard.' },
      protected_resource: {
        name: 'Sign-in of administrators',
        detail: 'Where a program gets an administrator’s token, as metadata (RFC 9728).',
      },
      dashboard: { name: 'Dashboard', detail: 'Where administrators manage projects, keys and users.' },
      documentation: { name: 'Documentation', detail: 'Quick start, guides, concepts and the operating guide.' },
      reference: { name: 'API reference', detail: 'Every operation, with its fields, errors and an example.' },
      openapi: { name: 'OpenAPI document', detail: 'The same for programs and generators (OpenAPI 3.1).' },
      errors: { name: 'Errors', detail: 'What each error code means and how to fix it.' },
      health: { name: 'Health', detail: 'Answers while the process runs.' },
      ready: { name: 'Readiness', detail: 'Answers while the database is reachable.' },
    },
  },

  form_post: {
    title: 'One moment',
    text: (application: string | null) => `You are on your way back to ${application ?? 'the app'}. If nothing happens, press Continue.`,
    submit: 'Continue',
  },

  account,
  dashboard,
  mismatch,
}

export type Texts = typeof en

function tryAgain(wait_seconds: number | null): string {
  if (wait_seconds === null) return 'Wait a few minutes, then try again.'
  const minutes = Math.ceil(wait_seconds / 60)
  return minutes <= 1 ? 'Wait a minute, then try again.' : `Wait ${minutes} minutes, then try again.`
}

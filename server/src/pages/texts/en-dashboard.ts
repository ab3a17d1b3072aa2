// pure
/** The texts of the pages that lead to the dashboard: its sign-in, its build, and the first start. */
export const dashboard = {
  sign_in_failed: {
    title: 'You are not signed in to the dashboard',
    text: 'The sign-in was interrupted: its page was open for more than an hour, it was finished in another tab, or cookies are turned off.',
    again: 'Sign in',
    reference: 'Reference',
  },
  not_built: {
    title: 'The dashboard is being prepared',
    text: 'The service runs already. This page opens the dashboard by itself, usually within a minute.',
    how: 'A service that was started without the launcher has no dashboard. Build it once:',
  },
  try_callback: {
    title: 'Back to the dashboard',
    text: 'The tab of the dashboard that started this sign-in continues there. You can close this window.',
    unasked: 'If you did not start a sign-in in the dashboard, you have nothing else to do here.',
  },
  setup: {
    title: 'Set up Ostiary',
    text: 'Create the first tenant and its owner. The owner also operates this deployment. This page works once.',
    tenant_name: 'Name of the tenant',
    tenant_name_hint: 'Your organisation or team, such as Acme.',
    tenant_name_wrong: 'Enter a name of 1 to 100 characters.',
    slug: 'Short name',
    slug_hint: '1 to 63 of a-z, 0-9 and hyphen. It is part of addresses and cannot be changed.',
    slug_wrong: 'Use 1 to 63 of a-z, 0-9 and hyphen.',
    slug_taken: 'The service itself has this short name. Choose another one.',
    email: 'Your email address',
    email_wrong: 'Enter an email address, such as ada@example.com.',
    email_taken: 'An operator of this deployment has this address already. Enter another one.',
    submit: 'Create tenant and owner',
    ended: 'Nothing was created: the page was sent from another site.',
    command_title: 'This deployment is not set up yet',
    command_text: 'Open the link that “ostiary serve” printed when it started. Or create the first tenant on the command line:',
    done_title: 'This deployment is set up',
    done_text: 'A tenant exists already, so this page creates none. Sign in to the dashboard.',
    open: 'Open the dashboard',
  },
}

// pure
/** The texts of the pages that lead to the dashboard, in German. */
import type { dashboard as en } from './en-dashboard.ts'

export const dashboard: typeof en = {
  sign_in_failed: {
    title: 'Sie sind nicht am Dashboard angemeldet',
    text: 'Die Anmeldung wurde unterbrochen: Die Seite war länger als eine Stunde offen, die Anmeldung wurde in einem anderen Tab beendet, oder Cookies sind ausgeschaltet.',
    again: 'Anmelden',
    reference: 'Referenz',
  },
  not_built: {
    title: 'Das Dashboard wird vorbereitet',
    text: 'Der Dienst läuft bereits. Diese Seite öffnet das Dashboard von selbst, meist innerhalb einer Minute.',
    how: 'Ein Dienst, der ohne den Launcher gestartet wurde, hat kein Dashboard. Erstellen Sie es einmal:',
  },
  try_callback: {
    title: 'Zurück zum Dashboard',
    text: 'Der Tab des Dashboards, der diese Anmeldung begonnen hat, macht dort weiter. Sie können dieses Fenster schließen.',
    unasked: 'Wenn Sie im Dashboard keine Anmeldung begonnen haben, gibt es hier nichts weiter zu tun.',
  },
  setup: {
    title: 'Ostiary einrichten',
    text: 'Legen Sie den ersten Mandanten und seinen Inhaber an. Der Inhaber betreibt auch diesen Dienst. Diese Seite wirkt nur einmal.',
    tenant_name: 'Name des Mandanten',
    tenant_name_hint: 'Ihre Organisation oder Ihr Team, zum Beispiel Acme.',
    tenant_name_wrong: 'Geben Sie einen Namen mit 1 bis 100 Zeichen ein.',
    slug: 'Kurzname',
    slug_hint: '1 bis 63 Zeichen aus a-z, 0-9 und Bindestrich. Er ist Teil von Adressen und bleibt unverändert.',
    slug_wrong: 'Verwenden Sie 1 bis 63 Zeichen aus a-z, 0-9 und Bindestrich.',
    slug_taken: 'Diesen Kurznamen hat der Dienst selbst. Wählen Sie einen anderen.',
    email: 'Ihre E-Mail-Adresse',
    email_wrong: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com.',
    email_taken: 'Diese Adresse hat schon jemand, der diesen Dienst betreibt. Geben Sie eine andere ein.',
    submit: 'Mandant und Inhaber anlegen',
    ended: 'Es wurde nichts angelegt: Das Formular kam von einer anderen Website.',
    command_title: 'Dieser Dienst ist noch nicht eingerichtet',
    command_text:
      'Öffnen Sie den Link, den „ostiary serve“ beim Start ausgegeben hat. Oder legen Sie den ersten Mandanten auf der Kommandozeile an:',
    done_title: 'Dieser Dienst ist eingerichtet',
    done_text: 'Es gibt bereits einen Mandanten, deshalb legt diese Seite keinen an. Melden Sie sich am Dashboard an.',
    open: 'Dashboard öffnen',
  },
}

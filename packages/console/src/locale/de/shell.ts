import type { Texts } from '../en.ts';

export const shell: Texts['shell'] = {
  product: 'Abstimmung',
  skip: 'Zum Inhalt springen',
  navigation: 'Hauptnavigation',
  today: 'Heute',
  orders: 'Bestellungen',
  cases: 'Fälle',
  money: 'Geld',
  imports: 'Importe',
  sync: 'Abgleich',
  actions: 'Protokoll',
  help: 'Hilfe',
  menu: 'Menü',
  language: 'Sprache',
  theme: 'Darstellung',
  themes: { auto: 'Automatisch', light: 'Hell', dark: 'Dunkel' },
  signIn: 'Anmelden',
  signInTitle: 'Bei der Abstimmung anmelden',
  signInIntro:
    'Verwenden Sie Ihr Zugangstoken. Ihre Administration hat es in RECONCILIATION_TOKENS angelegt; sein Name erscheint im Protokoll.',
  token: 'Zugangstoken',
  tokenMissing: 'Geben Sie Ihr Zugangstoken ein.',
  tokenInvalid: 'Dieses Token ist nicht gültig. Prüfen Sie, ob Sie es vollständig kopiert haben.',
  unreachable:
    'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut.',
  signOut: 'Abmelden',
  signedInAs: (name) => `Angemeldet als ${name}`,
  sessionEnded: 'Ihre Sitzung ist beendet',
  sessionEndedText:
    'Melden Sie sich erneut an. Sie bleiben auf dieser Seite, und Ihre Eingaben bleiben erhalten.',
  offline:
    'Keine Verbindung. Die Anzeige kann veraltet sein; es geht weiter, sobald der Server antwortet.',
  notFound: 'Diese Seite gibt es nicht',
  notFoundText: 'Die Adresse ist möglicherweise veraltet.',
  searchLabel: 'Bestellungen suchen',
  searchHint: 'Bestell-, Zahlungs-, Transaktions-, Antragsnummer',
  searchNone: 'Keine Bestellung, Zahlung oder Transaktion und kein Antrag beginnt so.',
  kinds: {
    order: 'Bestellung',
    charge: 'Zahlung',
    transaction: 'Transaktion',
    application: 'Antrag',
  },
  environment: { production: 'Produktion', sandbox: 'Sandbox', uat: 'UAT' },
  standby: 'Dieser Prozess ist in Bereitschaft: Er antwortet und schreibt nicht.',
  rebuilding: 'Die Auswertungsdatenbank wird neu aufgebaut. Antworten folgen in Kürze.',
  unexplained: (n) =>
    n === 1
      ? 'Ein Status hat sich ohne erkennbaren Grund geändert. Informieren Sie Ihre Entwicklung.'
      : `${n} Status haben sich ohne erkennbaren Grund geändert. Informieren Sie Ihre Entwicklung.`,
};

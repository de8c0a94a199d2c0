import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/** German, with "Sie". */
export const checkout: Texts = {
  lang: 'de',
  dir: 'ltr',
  label: 'In Raten zahlen',
  resume: 'Antrag fortsetzen',
  tryAgain: 'Erneut versuchen',
  startAgain: 'Neu beginnen',
  phone: 'Auf dem Handy fortsetzen',
  phoneWaiting: 'Scannen Sie den Code mit Ihrem Handy oder öffnen Sie dort die Adresse.',
  phoneLocal: 'Ein Handy kann diese Adresse nicht öffnen: Sie führt zu diesem Gerät.',
  copy: 'Adresse kopieren',
  copied: 'Adresse kopiert',
  openHere: 'Auf diesem Gerät öffnen',
  reload: 'Seite neu laden',
  checkNow: 'Jetzt prüfen',
  working: 'Einen Moment bitte …',
  dialog: 'Ratenzahlung',
  close: 'Schließen',
  loading: 'Ihr Antrag wird geöffnet …',
  ready: 'Ihr Antrag ist bereit.',
  slow: 'Das dauert länger als gewöhnlich.',
  approvedTitle: 'Ihre Finanzierung ist bewilligt',
  approved: 'Der Betrag von {amount} ist finanziert. Sie müssen hier nichts weiter tun.',
  pendingTitle: 'Ihr Antrag wird geprüft',
  pending:
    'Sie können diese Seite verlassen. Der Shop informiert Sie, sobald eine Entscheidung vorliegt. Bitte bezahlen Sie bis dahin nicht auf anderem Weg.',
  declinedTitle: 'Diesmal kein Angebot',
  declined:
    'Kein Kreditgeber hat für diese Bestellung ein Angebot gemacht. Ihnen wurde nichts berechnet. Die Gründe teilt Ihnen der Kreditgeber mit.',
  cancelledTitle: 'Sie haben den Antrag verlassen',
  cancelled: 'Ihnen wurde nichts berechnet. Sie können jederzeit neu beginnen.',
  cancelledLink:
    'Ihnen wurde nichts berechnet. Die Adresse gilt 24 Stunden. Bitte nicht nutzen, wenn Sie auf anderem Weg bezahlen.',
  confirmingTitle: 'Ihr Kreditgeber bestätigt',
  confirming: 'Das dauert wenige Sekunden. Bitte bleiben Sie auf dieser Seite.',
  expiredTitle: 'Ihr Antrag ist abgelaufen',
  expired: 'Ihnen wurde nichts berechnet. Sie können neu beginnen.',
  staleTitle: 'Diese Seite ist schon länger geöffnet',
  stale: 'Laden Sie sie neu, um fortzufahren. Ihnen wurde nichts berechnet.',
  unavailableTitle: 'Finanzierung gerade nicht erreichbar',
  unavailable:
    'Ihnen wurde nichts berechnet. Versuchen Sie es gleich noch einmal oder bezahlen Sie auf anderem Weg.',
  offlineTitle: 'Sie sind anscheinend offline',
  offline:
    'Ihnen wurde nichts berechnet. Versuchen Sie es erneut, sobald Sie wieder verbunden sind.',
  checkingTitle: 'Wir prüfen Ihren Antrag',
  checking:
    'Bitte bezahlen Sie noch nicht auf anderem Weg. Das kann einige Minuten dauern; das Ergebnis sehen Sie hier.',
  failedTitle: 'Keine Finanzierung für diese Bestellung',
  failed: 'Ihnen wurde nichts berechnet. Bitte bezahlen Sie auf anderem Weg.',
  elsewhere: 'Auf der Seite des Kreditgebers fortfahren',
  awayTitle: 'Ihr Antrag ist geöffnet',
  away: 'Fahren Sie dort fort. Diese Seite wartet auf Sie und zeigt das Ergebnis.',
  showWindow: 'Fenster anzeigen',
  cancel: 'Abbrechen',
  changedTitle: 'Ihr Warenkorb hat sich geändert',
  changed:
    'Bewilligt sind {amount}, Ihr Warenkorb beträgt jetzt {current}. Ihnen wurde nichts berechnet.',
  changedCart:
    'Was bewilligt wurde, ist nicht mehr, was in Ihrem Warenkorb liegt. Ihnen wurde nichts berechnet.',
  keep: 'Bei {amount} bleiben',
  approvedOther:
    'Der Betrag von {amount} ist finanziert. Ihr Warenkorb beträgt jetzt {current}: Der Shop teilt Ihnen mit, was mit dem Unterschied geschieht.',
  refundedTitle: 'Ihre Finanzierung wurde erstattet',
  refunded: '{current} gingen an den Kreditgeber zurück.',
  reducedTitle: 'Ein Teil Ihrer Finanzierung wurde erstattet',
  reduced: '{current} von {amount} gingen an den Kreditgeber zurück.',
  voidedTitle: 'Ihre Finanzierung wurde storniert',
  voided: 'Diese Bestellung ist nicht mehr finanziert.',
};

export const prequalify: OwnPrequalifyTexts = {
  label: 'Finanzierung anfragen',
  unavailableTitle: 'Der Kreditgeber ist gerade nicht erreichbar',
  unavailable: 'Es wurde nichts entschieden. Versuchen Sie es gleich noch einmal.',
  prequalifiedTitle: 'Sie sind vorab bestätigt',
  prequalified:
    'Ein Kreditgeber bietet Ihnen bis zu {amount}. Wählen Sie an der Kasse die Finanzierung: Dort entscheidet der Kreditgeber endgültig.',
  prequalifiedOpen:
    'Ein Kreditgeber bietet Ihnen eine Finanzierung. Wählen Sie sie an der Kasse: Dort entscheidet der Kreditgeber endgültig.',
  pending:
    'Der Kreditgeber hat noch nicht entschieden oder braucht noch etwas von Ihnen. Sie können auf diese Seite zurückkommen.',
  declined:
    'Kein Kreditgeber hat ein Angebot gemacht. Der Kreditgeber teilt Ihnen die Gründe mit. Sie können hier weiterhin einkaufen und anders bezahlen.',
  notFoundTitle: 'Es wurde kein Antrag gestellt',
  notFound:
    'Er endete, bevor er einen Kreditgeber erreichte; es wurde nichts entschieden. Sie können neu beginnen.',
  cancelled: 'Es wurde nichts entschieden. Sie können dort weitermachen, wo Sie aufgehört haben.',
  expired: 'Es wurde nichts entschieden. Sie können neu beginnen.',
  offline: 'Es wurde nichts entschieden. Versuchen Sie es noch einmal, wenn Sie verbunden sind.',
  failedTitle: 'Das ist gerade nicht verfügbar',
  failed:
    'Es wurde nichts entschieden. An der Kasse können Sie weiterhin eine Finanzierung anfragen.',
};

export const message: MessageTexts = {
  title: 'In Raten zahlen',
  close: 'Schließen',
  plan: 'Kreditgeber',
  payment: 'Rate',
  count: 'Anzahl der Raten',
  apr: 'Effektiver Jahreszins',
  interest: 'Zinsen',
  leaseCost: 'Kosten des Leasings',
  total: 'Gesamtbetrag',
  perMonth: '{payment} im Monat',
  perWeek: '{payment} in der Woche',
  perTwoWeeks: '{payment} alle zwei Wochen',
  perDay: '{payment} am Tag',
  example: 'Repräsentatives Beispiel',
  amount: 'Finanzierter Betrag',
  cashPrice: 'Barzahlungspreis',
  last: 'Letzte Rate',
  questions: 'Fragen und Antworten',
  whatQuestion: 'Wie funktioniert das?',
  whatAnswer:
    'Ein Kreditgeber bezahlt dem Shop Ihre Bestellung, und Sie zahlen dem Kreditgeber die hier gezeigten Raten.',
  offerQuestion: 'Ist das mein endgültiges Angebot?',
  offerAnswer:
    'Nein. Diese Raten sind nach den veröffentlichten Bedingungen des Kreditgebers berechnet. Ihr eigenes Angebot macht der Kreditgeber nach Ihrem Antrag, und erst dann entscheiden Sie.',
  creditQuestion: 'Wirkt sich das auf meine Bonität aus?',
  creditAnswer:
    'Das hängt vom Kreditgeber ab. Er nennt seine Prüfungen, bevor Sie ihnen zustimmen.',
  disclosures: 'Angaben der Kreditgeber',
  qualify: 'Prüfen, ob Sie infrage kommen',
};

export const learnMore = 'Mehr erfahren';

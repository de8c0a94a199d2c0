import type { MessageTexts } from '../texts.ts';

/** German, with "Sie". */
export const texts: MessageTexts = {
  title: 'In Raten zahlen',
  close: 'Schließen',
  plan: 'Kreditgeber',
  payment: 'Rate',
  count: 'Anzahl der Raten',
  apr: 'Effektiver Jahreszins',
  interest: 'Zinsen',
  total: 'Gesamtbetrag',
  perMonth: '{payment} im Monat',
  perWeek: '{payment} in der Woche',
  perTwoWeeks: '{payment} alle zwei Wochen',
  perDay: '{payment} am Tag',
  example: 'Repräsentatives Beispiel',
  amount: 'Finanzierter Betrag',
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

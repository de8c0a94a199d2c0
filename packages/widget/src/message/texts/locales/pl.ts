import type { MessageTexts } from '../texts.ts';

/** Polish. */
export const texts: MessageTexts = {
  title: 'Płatność w ratach',
  close: 'Zamknij',
  plan: 'Kredytodawca',
  payment: 'Rata',
  count: 'Liczba rat',
  apr: 'RRSO',
  interest: 'Odsetki',
  total: 'Razem',
  perMonth: '{payment} miesięcznie',
  perWeek: '{payment} tygodniowo',
  perTwoWeeks: '{payment} co dwa tygodnie',
  perDay: '{payment} dziennie',
  example: 'Przykład reprezentatywny',
  amount: 'Kwota finansowana',
  last: 'Ostatnia rata',
  questions: 'Pytania i odpowiedzi',
  whatQuestion: 'Jak to działa?',
  whatAnswer:
    'Kredytodawca płaci sklepowi za zamówienie, a spłata następuje w pokazanych tu ratach.',
  offerQuestion: 'Czy to ostateczna oferta?',
  offerAnswer:
    'Nie. Raty obliczono według opublikowanych warunków kredytodawcy. Własną ofertę przedstawia kredytodawca po złożeniu wniosku i dopiero wtedy zapada decyzja.',
  creditQuestion: 'Czy to wpływa na ocenę kredytową?',
  creditAnswer:
    'To zależy od kredytodawcy. Informuje on o swoich sprawdzeniach przed udzieleniem zgody.',
  disclosures: 'Informacje kredytodawców',
  qualify: 'Sprawdź, czy spełniasz warunki',
};

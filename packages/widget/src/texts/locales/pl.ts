import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/** Polish, impersonal, so that no form depends on gender. */
export const checkout: Texts = {
  lang: 'pl',
  dir: 'ltr',
  label: 'Zapłać w ratach',
  resume: 'Kontynuuj wniosek',
  tryAgain: 'Spróbuj ponownie',
  startAgain: 'Zacznij od nowa',
  phone: 'Kontynuuj na telefonie',
  phoneWaiting: 'Zeskanuj kod telefonem albo otwórz na nim adres.',
  phoneLocal: 'Telefon nie otworzy tego adresu: prowadzi on do tego urządzenia.',
  copy: 'Skopiuj adres',
  copied: 'Adres skopiowany',
  openHere: 'Otwórz na tym urządzeniu',
  reload: 'Odśwież stronę',
  checkNow: 'Sprawdź teraz',
  working: 'Chwileczkę…',
  dialog: 'Płatność w ratach',
  close: 'Zamknij',
  loading: 'Otwieranie wniosku…',
  ready: 'Wniosek jest gotowy.',
  slow: 'To trwa dłużej niż zwykle.',
  approvedTitle: 'Finansowanie przyznane',
  approved: 'Kwota {amount} została sfinansowana. Nic więcej nie trzeba tu robić.',
  pendingTitle: 'Wniosek jest rozpatrywany',
  pending:
    'Można opuścić tę stronę. Sklep poinformuje o decyzji. Do tego czasu prosimy nie płacić w inny sposób.',
  declinedTitle: 'Tym razem brak oferty',
  declined:
    'Żaden kredytodawca nie przedstawił oferty dla tego zamówienia i nie pobrano żadnej opłaty. Kredytodawca poda przyczyny.',
  cancelledTitle: 'Wniosek przerwany',
  cancelled: 'Nie pobrano żadnej opłaty. W każdej chwili można zacząć od nowa.',
  cancelledLink:
    'Nie pobrano żadnej opłaty. Adres działa 24 godziny. Prosimy go nie używać, płacąc w inny sposób.',
  confirmingTitle: 'Kredytodawca potwierdza',
  confirming: 'To potrwa kilka sekund. Prosimy pozostać na tej stronie.',
  expiredTitle: 'Wniosek wygasł',
  expired: 'Nie pobrano żadnej opłaty. Można zacząć od nowa.',
  staleTitle: 'Ta strona jest otwarta od dawna',
  stale: 'Aby przejść dalej, odśwież stronę. Nie pobrano żadnej opłaty.',
  unavailableTitle: 'Finansowanie chwilowo niedostępne',
  unavailable: 'Nie pobrano żadnej opłaty. Spróbuj ponownie za chwilę lub zapłać w inny sposób.',
  offlineTitle: 'Brak połączenia z internetem',
  offline: 'Nie pobrano żadnej opłaty. Spróbuj ponownie po przywróceniu połączenia.',
  checkingTitle: 'Sprawdzamy wniosek',
  checking:
    'Prosimy jeszcze nie płacić w inny sposób. To może potrwać kilka minut, a wynik pojawi się tutaj.',
  failedTitle: 'Finansowanie tego zamówienia nie jest możliwe',
  failed: 'Nie pobrano żadnej opłaty. Prosimy zapłacić w inny sposób.',
  elsewhere: 'Przejdź na stronę kredytodawcy',
  awayTitle: 'Wniosek jest otwarty',
  away: 'Kontynuuj tam. Ta strona czeka i pokaże wynik.',
  showWindow: 'Pokaż okno',
  cancel: 'Anuluj',
  changedTitle: 'Koszyk się zmienił',
  changed:
    'Przyznana kwota to {amount}, a wartość koszyka wynosi teraz {current}. Nie pobrano żadnej opłaty.',
  changedCart:
    'Decyzja dotyczy czegoś innego niż to, co jest teraz w koszyku. Nie pobrano żadnej opłaty.',
  keep: 'Zostaw {amount}',
  approvedOther:
    'Kwota {amount} została sfinansowana. Wartość koszyka wynosi teraz {current}: sklep poinformuje, co stanie się z różnicą.',
  refundedTitle: 'Finansowanie zwrócone',
  refunded: '{current} wróciło do kredytodawcy.',
  reducedTitle: 'Część finansowania zwrócona',
  reduced: '{current} z {amount} wróciło do kredytodawcy.',
  voidedTitle: 'Finansowanie anulowane',
  voided: 'To zamówienie nie jest już sfinansowane.',
};

export const prequalify: OwnPrequalifyTexts = {
  label: 'Sprawdź, czy się kwalifikujesz',
  unavailableTitle: 'Pożyczkodawca jest teraz nieosiągalny',
  unavailable: 'O niczym nie zdecydowano. Spróbuj ponownie za chwilę.',
  prequalifiedTitle: 'Masz wstępną kwalifikację',
  prequalified:
    'Pożyczkodawca oferuje do {amount}. Wybierz finansowanie przy kasie: tam pożyczkodawca podejmie ostateczną decyzję.',
  prequalifiedOpen:
    'Pożyczkodawca oferuje finansowanie. Wybierz je przy kasie: tam pożyczkodawca podejmie ostateczną decyzję.',
  pending:
    'Pożyczkodawca jeszcze nie zdecydował albo czegoś od Ciebie potrzebuje. Możesz wrócić na tę stronę.',
  declined:
    'Żaden pożyczkodawca nie złożył oferty. Pożyczkodawca prześle Ci powody. Nadal możesz tu kupować i zapłacić w inny sposób.',
  notFoundTitle: 'Wniosek nie został złożony',
  notFound:
    'Zakończył się, zanim trafił do pożyczkodawcy, więc o niczym nie zdecydowano. Możesz zacząć od nowa.',
  cancelled: 'O niczym nie zdecydowano. Możesz kontynuować od miejsca, w którym skończono.',
  expired: 'O niczym nie zdecydowano. Możesz zacząć od nowa.',
  offline: 'O niczym nie zdecydowano. Spróbuj ponownie po połączeniu z siecią.',
  failedTitle: 'To nie jest teraz dostępne',
  failed: 'O niczym nie zdecydowano. Nadal możesz poprosić o finansowanie przy kasie.',
};

export const message: MessageTexts = {
  title: 'Płatność w ratach',
  close: 'Zamknij',
  plan: 'Kredytodawca',
  payment: 'Rata',
  count: 'Liczba rat',
  apr: 'RRSO',
  interest: 'Odsetki',
  leaseCost: 'Koszt leasingu',
  total: 'Razem',
  perMonth: '{payment} miesięcznie',
  perWeek: '{payment} tygodniowo',
  perTwoWeeks: '{payment} co dwa tygodnie',
  perDay: '{payment} dziennie',
  example: 'Przykład reprezentatywny',
  amount: 'Kwota finansowana',
  cashPrice: 'Cena gotówkowa',
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

export const learnMore = 'Dowiedz się więcej';

import type { Texts } from '../texts.ts';

/** Polish, impersonal, so that nobody is taken for a man or a woman. */
export const texts: Texts = {
  lang: 'pl',
  dir: 'ltr',
  label: 'Zapłać w ratach',
  resume: 'Kontynuuj wniosek',
  tryAgain: 'Spróbuj ponownie',
  startAgain: 'Zacznij od nowa',
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
  away: 'Kontynuuj w otwartym oknie. Ta strona czeka i pokaże wynik.',
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
};

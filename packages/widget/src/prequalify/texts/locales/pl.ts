import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: 'Sprawdź, czy się kwalifikujesz',
  dialog: 'Sprawdź, czy się kwalifikujesz',
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

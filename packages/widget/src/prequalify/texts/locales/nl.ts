import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: 'Kijk of u in aanmerking komt',
  dialog: 'Kijk of u in aanmerking komt',
  unavailableTitle: 'De kredietverstrekker is nu niet bereikbaar',
  unavailable: 'Er is niets besloten. Probeer het zo meteen opnieuw.',
  prequalifiedTitle: 'U komt vooraf in aanmerking',
  prequalified:
    'Een kredietverstrekker biedt u tot {amount}. Kies bij het afrekenen voor financiering: daar beslist de kredietverstrekker definitief.',
  prequalifiedOpen:
    'Een kredietverstrekker biedt u financiering. Kies die bij het afrekenen: daar beslist de kredietverstrekker definitief.',
  pending:
    'De kredietverstrekker heeft nog niet beslist, of heeft nog iets van u nodig. U kunt op deze pagina terugkomen.',
  declined:
    'Geen kredietverstrekker heeft een aanbod gedaan. De kredietverstrekker stuurt u de redenen. U kunt hier nog steeds kopen en anders betalen.',
  notFoundTitle: 'Er is geen aanvraag gedaan',
  notFound:
    'De aanvraag eindigde voordat een kredietverstrekker die kreeg; er is niets besloten. U kunt opnieuw beginnen.',
  cancelled: 'Er is niets besloten. U kunt verdergaan waar u was gebleven.',
  expired: 'Er is niets besloten. U kunt opnieuw beginnen.',
  offline: 'Er is niets besloten. Probeer het opnieuw als u verbinding hebt.',
  failedTitle: 'Dit is nu niet beschikbaar',
  failed: 'Er is niets besloten. U kunt bij het afrekenen nog steeds financiering aanvragen.',
};

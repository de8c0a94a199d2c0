import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/** Dutch, with "u". */
export const checkout: Texts = {
  lang: 'nl',
  dir: 'ltr',
  label: 'Gespreid betalen',
  resume: 'Uw aanvraag voortzetten',
  tryAgain: 'Opnieuw proberen',
  startAgain: 'Opnieuw beginnen',
  phone: 'Verdergaan op uw telefoon',
  phoneWaiting: 'Scan de code met uw telefoon of open daar het adres.',
  phoneLocal: 'Een telefoon kan dit adres niet openen: het leidt naar dit apparaat.',
  copy: 'Adres kopiëren',
  copied: 'Adres gekopieerd',
  openHere: 'Op dit apparaat openen',
  reload: 'Pagina opnieuw laden',
  checkNow: 'Nu controleren',
  working: 'Een ogenblik…',
  dialog: 'Gespreid betalen',
  close: 'Sluiten',
  loading: 'Uw aanvraag wordt geopend…',
  ready: 'Uw aanvraag staat klaar.',
  slow: 'Dit duurt langer dan gewoonlijk.',
  approvedTitle: 'Uw financiering is goedgekeurd',
  approved: 'Het bedrag van {amount} is gefinancierd. U hoeft hier niets meer te doen.',
  pendingTitle: 'Uw aanvraag wordt beoordeeld',
  pending:
    'U kunt deze pagina verlaten. De winkel laat u weten wanneer er een besluit is. Betaal intussen niet op een andere manier.',
  declinedTitle: 'Deze keer geen aanbod',
  declined:
    'Geen enkele kredietverstrekker heeft een aanbod gedaan voor deze bestelling en er is niets in rekening gebracht. De kredietverstrekker stuurt u de redenen.',
  cancelledTitle: 'U hebt de aanvraag verlaten',
  cancelled: 'Er is niets in rekening gebracht. U kunt altijd opnieuw beginnen.',
  cancelledLink:
    'Er is niets in rekening gebracht. Het adres werkt 24 uur: gebruik het niet als u anders betaalt.',
  confirmingTitle: 'Bevestiging bij uw kredietverstrekker',
  confirming: 'Dit duurt een paar seconden. Blijf op deze pagina.',
  expiredTitle: 'De tijd voor uw aanvraag is verstreken',
  expired: 'Er is niets in rekening gebracht. U kunt opnieuw beginnen.',
  staleTitle: 'Deze pagina staat al een tijd open',
  stale: 'Laad de pagina opnieuw om verder te gaan. Er is niets in rekening gebracht.',
  unavailableTitle: 'Financiering is op dit moment niet bereikbaar',
  unavailable:
    'Er is niets in rekening gebracht. Probeer het zo opnieuw of betaal op een andere manier.',
  offlineTitle: 'U lijkt offline te zijn',
  offline: 'Er is niets in rekening gebracht. Probeer het opnieuw zodra u verbinding hebt.',
  checkingTitle: 'We controleren uw aanvraag',
  checking:
    'Betaal nog niet op een andere manier. Dit kan enkele minuten duren; u ziet het resultaat hier.',
  failedTitle: 'Financiering is niet mogelijk voor deze bestelling',
  failed: 'Er is niets in rekening gebracht. Betaal op een andere manier.',
  elsewhere: 'Verder op de pagina van de kredietverstrekker',
  awayTitle: 'Uw aanvraag is geopend',
  away: 'Ga daar verder. Deze pagina wacht op u en toont het resultaat.',
  showWindow: 'Venster tonen',
  cancel: 'Annuleren',
  changedTitle: 'Uw winkelwagen is gewijzigd',
  changed:
    'Goedgekeurd voor {amount}, uw winkelwagen is nu {current}. Er is niets in rekening gebracht.',
  changedCart:
    'Wat is goedgekeurd, is niet wat er nu in uw winkelwagen zit. Er is niets in rekening gebracht.',
  keep: '{amount} behouden',
  approvedOther:
    'Het bedrag van {amount} is gefinancierd. Uw winkelwagen is nu {current}: de winkel laat u weten wat er met het verschil gebeurt.',
  refundedTitle: 'Uw financiering is terugbetaald',
  refunded: '{current} ging terug naar de kredietverstrekker.',
  reducedTitle: 'Een deel van uw financiering is terugbetaald',
  reduced: '{current} van {amount} ging terug naar de kredietverstrekker.',
  voidedTitle: 'Uw financiering is geannuleerd',
  voided: 'Deze bestelling is niet meer gefinancierd.',
};

export const prequalify: OwnPrequalifyTexts = {
  label: 'Kijk of u in aanmerking komt',
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

export const message: MessageTexts = {
  title: 'Betalen in termijnen',
  close: 'Sluiten',
  plan: 'Kredietverstrekker',
  payment: 'Termijnbedrag',
  count: 'Aantal termijnen',
  apr: 'JKP',
  interest: 'Rente',
  leaseCost: 'Kosten van de lease',
  total: 'Totaal',
  perMonth: '{payment} per maand',
  perWeek: '{payment} per week',
  perTwoWeeks: '{payment} per twee weken',
  perDay: '{payment} per dag',
  example: 'Representatief voorbeeld',
  amount: 'Gefinancierd bedrag',
  cashPrice: 'Contante prijs',
  last: 'Laatste termijn',
  questions: 'Vragen en antwoorden',
  whatQuestion: 'Hoe werkt het?',
  whatAnswer:
    'Een kredietverstrekker betaalt de winkel voor uw bestelling, en u betaalt de kredietverstrekker terug in de termijnen die hier staan.',
  offerQuestion: 'Is dit mijn definitieve aanbod?',
  offerAnswer:
    'Nee. Deze termijnen zijn berekend volgens de gepubliceerde voorwaarden van de kredietverstrekker. Uw eigen aanbod krijgt u van de kredietverstrekker na uw aanvraag, en dan beslist u.',
  creditQuestion: 'Heeft dit invloed op mijn kredietscore?',
  creditAnswer:
    'Dat hangt af van de kredietverstrekker. Die vermeldt welke controles plaatsvinden voordat u ermee instemt.',
  disclosures: 'Informatie van de kredietverstrekkers',
  qualify: 'Bekijk of u in aanmerking komt',
};

export const learnMore = 'Meer informatie';

import type { Texts } from '../texts.ts';

/** Dutch, with "u". */
export const texts: Texts = {
  lang: 'nl',
  dir: 'ltr',
  label: 'Gespreid betalen',
  resume: 'Uw aanvraag voortzetten',
  tryAgain: 'Opnieuw proberen',
  startAgain: 'Opnieuw beginnen',
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

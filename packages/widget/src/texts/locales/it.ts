import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/** Italian, avoiding both "tu" and "Lei" where possible. */
export const checkout: Texts = {
  lang: 'it',
  dir: 'ltr',
  label: 'Paga a rate',
  resume: 'Continua la richiesta',
  tryAgain: 'Riprova',
  startAgain: 'Ricomincia',
  phone: 'Continua sul telefono',
  phoneWaiting: 'Scansiona il codice con il telefono o apri lì l’indirizzo.',
  phoneLocal: 'Un telefono non può aprire questo indirizzo: porta a questo dispositivo.',
  copy: 'Copia l’indirizzo',
  copied: 'Indirizzo copiato',
  openHere: 'Apri su questo dispositivo',
  reload: 'Ricarica la pagina',
  checkNow: 'Verifica ora',
  working: 'Un momento…',
  dialog: 'Pagamento a rate',
  close: 'Chiudi',
  loading: 'Apertura della richiesta…',
  ready: 'La richiesta è pronta.',
  slow: 'L’operazione richiede più tempo del solito.',
  approvedTitle: 'Il finanziamento è approvato',
  approved: 'L’importo di {amount} è finanziato. Non occorre fare altro qui.',
  pendingTitle: 'La richiesta è in fase di valutazione',
  pending:
    'È possibile lasciare questa pagina. Il negozio comunicherà la decisione. Nel frattempo, non pagare in altro modo.',
  declinedTitle: 'Nessuna offerta questa volta',
  declined:
    'Nessun finanziatore ha fatto un’offerta per questo ordine e non è stato addebitato nulla. I motivi saranno comunicati dal finanziatore.',
  cancelledTitle: 'La richiesta è stata abbandonata',
  cancelled: 'Non è stato addebitato nulla. È possibile ricominciare in qualsiasi momento.',
  cancelledLink:
    'Non è stato addebitato nulla. L’indirizzo è valido per 24 ore: non usarlo se paghi in un altro modo.',
  confirmingTitle: 'Conferma in corso presso il finanziatore',
  confirming: 'Bastano pochi secondi. Rimani su questa pagina.',
  expiredTitle: 'Il tempo per la richiesta è scaduto',
  expired: 'Non è stato addebitato nulla. È possibile ricominciare.',
  staleTitle: 'Questa pagina è aperta da un po’',
  stale: 'Ricaricala per continuare. Non è stato addebitato nulla.',
  unavailableTitle: 'Il finanziamento non è raggiungibile in questo momento',
  unavailable: 'Non è stato addebitato nulla. Riprova tra poco o paga in altro modo.',
  offlineTitle: 'Connessione assente',
  offline: 'Non è stato addebitato nulla. Riprova quando la connessione è attiva.',
  checkingTitle: 'Stiamo verificando la richiesta',
  checking:
    'Non pagare ancora in altro modo. Possono volerci alcuni minuti: il risultato comparirà qui.',
  failedTitle: 'Questo ordine non può essere finanziato',
  failed: 'Non è stato addebitato nulla. Scegli un altro metodo di pagamento.',
  elsewhere: 'Continua sulla pagina del finanziatore',
  awayTitle: 'La richiesta è aperta',
  away: 'Continua lì. Questa pagina attende e mostrerà il risultato.',
  showWindow: 'Mostra la finestra',
  cancel: 'Annulla',
  changedTitle: 'Il carrello è cambiato',
  changed:
    'L’importo approvato è {amount}, il carrello ora è di {current}. Non è stato addebitato nulla.',
  changedCart:
    'Ciò che è stato approvato non è ciò che ora è nel carrello. Non è stato addebitato nulla.',
  keep: 'Mantieni {amount}',
  approvedOther:
    'L’importo di {amount} è finanziato. Il carrello ora è di {current}: il negozio comunicherà che cosa accade con la differenza.',
  refundedTitle: 'Il finanziamento è stato rimborsato',
  refunded: '{current} sono tornati al finanziatore.',
  reducedTitle: 'Una parte del finanziamento è stata rimborsata',
  reduced: '{current} di {amount} sono tornati al finanziatore.',
  voidedTitle: 'Il finanziamento è stato annullato',
  voided: 'Questo ordine non è più finanziato.',
};

export const prequalify: OwnPrequalifyTexts = {
  label: 'Verifica se hai i requisiti',
  unavailableTitle: 'Il finanziatore non è raggiungibile al momento',
  unavailable: 'Non è stato deciso nulla. Riprova tra poco.',
  prequalifiedTitle: 'Hai una prequalifica',
  prequalified:
    'Un finanziatore ti offre fino a {amount}. Scegli il finanziamento alla cassa: lì il finanziatore prende la decisione definitiva.',
  prequalifiedOpen:
    'Un finanziatore ti offre un finanziamento. Sceglilo alla cassa: lì il finanziatore prende la decisione definitiva.',
  pending:
    'Il finanziatore non ha ancora deciso o ha bisogno di qualcosa da te. Puoi tornare su questa pagina.',
  declined:
    'Nessun finanziatore ha fatto un’offerta. Il finanziatore ti comunicherà i motivi. Puoi comunque acquistare qui e pagare in altro modo.',
  notFoundTitle: 'Nessuna richiesta è stata presentata',
  notFound:
    'Si è conclusa prima di raggiungere un finanziatore, quindi non è stato deciso nulla. Puoi ricominciare.',
  cancelled: 'Non è stato deciso nulla. Puoi riprendere da dove eri rimasto.',
  expired: 'Non è stato deciso nulla. Puoi ricominciare.',
  offline: 'Non è stato deciso nulla. Riprova quando sei connesso.',
  failedTitle: 'Non è disponibile al momento',
  failed: 'Non è stato deciso nulla. Puoi comunque chiedere un finanziamento alla cassa.',
};

export const message: MessageTexts = {
  title: 'Pagare a rate',
  close: 'Chiudi',
  plan: 'Finanziatore',
  payment: 'Rata',
  count: 'Numero di rate',
  apr: 'TAEG',
  interest: 'Interessi',
  leaseCost: 'Costo del leasing',
  total: 'Totale',
  perMonth: '{payment} al mese',
  perWeek: '{payment} a settimana',
  perTwoWeeks: '{payment} ogni due settimane',
  perDay: '{payment} al giorno',
  example: 'Esempio rappresentativo',
  amount: 'Importo finanziato',
  cashPrice: 'Prezzo in contanti',
  last: 'Ultima rata',
  questions: 'Domande e risposte',
  whatQuestion: 'Come funziona?',
  whatAnswer:
    'Un finanziatore paga l’ordine al negozio, e il rimborso avviene con le rate indicate qui.',
  offerQuestion: 'È la mia offerta definitiva?',
  offerAnswer:
    'No. Queste rate sono calcolate in base alle condizioni pubblicate dal finanziatore. L’offerta personale arriva dal finanziatore dopo la richiesta, e la decisione si prende allora.',
  creditQuestion: 'Influisce sul mio merito creditizio?',
  creditAnswer:
    'Dipende dal finanziatore. Le verifiche previste sono indicate prima di accettarle.',
  disclosures: 'Informazioni dei finanziatori',
  qualify: 'Verifica i requisiti',
};

export const learnMore = 'Scopri di più';

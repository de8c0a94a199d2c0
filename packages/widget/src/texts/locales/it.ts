import type { Texts } from '../texts.ts';

/** Italian, without addressing anybody by "tu" or "Lei" where that can be helped. */
export const texts: Texts = {
  lang: 'it',
  dir: 'ltr',
  label: 'Paga a rate',
  resume: 'Continua la richiesta',
  tryAgain: 'Riprova',
  startAgain: 'Ricomincia',
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
};

import type { MessageTexts } from '../texts.ts';

/** Italian, with "lei" avoided. */
export const texts: MessageTexts = {
  title: 'Pagare a rate',
  close: 'Chiudi',
  plan: 'Finanziatore',
  payment: 'Rata',
  count: 'Numero di rate',
  apr: 'TAEG',
  interest: 'Interessi',
  total: 'Totale',
  perMonth: '{payment} al mese',
  perWeek: '{payment} a settimana',
  perTwoWeeks: '{payment} ogni due settimane',
  perDay: '{payment} al giorno',
  example: 'Esempio rappresentativo',
  amount: 'Importo finanziato',
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

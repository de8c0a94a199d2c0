import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: 'Verifica se hai i requisiti',
  dialog: 'Verifica se hai i requisiti',
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

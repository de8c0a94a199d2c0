import type { MessageTexts } from '../texts.ts';

/** French, with "vous". */
export const texts: MessageTexts = {
  title: 'Payer en plusieurs fois',
  close: 'Fermer',
  plan: 'Prêteur',
  payment: 'Paiement',
  count: 'Nombre de paiements',
  apr: 'TAEG',
  interest: 'Intérêts',
  total: 'Total',
  perMonth: '{payment} par mois',
  perWeek: '{payment} par semaine',
  perTwoWeeks: '{payment} toutes les deux semaines',
  perDay: '{payment} par jour',
  example: 'Exemple représentatif',
  amount: 'Montant financé',
  last: 'Dernier paiement',
  questions: 'Questions et réponses',
  whatQuestion: 'Comment cela fonctionne-t-il ?',
  whatAnswer:
    'Un prêteur règle votre commande à la boutique, et vous le remboursez par les paiements indiqués ici.',
  offerQuestion: 'Est-ce mon offre définitive ?',
  offerAnswer:
    'Non. Ces paiements sont calculés selon les conditions publiées par le prêteur. Votre propre offre vient du prêteur après votre demande, et c’est alors que vous décidez.',
  creditQuestion: 'Cela a-t-il un effet sur ma cote de crédit ?',
  creditAnswer:
    'Cela dépend du prêteur. Il indique les vérifications qu’il effectue avant que vous les acceptiez.',
  disclosures: 'Informations des prêteurs',
  qualify: 'Vérifier votre éligibilité',
};

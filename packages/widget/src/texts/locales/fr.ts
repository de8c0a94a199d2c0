import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/** French, with "vous". */
export const checkout: Texts = {
  lang: 'fr',
  dir: 'ltr',
  label: 'Payer en plusieurs fois',
  resume: 'Reprendre votre demande',
  tryAgain: 'Réessayer',
  startAgain: 'Recommencer',
  phone: 'Continuer sur votre téléphone',
  phoneWaiting: 'Scannez le code avec votre téléphone, ou ouvrez-y l’adresse.',
  phoneLocal: 'Un téléphone ne peut pas ouvrir cette adresse : elle mène à cet appareil.',
  copy: 'Copier l’adresse',
  copied: 'Adresse copiée',
  openHere: 'Ouvrir sur cet appareil',
  reload: 'Recharger la page',
  checkNow: 'Vérifier maintenant',
  working: 'Un instant…',
  dialog: 'Paiement en plusieurs fois',
  close: 'Fermer',
  loading: 'Ouverture de votre demande…',
  ready: 'Votre demande est prête.',
  slow: 'Cela prend plus de temps que d’habitude.',
  approvedTitle: 'Votre financement est accepté',
  approved: 'Le montant de {amount} est financé. Vous n’avez plus rien à faire ici.',
  pendingTitle: 'Votre demande est à l’étude',
  pending:
    'Vous pouvez quitter cette page. La boutique vous informera de la décision. En attendant, merci de ne pas payer autrement.',
  declinedTitle: 'Aucune offre cette fois-ci',
  declined:
    'Aucun organisme prêteur n’a fait d’offre pour cette commande et aucun montant n’a été débité. Le prêteur vous en communiquera les motifs.',
  cancelledTitle: 'Vous avez quitté la demande',
  cancelled: 'Aucun montant n’a été débité. Vous pouvez recommencer quand vous voulez.',
  cancelledLink:
    'Aucun montant n’a été débité. L’adresse reste valable 24 heures : ne l’utilisez pas si vous payez autrement.',
  confirmingTitle: 'Confirmation auprès du prêteur',
  confirming: 'Cela prend quelques secondes. Merci de rester sur cette page.',
  expiredTitle: 'Le délai de votre demande a expiré',
  expired: 'Aucun montant n’a été débité. Vous pouvez recommencer.',
  staleTitle: 'Cette page est ouverte depuis un moment',
  stale: 'Rechargez-la pour continuer. Aucun montant n’a été débité.',
  unavailableTitle: 'Le financement est momentanément indisponible',
  unavailable: 'Aucun montant n’a été débité. Réessayez dans un instant ou payez autrement.',
  offlineTitle: 'Vous semblez être hors ligne',
  offline: 'Aucun montant n’a été débité. Réessayez une fois la connexion rétablie.',
  checkingTitle: 'Nous vérifions votre demande',
  checking:
    'Merci de ne pas encore payer autrement. Cela peut prendre quelques minutes ; le résultat s’affichera ici.',
  failedTitle: 'Le financement n’est pas possible pour cette commande',
  failed: 'Aucun montant n’a été débité. Merci de payer autrement.',
  elsewhere: 'Continuer sur la page du prêteur',
  awayTitle: 'Votre demande est ouverte',
  away: 'Continuez là-bas. Cette page vous attend et affichera le résultat.',
  showWindow: 'Afficher la fenêtre',
  cancel: 'Annuler',
  changedTitle: 'Votre panier a changé',
  changed:
    'Accord pour {amount}, votre panier est maintenant de {current}. Aucun montant n’a été débité.',
  changedCart:
    'Ce qui a été accepté ne correspond plus à votre panier. Aucun montant n’a été débité.',
  keep: 'Garder {amount}',
  approvedOther:
    'Le montant de {amount} est financé. Votre panier est maintenant de {current} : la boutique vous dira ce qu’il advient de la différence.',
  refundedTitle: 'Votre financement a été remboursé',
  refunded: '{current} ont été rendus au prêteur.',
  reducedTitle: 'Une partie de votre financement a été remboursée',
  reduced: '{current} sur {amount} ont été rendus au prêteur.',
  voidedTitle: 'Votre financement a été annulé',
  voided: 'Cette commande n’est plus financée.',
};

export const prequalify: OwnPrequalifyTexts = {
  label: 'Vérifier mon éligibilité',
  unavailableTitle: 'Le prêteur est injoignable pour le moment',
  unavailable: 'Rien n’a été décidé. Réessayez dans un instant.',
  prequalifiedTitle: 'Vous êtes préqualifié',
  prequalified:
    'Un prêteur vous propose jusqu’à {amount}. Choisissez le financement à la caisse : le prêteur y prend sa décision définitive.',
  prequalifiedOpen:
    'Un prêteur vous propose un financement. Choisissez-le à la caisse : le prêteur y prend sa décision définitive.',
  pending:
    'Le prêteur n’a pas encore décidé, ou attend quelque chose de vous. Vous pouvez revenir sur cette page.',
  declined:
    'Aucun prêteur n’a fait d’offre. Le prêteur vous en communiquera les raisons. Vous pouvez toujours acheter ici et payer autrement.',
  notFoundTitle: 'Aucune demande n’a été faite',
  notFound:
    'Elle a pris fin avant d’atteindre un prêteur : rien n’a été décidé. Vous pouvez recommencer.',
  cancelled: 'Rien n’a été décidé. Vous pouvez reprendre là où vous en étiez.',
  expired: 'Rien n’a été décidé. Vous pouvez recommencer.',
  offline: 'Rien n’a été décidé. Réessayez une fois connecté.',
  failedTitle: 'Ce n’est pas disponible pour le moment',
  failed: 'Rien n’a été décidé. Vous pouvez toujours demander un financement à la caisse.',
};

export const message: MessageTexts = {
  title: 'Payer en plusieurs fois',
  close: 'Fermer',
  plan: 'Prêteur',
  payment: 'Paiement',
  count: 'Nombre de paiements',
  apr: 'TAEG',
  interest: 'Intérêts',
  leaseCost: 'Coût de la location',
  total: 'Total',
  perMonth: '{payment} par mois',
  perWeek: '{payment} par semaine',
  perTwoWeeks: '{payment} toutes les deux semaines',
  perDay: '{payment} par jour',
  example: 'Exemple représentatif',
  amount: 'Montant financé',
  cashPrice: 'Prix au comptant',
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

export const learnMore = 'En savoir plus';

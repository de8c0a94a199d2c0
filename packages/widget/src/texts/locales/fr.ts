import type { Texts } from '../texts.ts';

/** French, with "vous". */
export const texts: Texts = {
  lang: 'fr',
  dir: 'ltr',
  label: 'Payer en plusieurs fois',
  resume: 'Reprendre votre demande',
  tryAgain: 'Réessayer',
  startAgain: 'Recommencer',
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
};

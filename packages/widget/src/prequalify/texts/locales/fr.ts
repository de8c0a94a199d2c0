import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: 'Vérifier mon éligibilité',
  dialog: 'Vérifier mon éligibilité',
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

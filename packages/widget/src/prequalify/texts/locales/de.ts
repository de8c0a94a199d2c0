import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: 'Finanzierung anfragen',
  dialog: 'Finanzierung anfragen',
  unavailableTitle: 'Der Kreditgeber ist gerade nicht erreichbar',
  unavailable: 'Es wurde nichts entschieden. Versuchen Sie es gleich noch einmal.',
  prequalifiedTitle: 'Sie sind vorab bestätigt',
  prequalified:
    'Ein Kreditgeber bietet Ihnen bis zu {amount}. Wählen Sie an der Kasse die Finanzierung: Dort entscheidet der Kreditgeber endgültig.',
  prequalifiedOpen:
    'Ein Kreditgeber bietet Ihnen eine Finanzierung. Wählen Sie sie an der Kasse: Dort entscheidet der Kreditgeber endgültig.',
  pending:
    'Der Kreditgeber hat noch nicht entschieden oder braucht noch etwas von Ihnen. Sie können auf diese Seite zurückkommen.',
  declined:
    'Kein Kreditgeber hat ein Angebot gemacht. Der Kreditgeber teilt Ihnen die Gründe mit. Sie können hier weiterhin einkaufen und anders bezahlen.',
  notFoundTitle: 'Es wurde kein Antrag gestellt',
  notFound:
    'Er endete, bevor er einen Kreditgeber erreichte; es wurde nichts entschieden. Sie können neu beginnen.',
  cancelled: 'Es wurde nichts entschieden. Sie können dort weitermachen, wo Sie aufgehört haben.',
  expired: 'Es wurde nichts entschieden. Sie können neu beginnen.',
  offline: 'Es wurde nichts entschieden. Versuchen Sie es noch einmal, wenn Sie verbunden sind.',
  failedTitle: 'Das ist gerade nicht verfügbar',
  failed:
    'Es wurde nichts entschieden. An der Kasse können Sie weiterhin eine Finanzierung anfragen.',
};

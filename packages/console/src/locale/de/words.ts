import type { Texts } from '../en.ts';

export const words: Texts['words'] = {
  headlines: {
    PARTIALLY_FUNDED: 'Teilweise ausgezahlt',
    AWAITING_FUNDING: 'Auszahlung steht aus',
    CHARGED_BACK: 'Rückbelastet',
    PARTIALLY_CHARGED_BACK: 'Teilweise rückbelastet',
    REFUNDED: 'Erstattet',
    PARTIALLY_REFUNDED: 'Teilweise erstattet',
    CHARGEBACK_REVERSED: 'Rückbelastung aufgehoben',
    FUNDED: 'Ausgezahlt',
    NOTHING_DUE: 'Nichts fällig',
  },
  caseStates: { open: 'Offen', resolved: 'Gelöst', ignored: 'Ignoriert', closed: 'Geschlossen' },
  syncStates: {
    running: 'Läuft',
    complete: 'Vollständig',
    partial: 'Unvollständig',
    failed: 'Fehlgeschlagen',
  },
};

import type { Texts } from '../en.ts';

export const orders: Texts['orders'] = {
  expected: 'Erwartet',
  funded: 'Ausgezahlt',
  share: 'Anteil am Schritt',
  net: 'Netto nach Abschlag',
  changed: 'Geändert',
  none: 'Keine Bestellung passt zu diesen Filtern',
  step: (name) => `Schritt der Geldbewegung: ${name}`,
  steps: {
    opening: 'Vorher unterwegs',
    expected: 'Eingezogen',
    awaiting: 'Offen',
    short: 'Überfällig',
    accepted: 'Hingenommen',
    over: 'Zu viel',
    refunds: 'Erstattungen',
    chargebacks: 'Rückbelastungen',
    reversals: 'Aufhebungen',
    duplicates: 'Doppelt bezahlt',
    other: 'Ohne Posten im Hauptbuch',
    discount: 'Abschlag',
    net: 'Netto',
    unexplained: 'Ungeklärt',
  },
};

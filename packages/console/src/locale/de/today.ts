import type { Texts } from '../en.ts';
import { count } from './common.ts';

export const today: Texts['today'] = {
  kindsLabel: 'Arten von Aufgaben',
  kinds: {
    exception: 'Abweichungen',
    'late-funding': 'Verspätete Auszahlungen',
    hold: 'Bald ablaufende Reservierungen',
    'unclear-operation': 'Unklare Vorgänge',
    'dead-webhook': 'Nicht zugestellte Webhooks',
    'dead-alert': 'Nicht zugestellte Hinweise',
    'unproven-day': 'Nicht nachgewiesene Tage',
    quarantine: 'In Quarantäne',
  },
  titles: {
    hold: 'Reserviert, nicht eingezogen',
    'dead-webhook': 'Der Shop hat diese Nachricht nicht erhalten',
    'dead-alert': 'Die Buchhaltung hat diesen Hinweis nicht erhalten',
    quarantine: 'Ein Datensatz ist nicht als Betrag lesbar',
  },
  operations: { settle: 'Einzug', refund: 'Erstattung', void: 'Storno' },
  unclear: (operation) => `${operation}: Ergebnis unklar`,
  unprovenDay: (day) => `${day} ist nicht nachgewiesen`,
  ends: (day) => `läuft ab am ${day}`,
  nothing: 'Heute ist nichts zu tun',
  nothingHint: 'Alle Bestellungen stimmen. Neue Aufgaben erscheinen hier von selbst.',
  nothingOfKind: 'Nichts von dieser Art',
  hidden: (n) =>
    `${count(n, 'weitere Aufgabe', 'weitere Aufgaben')} mit kleineren Beträgen: siehe Fälle.`,
  report: 'Ergebnis melden',
  reportTitle: 'Was hat der Dienst getan?',
  reportHint:
    'Sehen Sie die Zahlung im Portal des Dienstes nach. Der Companion fragt den Dienst noch einmal, und dessen Antwort gilt.',
  done: 'Genau dieser Vorgang hat stattgefunden',
  notDone: 'Nichts davon hat stattgefunden',
  note: 'Wo Sie nachgesehen und was Sie gefunden haben',
  outcomeMissing: 'Wählen Sie, was stattgefunden hat.',
  noteMissing: 'Geben Sie an, wo Sie nachgesehen haben: Es bleibt beim Vorgang.',
};

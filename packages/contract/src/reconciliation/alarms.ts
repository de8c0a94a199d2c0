/**
 * Alarms: evidence that records were altered, or are lost. Each is an event of the trail, and stands until a
 * person acknowledges it.
 */
export const alarmKinds = [
  'trail-broken',
  'operation-without-entry',
  'entry-without-operation',
  'ledger-replaced',
  'records-lost',
] as const;
export type AlarmKind = (typeof alarmKinds)[number];

/** What an alarm says: its name, and what to do before it is acknowledged. */
export const alarmTexts: Record<
  'en' | 'de',
  Readonly<Record<AlarmKind, { name: string; remedy: string }>>
> = {
  en: {
    'trail-broken': {
      name: 'The trail is not the one that was written',
      remedy: 'Verify it, compare the record store with a backup, and find out who wrote to it.',
    },
    'operation-without-entry': {
      name: 'The companion has an operation that the trail lacks',
      remedy: 'Ask who has the money token of reconciliation, and compare the charge.',
    },
    'entry-without-operation': {
      name: 'The trail has an operation that the companion lacks',
      remedy: 'Compare the charge at the service: the companion may have lost the operation.',
    },
    'ledger-replaced': {
      name: 'The companion’s ledger lacks an entry that was read',
      remedy:
        'Its store was restored or replaced. Compare the orders since the backup with the service.',
    },
    'records-lost': {
      name: 'The companion has lost a record in a change of its database server',
      remedy: 'Compare the charge with the service and the shop. Nothing is sent again.',
    },
  },
  de: {
    'trail-broken': {
      name: 'Das Protokoll ist nicht das, das geschrieben wurde',
      remedy:
        'Prüfen Sie es, vergleichen Sie die Datenbank mit einer Sicherung, und klären Sie, wer hineingeschrieben hat.',
    },
    'operation-without-entry': {
      name: 'Der Companion hat einen Vorgang, der im Protokoll fehlt',
      remedy: 'Klären Sie, wer das Geld-Token der Abstimmung hat, und vergleichen Sie die Zahlung.',
    },
    'entry-without-operation': {
      name: 'Das Protokoll hat einen Vorgang, der beim Companion fehlt',
      remedy:
        'Vergleichen Sie die Zahlung beim Dienst: Der Companion hat den Vorgang vielleicht verloren.',
    },
    'ledger-replaced': {
      name: 'Im Hauptbuch des Companions fehlt ein Eintrag, der gelesen wurde',
      remedy:
        'Seine Datenbank wurde wiederhergestellt oder ersetzt. Vergleichen Sie die Bestellungen seit der Sicherung mit dem Dienst.',
    },
    'records-lost': {
      name: 'Der Companion hat beim Wechsel seines Datenbankservers etwas verloren',
      remedy:
        'Vergleichen Sie die Zahlung mit dem Dienst und dem Shop. Nichts wird noch einmal gesendet.',
    },
  },
};

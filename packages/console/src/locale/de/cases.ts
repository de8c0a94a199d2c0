import type { CaseSheetRefusalCode } from '@financing-checkout/contract';
import type { Texts } from '../en.ts';
import { count } from './common.ts';

const refusals: Record<CaseSheetRefusalCode, string> = {
  'case-unknown':
    'Diesen Fall gibt es nicht. Stellen Sie die Spalte case wieder her, oder laden Sie die Fälle erneut herunter.',
  'case-repeated': 'Eine andere Zeile nennt denselben Fall. Behalten Sie eine davon.',
  'revision-unknown':
    'Diesen Stand des Falls gibt es nicht. Stellen Sie die Spalte revision wieder her, oder laden Sie die Fälle erneut herunter.',
  'case-changed':
    'Der Fall wurde nach dem Herunterladen geändert. Laden Sie die Fälle erneut herunter.',
  'row-contradicts':
    'Die Zeile passt nicht zu ihrem Fall: Die Tabellenkalkulation hat einen Wert geändert, oder Zeilen sind vermischt. Stellen Sie den Wert wieder her.',
  'row-unreadable': 'Die Zeile ist nicht lesbar.',
  'person-unknown':
    'Diese Person ist unbekannt. Berichtigen Sie den Namen, oder erlauben Sie neue Personen.',
  'reason-missing': 'Es fehlt ein neuer Grund. Schreiben Sie ihn in die Spalte reason.',
  'reason-without-decision':
    'Ein offener Fall hat keinen Grund. Setzen Sie state auf resolved oder ignored, oder schreiben Sie den Text in die Spalte note.',
  'state-unknown': 'Diesen Status gibt es nicht. Schreiben Sie open, resolved oder ignored.',
  'state-not-permitted':
    'Der Fall ist geschlossen, weil seine Abweichung behoben ist. Nur Notizen sind möglich.',
  'text-invalid': 'Ein Text ist zu lang oder hat ungültige Zeichen. Schreiben Sie ihn neu.',
  'order-same':
    'Die Zeilen haben diese Bestellung schon. Leeren Sie correct_order. Fehlen Nullen am Anfang, schreiben Sie order: vor die Bestellung.',
  'order-unknown':
    'Zu dieser Bestellung gibt es keine Zeile, keine Zahlung und keine Autorisierung. Berichtigen Sie sie, oder importieren Sie eine berichtigte Datei.',
  'order-ambiguous':
    'Es gibt die Bestellung auch mit Nullen am Anfang. Schreiben Sie order: vor die richtige.',
  'order-contradicts':
    'Eine andere Zeile nennt für dieselbe Bestellung eine andere richtige. Behalten Sie eine davon.',
  'lines-not-imported':
    'Die Bestellung hat keine Zeile aus einer Datei. Leeren Sie correct_order. Gehört die Zeile der Datei einer anderen Bestellung, schreiben Sie die richtige bei dieser.',
  'lines-changed':
    'Zeilen oder Zahlungen der Bestellung haben sich nach dem Herunterladen geändert. Laden Sie die Fälle erneut herunter.',
  'lines-alike':
    'Die richtige Bestellung hat schon eine Zeile mit diesem Betrag, vielleicht dieselbe. Importieren Sie eine berichtigte Datei: Der Import fragt danach.',
  'imports-not-permitted':
    'Um die Bestellung importierter Zeilen zu berichtigen, braucht Ihr Token das Recht „imports“. Leeren Sie correct_order.',
};

export const cases: Texts['cases'] = {
  intro:
    'Ein Fall je Abweichung. Die Abstimmung schließt einen Fall, wenn seine Abweichung behoben ist.',
  age: 'Alter',
  assignee: 'Zugewiesen an',
  unassigned: 'Nicht zugewiesen',
  least: 'Mindestens',
  minimumAge: 'Älter als (Tage)',
  opened: 'Eröffnet',
  mine: 'Mir zugewiesen',
  empty: 'Kein Fall passt zu diesen Filtern',
  emptyHint: 'Setzen Sie die Filter zurück, um alle offenen Fälle zu sehen.',
  none: 'Kein offener Fall',
  noneHint: 'Alle Abweichungen sind geklärt. Neue erscheinen hier nach dem nächsten Abgleich.',
  readOnly: 'Sie können Fälle ansehen. Um sie zu bearbeiten, braucht Ihr Token das Recht „cases“.',
  ageing: {
    title: 'Offene Fälle nach Alter',
    open: 'Offen',
    old: 'Älter als 7 Tage',
    amount: 'Betroffener Betrag',
    assumed: (n) => `${count(n, 'Fall', 'Fälle')} mit angenommener Währung in keiner Summe`,
    summary: (n, amount, old) =>
      `${count(n, 'offener Fall', 'offene Fälle')} über ${amount}; ${old} älter als 7 Tage.`,
    days: {
      'under 1 day': 'Unter 1 Tag',
      '1–3 days': '1–3 Tage',
      '3–7 days': '3–7 Tage',
      '7–30 days': '7–30 Tage',
      'over 30 days': 'Über 30 Tage',
    },
    money: {
      'under 10': 'Unter 10',
      '10–100': '10–100',
      '100–1,000': '100–1.000',
      'over 1,000': 'Über 1.000',
    },
  },
  select: (name) => `${name} auswählen`,
  selectAll: (n) => `Alle ${n} geladenen auswählen`,
  selected: (n) => count(n, 'Fall ausgewählt', 'Fälle ausgewählt'),
  clearSelection: 'Auswahl aufheben',
  verbs: {
    assign: 'Zuweisen',
    note: 'Notiz hinzufügen',
    resolve: 'Lösen',
    ignore: 'Ignorieren',
    reopen: 'Wieder öffnen',
  },
  bulk: {
    assign: (n) => `${count(n, 'Fall', 'Fälle')} zuweisen`,
    note: (n) => `Notiz zu ${count(n, 'Fall', 'Fällen')} hinzufügen`,
    resolve: (n) => `${count(n, 'Fall', 'Fälle')} lösen`,
    ignore: (n) => `${count(n, 'Fall', 'Fälle')} ignorieren`,
    reopen: (n) => `${count(n, 'Fall', 'Fälle')} wieder öffnen`,
    progress: (done, all) => `${done} von ${all} erledigt`,
    running: 'Die Fälle werden bearbeitet',
    paused: 'Unterbrochen',
    pausedText:
      'Es ist nichts verloren. Fahren Sie fort, sobald Sie verbunden und angemeldet sind: Erledigtes wird nicht wiederholt.',
    complete: 'Erledigt',
    failed: (n) => `${count(n, 'Fall', 'Fälle')} nicht geändert`,
    retry: 'Diese erneut versuchen',
    continue: 'Fortfahren',
    pause: 'Anhalten',
  },
  sheet: {
    upload: 'Bearbeitete Fälle hochladen',
    uploadHelp:
      'Laden Sie die Fälle als CSV oder Excel herunter, bearbeiten Sie state, assignee, reason und note, oder schreiben Sie die richtige Bestellung importierter Zeilen in correct_order, und laden Sie die Datei hoch. Sie sehen die Unterschiede, bevor sie zählen.',
    title: 'Bearbeitete Fälle',
    figures: {
      rows: 'Zeilen',
      unchanged: 'Unveränderte Zeilen',
      differences: 'Unterschiede',
      refused: 'Abgelehnte Zeilen',
    },
    differences: (n) => count(n, 'Unterschied', 'Unterschiede'),
    refusals: (n) =>
      count(n, 'abgelehnte Zeile wird ausgelassen', 'abgelehnte Zeilen werden ausgelassen'),
    before: 'Vorher',
    after: 'Nachher',
    corrected: 'Berichtigte Bestellungen',
    moves: (n, amounts, from, to) =>
      `${count(n, 'Zeile', 'Zeilen')} der Bestellung ${from} (${amounts}) ${n === 1 ? 'gehört' : 'gehören'} dann zur Bestellung ${to}.`,
    repeated: (n) =>
      `Die Bestellung hat ${n === 1 ? 'eine davon' : `${n} davon`} schon: ${n === 1 ? 'Sie zählt' : 'Sie zählen'} einmal.`,
    staying: (n, from) =>
      `${count(n, 'Zeile', 'Zeilen')} des Companions ${n === 1 ? 'bleibt' : 'bleiben'} bei der Bestellung ${from}.`,
    expected: (order, change, posted) =>
      `${order}: erwartet ${change}, von Kreditgebern gebucht ${posted}`,
    refusal: (code) => refusals[code],
    changedBy: (person, moment) => `Geändert von ${person}, ${moment}.`,
    newPersons: 'Zuweisung an neue Personen erlauben',
    sheetName: 'Blatt mit den Fällen, als Name oder Nummer',
    compareAgain: 'Erneut vergleichen',
    apply: (n) => `${count(n, 'Unterschied', 'Unterschiede')} anwenden`,
    done: (n, all) =>
      `${count(n, 'Unterschied', 'Unterschiede')} an ${count(all, 'Fall', 'Fällen')} angewendet`,
    none: 'Keine Zelle ist bearbeitet',
    allApplied: 'Alle Unterschiede sind schon angewendet',
  },
  fields: {
    assignee: 'Person',
    assigneeHint: 'Leer lassen, um die Zuweisung aufzuheben.',
    note: 'Notiz',
    reasonHint: 'Der Grund bleibt im Protokoll.',
    missing: 'Geben Sie einen Text ein.',
  },
  hold: 'Ein ignorierter oder gelöster Fall öffnet sich wieder, wenn sich sein Betrag ändert.',
  back: 'Alle Fälle',
  notFound: 'Diesen Fall gibt es nicht',
  work: 'Diesen Fall bearbeiten',
  comment: 'Notiz oder Grund',
  commentHint:
    'Nötig, um den Fall zu lösen, zu ignorieren oder wieder zu öffnen. Bitte ohne personenbezogene Daten.',
  assignToMe: 'Mir zuweisen',
  unassign: 'Zuweisung aufheben',
  isClosed:
    'Die Abstimmung hat diesen Fall geschlossen: Die Abweichung ist behoben. Notizen sind weiter möglich.',
  facts: 'Angaben',
  since: 'Abweichung seit',
  records: 'Datensätze',
  updated: 'Letzte Änderung',
  alerted: 'Alarm gesendet',
  caseId: 'Fallnummer',
  trailHelp:
    'Jeder Eintrag enthält den Hash des vorigen; die Prüfung findet einen veränderten Eintrag.',
  verify: 'Protokoll prüfen',
  copyText: 'Als Text kopieren',
  hash: 'Hash',
  kinds: {
    opened: 'hat den Fall eröffnet',
    changed: 'hat eine Änderung des Betrags festgestellt',
    reopened: 'hat den Fall wieder geöffnet',
    closed: 'hat den Fall geschlossen: Die Abweichung ist behoben',
    assigned: 'hat den Fall zugewiesen',
    noted: 'hat eine Notiz hinzugefügt',
    corrected: 'hat die Bestellung der importierten Zeilen berichtigt',
    resolved: 'hat den Fall gelöst',
    ignored: 'hat den Fall ignoriert',
    alerted: 'hat einen Alarm gesendet',
  },
  assignedTo: (name) => `hat den Fall ${name} zugewiesen`,
  assignmentRemoved: 'hat die Zuweisung aufgehoben',
  fromTo: (before, after) => `${before} → ${after}`,
  why: {
    'the exception is back': 'Die Abweichung ist wieder da.',
    'its content has changed': 'Ihr Inhalt hat sich geändert.',
  },
  cause: {
    amount: 'Der Betrag überschreitet die Schwelle.',
    age: 'Das Alter überschreitet die Schwelle.',
  },
  actions: {
    intro:
      'Was Personen getan haben: Zahlungen, Abgleiche, Importe, Exporte, Webhooks, Anmeldungen. Die Arbeit an Fällen steht im jeweiligen Fall.',
    empty: 'Es wurde noch nichts getan',
    emptyHint:
      'Einzüge, Erstattungen, Stornierungen, Importe, Abgleiche und Wiederholungen von Personen erscheinen hier.',
    at: 'Zeit',
    actor: 'Person',
    kind: 'Aktion',
    subject: 'Gegenstand',
    detail: 'Angaben',
    outcome: 'Ergebnis',
    kinds: {
      settle: 'Einzug',
      refund: 'Erstattung',
      void: 'Stornierung',
      resolution: 'Unklarer Vorgang geklärt',
      replay: 'Webhook erneut gesendet',
      sync: 'Abgleich',
      rebuild: 'Neuaufbau',
      import: 'Import',
      withdrawal: 'Rücknahme eines Imports',
      export: 'Export',
      'sign-in': 'Anmeldung',
      'sign-out': 'Abmeldung',
    },
    fields: {
      money: 'Betrag',
      amount: 'Betrag (kleinste Einheit)',
      operation: 'Vorgang',
      outcome: 'Ergebnis',
      note: 'Notiz',
      reason: 'Grund',
      source: 'Quelle',
      added: 'Hinzugefügt',
      withdrawn: 'Zurückgenommen',
      replaced: 'Ersetzt',
      corrected: 'Berichtigte Bestellungen',
      errorCount: 'Fehler',
      from: 'Von',
      to: 'Bis',
      syncId: 'Abgleich',
      attempts: 'Versuche (mindestens)',
      format: 'Format',
    },
    outcomes: {
      started: 'Begonnen',
      done: 'Erledigt',
      accepted: 'Angenommen',
      unknown: 'Unklar',
      'not-sent': 'Nicht gesendet',
      failed: 'Fehlgeschlagen',
      'token-invalid': 'Token ungültig',
    },
    pending: 'Läuft',
    verify: 'Das ganze Protokoll prüfen',
    verifyText:
      'Berechnet jeden Hash neu. Ein geänderter, entfernter, eingefügter oder verschobener Eintrag bricht die Kette an seiner Stelle.',
    verifyNow: 'Jetzt prüfen',
    anchor: 'Früheres Kettenende, zum Vergleich',
    anchorHint:
      'Optional: ein Kettenende, das Sie früher kopiert haben, oder aus einer Logzeile „trail-anchor“, etwa 17:42:9f3…; es beweist, dass davor nichts ersetzt wurde.',
    anchorInvalid:
      'Geben Sie das ganze Kettenende mit seinen Doppelpunkten ein, wie Sie es kopiert haben.',
    chain: { cases: 'Arbeit an Fällen', actions: 'Andere Aktionen' },
    valid: 'Unverändert',
    events: (n) => count(n, 'Eintrag', 'Einträge'),
    broken: (seq) => `Gebrochen bei Eintrag ${seq}`,
    reasons: {
      'is missing': 'Dieser Eintrag fehlt.',
      'does not follow the previous event': 'Er folgt nicht auf den vorigen Eintrag.',
      'was changed': 'Er wurde geändert.',
      'differs from the anchor': 'Er weicht von dem Kettenende ab, das Sie eingegeben haben.',
      'is missing: the anchor is after the end':
        'Er fehlt, obwohl das Kettenende, das Sie eingegeben haben, ihn enthält.',
    },
    compared: {
      title: 'Vergleich mit dem Companion',
      same: 'Kein Unterschied',
      operations: (n) => count(n, 'Vorgang des Companions', 'Vorgänge des Companions'),
      withoutEntry: 'Beim Companion, ohne Eintrag hier:',
      withoutOperation: 'Ein Eintrag hier, ohne Vorgang des Companions:',
      missing: 'Nicht verglichen',
      missingHint: 'Prüfen Sie erneut, wenn der Companion antwortet.',
    },
    replaced: 'Nicht die Ketten dieses Kettenendes',
    replacedHint:
      'Jede Kette ist in sich schlüssig, aber ein Eintrag vor dem Kettenende, das Sie eingegeben haben, wurde ersetzt, oder das Kettenende stammt aus einer anderen Umgebung. Vergleichen Sie den Datenspeicher mit einer Sicherung von vorher.',
    head: 'Ende beider Ketten',
    headHint: 'Bewahren Sie es außerhalb dieses Systems auf, als Anker für später.',
    anchored: 'Sie enthalten das Kettenende, das Sie eingegeben haben.',
  },
};

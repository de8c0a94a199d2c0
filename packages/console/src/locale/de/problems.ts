import type { Texts } from '../en.ts';

export const problems: Texts['problems'] = {
  offline: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung; es geht nichts verloren.',
  'answer-unreadable': 'Die Antwort war unvollständig. Versuchen Sie es erneut.',
  'invalid-request': 'Der Server nimmt diese Eingabe nicht an.',
  'idempotency-key-missing': 'Diese Seite ist veraltet. Laden Sie sie neu.',
  'token-invalid': 'Das Zugriffstoken fehlt oder ist falsch.',
  'session-ended': 'Ihre Sitzung ist beendet. Melden Sie sich erneut an, um fortzufahren.',
  'token-not-permitted': 'Ihre Rechte umfassen das nicht.',
  'origin-not-allowed': 'Die Anfrage kam nicht von dieser Konsole. Laden Sie die Seite neu.',
  'not-found': 'Diese Adresse gibt es nicht. Sie ist möglicherweise veraltet.',
  'order-not-found': 'Zu dieser Bestellung gibt es keine Daten.',
  'case-not-found': 'Diesen Fall gibt es nicht.',
  'charge-not-found': 'Diese Belastung gibt es nicht.',
  'method-not-allowed': 'Diese Seite ist veraltet. Laden Sie sie neu.',
  'idempotency-in-flight':
    'Diese Aktion läuft noch. Warten Sie einen Moment und versuchen Sie es erneut.',
  'environment-mismatch': 'Der Companion verwendet eine andere Umgebung als dieser Server.',
  'charge-busy':
    'Ein anderer Vorgang zu dieser Belastung läuft. Warten Sie sein Ende ab und versuchen Sie es erneut.',
  'charge-currency-unclear': 'Die Währung der Belastung steht nicht fest: Wählen Sie sie zuerst.',
  'charge-not-permitted': 'Der Status der Belastung lässt das nicht zu.',
  'operation-not-permitted': 'Der Status des Vorgangs lässt das nicht zu.',
  'amount-exceeds-charge': 'Der Betrag ist höher als der Rest der Belastung.',
  'sync-busy': 'Ein anderer Abgleich läuft. Warten Sie sein Ende ab und versuchen Sie es erneut.',
  'import-busy': 'Ein anderer Import läuft. Warten Sie sein Ende ab und versuchen Sie es erneut.',
  'case-sheet-changed':
    'Die Datei oder ihre Fälle haben sich seither geändert; nichts wurde angewendet. Vergleichen Sie erneut.',
  'case-not-permitted': 'Der Status des Falls lässt das nicht zu. Laden Sie den Fall neu.',
  'request-too-large': 'Die Datei oder der Text ist zu groß.',
  'media-type-unsupported': 'Diese Art von Datei wird nicht unterstützt.',
  'idempotency-key-reused':
    'Diese Aktion wurde bereits in anderer Form angefragt. Laden Sie die Seite neu.',
  'rate-limited': 'Zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es erneut.',
  'service-rejected': 'Der Finanzierungsdienst hat die Anfrage nicht angenommen.',
  'service-answer-invalid': 'Die Antwort des Finanzierungsdienstes war nicht lesbar.',
  'service-key-rejected':
    'Der Finanzierungsdienst nimmt den Schlüssel des Companions nicht an. Informieren Sie dessen Betreiber.',
  'service-unavailable':
    'Der Finanzierungsdienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  'outcome-unknown':
    'Der Finanzierungsdienst hat nicht rechtzeitig geantwortet. Die Aktion kann ausgeführt sein.',
  'store-unavailable': 'Die Datenbank antwortet nicht. Versuchen Sie es gleich noch einmal.',
  'companion-unavailable':
    'Der Companion antwortet nicht. Versuchen Sie es erneut: dieselbe Aktion wird nie zweimal ausgeführt.',
  'not-ready': 'Die Auswertungsdatenbank wird neu aufgebaut. Das dauert einen Moment.',
  standby:
    'Dieser Prozess ist in Bereitschaft und schreibt nicht. Ein anderer übernimmt in wenigen Sekunden; versuchen Sie es erneut.',
  overloaded: 'Der Server ist gerade überlastet. Versuchen Sie es gleich noch einmal.',
  'storage-full': 'Auf dem Server ist zu wenig Speicherplatz frei. Sagen Sie es dem Betrieb.',
  internal: 'Auf dem Server ist ein Fehler aufgetreten.',
};

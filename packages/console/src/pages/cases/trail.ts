import { html, nothing } from 'lit';
import type {
  CaseEventKind,
  CaseEventRecord,
  CaseRecord,
} from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { headlineText } from '../../parts/values.ts';
import { maybe } from '../../parts/views.ts';

const icons: Record<CaseEventKind, string> = {
  opened: 'circle-alert',
  changed: 'refresh-cw',
  reopened: 'rotate-ccw',
  closed: 'check',
  assigned: 'user',
  noted: 'receipt-text',
  resolved: 'circle-check',
  ignored: 'eye-off',
  snoozed: 'calendar-clock',
  woken: 'sun',
  merged: 'arrow-right',
  split: 'arrow-left',
  gained: 'plus',
  lost: 'arrow-left',
  alerted: 'bell',
};

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const wordOf = (words: Readonly<Record<string, string>>, value: unknown): string | undefined => {
  const text = textOf(value);
  return text === undefined ? undefined : (words[text] ?? text);
};
const actorOf = (actor: string): string =>
  actor === 'reconciliation' ? texts().shell.product : actor;

/** Describes an event, such as "assigned the case to anna". */
function phraseOf({ kind, detail }: CaseEventRecord): string {
  const { cases } = texts();
  if (kind !== 'assigned') return cases.kinds[kind];
  const assignee = textOf(detail.assignee);
  return assignee === undefined ? cases.assignmentRemoved : cases.assignedTo(assignee);
}

/** Returns the other case in a merge, a split, or a decision that follows another case's. */
function otherCaseOf({ detail }: CaseEventRecord): string | undefined {
  return [detail.into, detail.case, detail.from, detail.with].map(textOf).find((id) => id);
}

/** Describes an event, including its other case's ID: "merged the case into another one (case_0m…)". */
function wholePhraseOf(event: CaseEventRecord): string {
  const other = otherCaseOf(event);
  return other === undefined ? phraseOf(event) : `${phraseOf(event)} (${other})`;
}

/** Returns an event's details: the user's text, or how an amount changed. */
function wordsOf({ kind, detail }: CaseEventRecord, currency: string): string | undefined {
  const { cases } = texts();
  const written = textOf(detail.note) ?? textOf(detail.reason) ?? textOf(detail.order);
  if (written !== undefined) return written;
  const until = textOf(detail.until);
  if (until !== undefined) return cases.snoozedUntil(formats().day(until));
  const amount = typeof detail.amount === 'number' ? detail.amount : undefined;
  const shown = amount === undefined ? undefined : formats().amount(amount, currency);
  if (kind === 'changed' && shown !== undefined && typeof detail.amountBefore === 'number') {
    return cases.fromTo(formats().amount(detail.amountBefore, currency), shown);
  }
  const why = kind === 'closed' ? undefined : wordOf(cases.why, detail.why);
  return [why ?? wordOf(cases.cause, detail.cause), shown]
    .filter((text) => text !== undefined)
    .join(' ');
}

/** Describes an event in a sentence: "Ada resolved the case, 27 Nov 2026, 14:03: paid by check". */
export function eventText(event: CaseEventRecord, currency: string): string {
  const words = wordsOf(event, currency);
  const said = words === undefined || words === '' ? '' : `: ${words}`;
  return `${actorOf(event.actor)} ${wholePhraseOf(event)}, ${formats().moment(event.at)}${said}`;
}

/** Shows a case's audit trail, oldest event first. */
export function trailView(events: readonly CaseEventRecord[], currency: string) {
  const { cases } = texts();
  return html`<ol class="trail">
    ${events.map((event) => {
      const words = wordsOf(event, currency);
      const isOfPerson = ['noted', 'resolved', 'ignored', 'merged', 'split'].includes(event.kind);
      return html`<li>
        <span class="dot ${event.kind}"><wa-icon name=${icons[event.kind]}></wa-icon></span>
        <div>
          <p>
            <strong>${actorOf(event.actor)}</strong> ${phraseOf(event)}
            ${maybe(otherCaseOf(event), (id) => html`<a class="id" href=${paths.case(id)}>${id}</a>`)}
            <time class="quiet" datetime=${event.at}>${formats().moment(event.at)}</time>
          </p>
          ${
            words === undefined || words === ''
              ? nothing
              : isOfPerson
                ? html`<blockquote>${words}</blockquote>`
                : html`<p class="quiet">${words}</p>`
          }
          <p class="hash quiet" title="${cases.hash}: ${event.hash}">
            ${event.seq} · ${event.hash.slice(0, 12)}
          </p>
        </div>
      </li>`;
    })}
  </ol>`;
}

/** Returns a case's audit trail as plain text. */
export function trailText(one: CaseRecord, events: readonly CaseEventRecord[]): string {
  const { amount, code, currency, id, merchantOrderId, orderKey } = one;
  const lines = events.map((event) => {
    const words = wordsOf(event, currency);
    const said = words === undefined || words === '' ? '' : `: ${words}`;
    return `${event.at} ${actorOf(event.actor)} ${wholePhraseOf(event)}${said} [${event.seq}:${event.hash}]`;
  });
  const head = `${headlineText(code)} (${code}), ${merchantOrderId ?? orderKey}, ${formats().amount(amount, currency)}, ${id}`;
  return [head, ...lines].join('\n');
}

import { html, nothing } from 'lit';
import type {
  CaseSheet,
  CaseSheetDifference,
  CaseSheetRefusal,
  CaseState,
} from '@financing-checkout/contract/reconciliation';
import { formats, language, texts } from '../../locale/locale.ts';
import '../../parts/table.ts';
import type { Column } from '../../parts/table.ts';
import { headlineText } from '../../parts/values.ts';
import { maybe, pairsView } from '../../parts/views.ts';
import { caseStateView } from './filters.ts';

/** Shows the row counts of an edited case export. */
export function sheetCountsView({ differences, refusals, rows, unchanged }: CaseSheet) {
  const { figures } = texts().cases.sheet;
  const { number } = formats();
  return pairsView('figures', [
    [figures.rows, number(rows)],
    [figures.unchanged, number(unchanged)],
    [figures.differences, number(differences.length)],
    [figures.refused, number(refusals.length)],
  ]);
}

/** Shows each edited cell's old and new value. */
export function differencesView(differences: readonly CaseSheetDifference[]) {
  if (differences.length === 0) return nothing;
  const { cases, common, imports } = texts();
  const { sheet } = cases;
  const textOf = (field: CaseSheetDifference['field'], value: string) => {
    return field === 'state' ? caseStateView({ state: value as CaseState }) : value;
  };
  const columns: Column<CaseSheetDifference>[] = [
    { head: imports.line, class: 'end', cell: ({ line }) => formats().number(line) },
    { head: common.order, cell: nameOf },
    { head: common.code, class: 'minor', cell: ({ code }) => headlineText(code) },
    { head: imports.field, cell: ({ field }) => wordOf(field) },
    { head: sheet.before, class: 'minor', cell: ({ before, field }) => textOf(field, before) },
    {
      head: sheet.after,
      class: 'wide',
      cell: ({ after, field, reason }) =>
        html`${textOf(field, after)}
        ${maybe(reason, (text) => html`<span class="quiet">${text}</span>`)}`,
    },
  ];
  const title = sheet.differences(differences.length);
  return html`<h3>${title}</h3>
    <console-table .label=${title} .columns=${columns} .rows=${differences}></console-table>`;
}

/** Returns an editable column's label. */
function wordOf(field: CaseSheetDifference['field']): string {
  const { cases, common } = texts();
  return {
    state: common.state,
    assignee: cases.assignee,
    reason: common.reason,
    note: cases.fields.note,
  }[field];
}

/** Shows the refused rows, with line numbers and reasons. */
export function refusalsView(refusals: readonly CaseSheetRefusal[]) {
  if (refusals.length === 0) return nothing;
  const { cases, changedBy, common, imports } = texts();
  const { sheet } = cases;
  const columns: Column<CaseSheetRefusal>[] = [
    { head: imports.line, class: 'end', cell: ({ line }) => formats().number(line) },
    { head: common.order, cell: nameOf },
    { head: imports.field, class: 'minor nowrap', cell: ({ column }) => column ?? '' },
    {
      head: imports.problem,
      class: 'wide',
      cell: ({ at, by, kind, message, refusal }) =>
        html`${sheet.refusal(refusal, message)}
        ${
          by === undefined || at === undefined || kind === undefined
            ? nothing
            : changedBy(by, kind, formats().moment(at))
        }
        ${
          language() === 'en'
            ? nothing
            : html`<span class="quiet" lang="en">The row ${message}.</span>`
        }`,
    },
  ];
  const title = sheet.refusals(refusals.length);
  return html`<h3>${title}</h3>
    <console-table .label=${title} .columns=${columns} .rows=${refusals}></console-table>`;
}

function nameOf({ merchantOrderId, orderKey }: CaseSheetDifference | CaseSheetRefusal) {
  return html`<span class="id">${merchantOrderId ?? orderKey ?? ''}</span>`;
}

import type { JournalExport } from '@financing-checkout/contract/reconciliation';
import { html, nothing } from 'lit';
import { formats, texts } from '../../locale/locale.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { cardView, quiet } from '../../parts/views.ts';
import '../close/hash.ts';
import { fileAddress } from './draft.ts';
import { addressOfTrace } from './lines.ts';

/** Shows the exported journals, newest first. */
export function exportsView(exports: readonly JournalExport[]) {
  const { close, journals } = texts();
  const { moment, number } = formats();
  const columns: Column<JournalExport>[] = [
    {
      head: journals.number,
      isName: true,
      cell: ({ seq }) => html`<a href=${addressOfTrace(seq, {})}>FC${seq}</a>`,
    },
    {
      head: close.period,
      cell: ({ period, isCorrection }) =>
        html`${period}
        ${isCorrection ? html`<small class="quiet">${journals.correction}</small>` : nothing}`,
    },
    {
      head: journals.format,
      cell: ({ format, detail }) =>
        html`${journals.formats[format]}
          <div class="quiet"><small>${journals.details[detail]}</small></div>`,
    },
    { head: journals.entries, class: 'end minor', cell: ({ entries }) => number(entries) },
    {
      head: journals.exported,
      cell: ({ by, at }) => close.byAt(by, moment(at)),
    },
    {
      head: close.hash,
      class: 'minor',
      cell: ({ seq, sha256 }) =>
        html`<close-hash .hash=${sha256} .label=${journals.copyHash(seq)}></close-hash>`,
    },
    {
      head: journals.zip,
      cell: ({ seq }) =>
        html`<a download href=${fileAddress(seq)} aria-label=${journals.download(seq)}
          >${journals.zipFile}</a
        >`,
    },
  ];
  return cardView(
    journals.exports,
    exports.length === 0
      ? quiet(journals.none)
      : tableView({ label: journals.exports, columns, rows: exports }),
  );
}

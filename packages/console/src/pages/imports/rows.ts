import { html, nothing, type TemplateResult } from 'lit';
import type { LedgerImportRecord } from '@financing-checkout/contract/reconciliation';
import { texts } from '../../locale/locale.ts';

/** Returns the total row count of the entries. */
export function countOf(rows: readonly { count: number }[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Returns a field's label, or the field itself if it has none. */
export function fieldText(field: string | undefined): string {
  if (field === undefined) return '';
  return (texts().imports.fields as Record<string, string>)[field] ?? field;
}

/** Shows an entry's first line numbers. */
export function where(lines: readonly number[], count: number): TemplateResult {
  const { imports } = texts();
  return html`<span class="quiet">${imports.atLines(lines, count > lines.length)}</span>`;
}

type Rows = LedgerImportRecord['leftOut'][number];

/** Returns whether a row is skipped because the user marked it as not being a ledger line. */
export function isExtraRow({ reason }: Rows): boolean {
  return ['header', 'total', 'label'].includes(reason);
}

/** Returns whether a row is skipped because the sheet hides it. */
export function isHiddenRow({ reason }: Rows): boolean {
  return reason === 'hidden-row';
}

/** Shows how many rows are skipped, why and where. */
export function rowsItem({ reason, word, count, lines }: Rows): TemplateResult {
  const { common, imports } = texts();
  const reasons: Record<string, string> = imports.leftOutReasons;
  const field = /^without-(.+)$/.exec(reason)?.[1];
  const text =
    reasons[reason] ?? (field === undefined ? reason : imports.leftOutWithout(fieldText(field)));
  return html`<li>
    ${common.rows(count)}: ${text} ${word === undefined ? nothing : html`<q>${word}</q>`}
    ${where(lines, count)}
  </li>`;
}

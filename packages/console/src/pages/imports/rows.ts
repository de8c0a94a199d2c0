import { html, nothing, type TemplateResult } from 'lit';
import type { LedgerImportRecord } from '@financing-checkout/contract';
import { texts } from '../../locale/locale.ts';

/** Returns the number of rows of several entries. */
export function countOf(rows: readonly { count: number }[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Returns the name of a field; the field itself if it has none. */
export function fieldText(field: string | undefined): string {
  if (field === undefined) return '';
  return (texts().imports.fields as Record<string, string>)[field] ?? field;
}

/** Names the first lines of an entry. */
export function where(lines: readonly number[], count: number): TemplateResult {
  const { imports } = texts();
  return html`<span class="quiet">${imports.atLines(lines, count > lines.length)}</span>`;
}

/** Returns whether a row is left out because a person said that it is no line. */
export function isExtraRow({ reason }: LedgerImportRecord['leftOut'][number]): boolean {
  return ['head', 'total', 'label'].includes(reason);
}

/** Says how many rows are left out, why and where. */
export function rowsItem({
  reason,
  word,
  count,
  lines,
}: LedgerImportRecord['leftOut'][number]): TemplateResult {
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

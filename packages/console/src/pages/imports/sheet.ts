import { html, nothing } from 'lit';
import type { LedgerPreview } from '@financing-checkout/contract';
import { texts } from '../../locale/locale.ts';
import { selectField } from '../../parts/fields.ts';
import type { Draft } from './draft.ts';

/** Asks which sheet of a workbook to import if several have content. */
export function sheetView(draft: Draft, { sheets = [] }: LedgerPreview) {
  if (sheets.length < 2) return nothing;
  const { imports } = texts();
  const { sheet } = draft.choices;
  const names = sheets.map((name) => [name, name] as const);
  return html`<section class="card">
    <h2>${imports.sheet}</h2>
    ${selectField(
      imports.sheetHelp,
      sheet === '' ? [['', imports.pick], ...names] : names,
      sheet,
      (name) => draft.useSheet(name),
      { ariaLabel: imports.sheet, disabled: draft.work !== undefined },
    )}
  </section>`;
}
